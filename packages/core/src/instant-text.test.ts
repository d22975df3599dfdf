import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instantFault, parseInstant } from './instant-text.ts';

test('an instant is nanoseconds since 1970, an RFC 3339 time or a date, and nothing else', () => {
  for (const [text, ns] of [
    ['1794481200000000000', 1794481200000000000n],
    ['100000000000000000', 100000000000000000n],
    ['0', 0n],
    ['2026-11-12', 1794441600000000000n],
    ['2026-11-12T11:00:00Z', 1794481200000000000n],
    ['2026-11-12t12:00:00.000000001+01:00', 1794481200000000001n],
    ['1970-01-01', 0n],
  ] as const) {
    assert.equal(parseInstant(text), ns, text);
  }
  for (const text of [
    '',
    'x',
    '-1',
    '1.5',
    '01',
    '2026-13-01',
    '2026-11-12T11:00:00',
    '1'.repeat(20),
  ]) {
    assert.equal(parseInstant(text), null, text);
    const fault = instantFault(text);
    assert.equal(fault, 'must be nanoseconds since 1970, an RFC 3339 time or a date YYYY-MM-DD');
  }
});

test('a number too small for nanoseconds is no instant, and the fault says what it looks like', () => {
  for (const [text, meant] of [
    ['20261112', 'did you mean the date 2026-11-12?'],
    ['1794481200', 'this looks like seconds: in nanoseconds it is 1794481200000000000'],
    ['1794481200123', 'this looks like milliseconds: in nanoseconds it is 1794481200123000000'],
    ['1794481200123456', 'this looks like microseconds: in nanoseconds it is 1794481200123456000'],
    ['20261312', 'this number is too small for nanoseconds'],
    ['1', 'this number is too small for nanoseconds'],
    ['99999999999999999', 'this number is too small for nanoseconds'],
  ] as const) {
    assert.equal(parseInstant(text), null, text);
    assert.ok(instantFault(text).endsWith(`; ${meant}`), instantFault(text));
  }
});
