import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Entitlements } from '@tapeloom/core/entitlement/entitlements';
import type { EpochNs } from '@tapeloom/core/numbers';
import { refusedAs } from '../../../testing/refused-as.ts';
import { AccountsTroubleError } from '../store/account-store.ts';
import type { ReserveRequest } from '../usage/usage-store.ts';
import { type ChargeKind, type ChargeStore, Charges } from './charges.ts';

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
const NOON = (1_795_000_000n * 1_000_000_000n) as EpochNs;

function chargesOf(reserve: ChargeStore['reserve']): Charges {
  const unasked = () => assert.fail('not asked');
  const rest = { settle: unasked, settleOnce: unasked, voidReservation: unasked, usageOf: unasked };
  return new Charges({ reserve, ...rest }, { now: () => NOON });
}

test('what is refused while accounts cannot be asked is refused for the moment; a fault of ours stays one', async () => {
  const full = async () => Promise.reject(new AccountsTroubleError('full', 'no room'));
  const refused = chargesOf(full).reserve('replay', 'id', caller, 5);
  await assert.rejects(refused, refusedAs('accounts-unavailable'));
  const broken = async () => Promise.reject(new Error('ours'));
  await assert.rejects(chargesOf(broken).reserve('replay', 'id', caller, 5), /ours/);
});

test('a month that has not so much left says what is, and when the next one comes', async () => {
  const charges = chargesOf(async () => ({ granted: false, remaining: 3 }));
  const details = { budget: 'computeUnits', amount: 5, remaining: 3 } as const;
  await assert.rejects(charges.reserve('page', 'id', caller, 5), refusedAs('over-budget', details));
});

test('only what is given back by its expiry all the same is reserved without a sync', async () => {
  const asked: ReserveRequest[] = [];
  const charges = chargesOf(async (_now, request) => {
    asked.push(request);
    return { granted: true };
  });
  const kinds: readonly ChargeKind[] = ['page', 'replay', 'export', 'firstVolume', 'volume'];
  for (const kind of kinds) await charges.reserve(kind, kind, caller, 1);
  assert.deepEqual(
    asked.map(({ id, budget, isSynced }) => [id, budget, isSynced]),
    [
      ['page', 'computeUnits', false],
      ['replay', 'computeUnits', false],
      ['export', 'computeUnits', false],
      ['firstVolume', 'exportBytes', false],
      ['volume', 'exportBytes', true],
    ],
  );
});
