import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Entitlements } from '@tapeloom/core/entitlement/entitlements';
import type { EpochNs } from '@tapeloom/core/numbers';
import { type AccountStore, AccountsTroubleError } from '../../accounts/store/account-store.ts';
import { ReplayCharges } from './replay-charges.ts';

const rights = {
  environment: 'live',
  scopes: ['stream'],
  instruments: null,
  allowedIps: null,
  expiresAt: null,
} as const;
const caller = {
  accountId: 'acc',
  keyId: 'key',
  isSuspended: false,
  entitlements: Entitlements.of(rights, 'live_history'),
};

function chargesOf(reserve: AccountStore['reserve']): ReplayCharges {
  const store = { reserve, settle: async () => true, voidReservation: async () => true };
  return new ReplayCharges({ store, clock: { now: () => 0n as EpochNs }, onFault: assert.ifError });
}

test('a replay is refused for the moment while accounts cannot be asked; a fault of ours stays one', async () => {
  const full = async () => Promise.reject(new AccountsTroubleError('full', 'no room'));
  const refusal = await chargesOf(full).reserve('id', caller, 5);
  assert.equal(refusal?.code, 'CAPACITY');
  const broken = async () => Promise.reject(new Error('ours'));
  await assert.rejects(chargesOf(broken).reserve('id', caller, 5), /ours/);
});
