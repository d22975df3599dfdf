import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyHint, restrictionWords, stateWords } from './key-text.ts';

const NOW = Date.UTC(2026, 10, 16, 9);
const at = (ms: number) => `${BigInt(ms) * 1_000_000n}`;
const HOUR = 3_600_000;

test('a key is told by its environment and its end, never by more', () => {
  assert.equal(keyHint({ environment: 'live', hint: '7Kq2' }), 'svc_live_…7Kq2');
  assert.equal(keyHint({ environment: 'test', hint: '90Lm' }), 'svc_test_…90Lm');
});

test('the state of a key is said in words, with when it ends', () => {
  const words = (key: object) => {
    const { text, level } = stateWords(key as never, NOW);
    return [text, level];
  };
  assert.deepEqual(words({ state: 'active' }), ['Active', 'ok']);
  for (const [ms, text] of [
    [30_000, 'Ends in less than a minute'],
    [25 * 60_000, 'Ends in 25 min'],
    [5 * HOUR + 60_000, 'Ends in 5 h'],
    [47 * HOUR, 'Ends in 47 h'],
    [20 * 24 * HOUR, 'Ends 6 Dec'],
    [60 * 24 * HOUR, 'Ends 15 Jan 2027'],
  ] as const) {
    assert.deepEqual(words({ state: 'expiring', expiresAt: at(NOW + ms) }), [text, 'warn']);
  }
  assert.deepEqual(words({ state: 'expired', expiresAt: at(NOW - 14 * 24 * HOUR) }), [
    'Expired 2 Nov',
    '',
  ]);
  assert.deepEqual(words({ state: 'revoked', revokedAt: at(NOW) }), ['Revoked 16 Nov', '']);
});

test('restrictions are named while they are few, and counted when there are many', () => {
  assert.equal(restrictionWords({}), null);
  assert.equal(restrictionWords({ instruments: ['ES.c.0', 'NQZ6'] }), 'ES.c.0, NQZ6');
  assert.equal(restrictionWords({ instruments: ['A', 'B', 'C'] }), '3 instruments');
  assert.equal(restrictionWords({ allowedIps: ['10.0.0.0/8'] }), '1 address');
  assert.equal(
    restrictionWords({ instruments: ['ES.c.0'], allowedIps: ['::1', '10.0.0.1'] }),
    'ES.c.0, 2 addresses',
  );
});
