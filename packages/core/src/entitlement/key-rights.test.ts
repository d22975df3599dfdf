import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '../numbers.ts';
import { keyStateAt } from './key-rights.ts';

const NOW = 1_800_000_000_000_000_000n as EpochNs;
const BEFORE = (NOW - 1n) as EpochNs;
const AFTER = (NOW + 1n) as EpochNs;

test('a key is active, expiring until the instant it names, then expired; or revoked', () => {
  const state = (expiresAt: EpochNs | null, revokedAt: EpochNs | null) =>
    keyStateAt({ expiresAt, revokedAt }, NOW);
  assert.equal(state(null, null), 'active');
  assert.equal(state(AFTER, null), 'expiring');
  assert.equal(state(NOW, null), 'expired');
  assert.equal(state(BEFORE, null), 'expired');
  for (const expiresAt of [null, AFTER, NOW, BEFORE]) {
    assert.equal(state(expiresAt, BEFORE), 'revoked');
  }
});
