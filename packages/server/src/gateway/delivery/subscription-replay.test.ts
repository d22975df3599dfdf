import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Entitlements } from '@tapeloom/core/entitlement/entitlements';
import { SubscriptionReplay } from './subscription-replay.ts';

test('a page costs its trades times what a trade costs, reserved and settled alike [COUNT-16]', async () => {
  const charged: (readonly [string, string, number])[] = [];
  const charges = {
    reserve: async (kind: string, id: string, _caller: unknown, amount: number) => {
      charged.push([kind, id, amount]);
    },
    settle: async (id: string, amount: number) => {
      charged.push(['settled', id, amount]);
    },
    giveBack: async () => {},
  };
  const replays = {
    open: () => Promise.reject(new Error('not opened here')),
    locate: () => Promise.reject(new Error('not located here')),
  };
  const rights = { environment: 'live', scopes: ['stream'], allowedIps: null } as const;
  const entitlements = Entitlements.of(
    { ...rights, instruments: null, expiresAt: null },
    'live_history',
  );
  const caller = { accountId: 'account', keyId: 'key', isSuspended: false, entitlements };
  const spec = { contract: 'AA', indicator: 'bars', params: {}, delaySeconds: 0 };
  const stepped: string[] = [];
  const replay = new SubscriptionReplay(
    'replay',
    { spec, mode: 'live', depth: 1, unitsPerTrade: 3 },
    { replays, charges, onFault: assert.ifError },
    { caller, step: ({ t }) => stepped.push(t), fault: assert.ifError },
  );
  replay.reserve(1, 5);
  replay.settle(1, 5);
  await Promise.resolve();
  assert.deepEqual(charged, [
    ['replay', 'replay.0.1', 15],
    ['settled', 'replay.0.1', 15],
  ]);
  assert.deepEqual(stepped, ['reserved']);
});
