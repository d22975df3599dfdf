import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TapeloomError } from './tapeloom-error.ts';
import { dateOf, instantOf, nsOf, type Time, timeText } from './times.ts';

const NS = 1_794_493_800_123_456_789n;

test('every way to write a moment means the same nanoseconds', () => {
  const written: Time[] = [
    NS,
    '1794493800123456789',
    '2026-11-12T14:30:00.123456789Z',
    '2026-11-12T15:30:00.123456789+01:00',
    '2026-11-12t09:00:00.123456789-05:30',
    { epochNanoseconds: NS },
  ];
  for (const time of written) assert.equal(nsOf(time), NS);
  assert.equal(nsOf('2026-11-12'), 1_794_441_600_000_000_000n);
  assert.equal(nsOf(new Date('2026-11-12T14:30:00.123Z')), 1_794_493_800_123_000_000n);
});

test('what is no moment is refused with what would be one', () => {
  const wrong = ['', 'now', '2026-02-30', '2026-11-12T25:00:00Z', '2026-11-12T14:30:00', '-5'];
  for (const time of [...wrong, new Date(Number.NaN), 5 as never, null as never, {} as never]) {
    assert.throws(
      () => nsOf(time),
      (error) => error instanceof TapeloomError && error.code === 'CONFIGURATION',
      String(time),
    );
  }
});

test('nanoseconds become a Date, before 1970 too, and an Instant where there is Temporal', () => {
  assert.equal(dateOf(NS).toISOString(), '2026-11-12T14:30:00.123Z');
  assert.equal(dateOf(-1n).getTime(), -1);
  if ('Temporal' in globalThis) {
    assert.equal(instantOf(NS).toString(), '2026-11-12T14:30:00.123456789Z');
    assert.equal(nsOf(instantOf(NS)), NS);
  } else {
    assert.throws(() => instantOf(NS), /no Temporal.*dateOf/);
  }
});

test('a time goes to the service as text, and a text as it is', () => {
  assert.equal(timeText(NS), '1794493800123456789');
  assert.equal(timeText(new Date(1)), '1000000');
  assert.equal(timeText('yesterday'), 'yesterday');
});
