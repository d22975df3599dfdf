/** The account store's contract: keys managed with keys. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ManagementCriterion } from '@tapeloom/core/entitlement/key-management';
import type { KeyRecord, NewKey } from '../../../src/accounts/keys/keys-store.ts';
import { ALL_RIGHTS, DAY_NS, SECOND_NS, START, type StoreRig } from '../store/account-store-rig.ts';

const FUTURE = (START + DAY_NS) as typeof START;
/** A manager with every kind of restriction. */
const RESTRICTED: NewKey = {
  name: 'manager',
  environment: 'live',
  scopes: ['keys', 'stream'],
  instruments: ['ES.c.0', 'NQZ6'],
  allowedIps: ['10.1.0.0/16', '2001:db8::/32'],
  expiresAt: FUTURE,
};

/** Exceeds the restricted manager in one criterion only. */
const EXCEEDING: Readonly<Record<ManagementCriterion, Partial<NewKey>>> = {
  environment: { environment: 'test' },
  scopes: { scopes: ['stream', 'export'] },
  instruments: { instruments: null },
  allowedIps: { allowedIps: ['10.0.0.0/15'] },
  expiresAt: { expiresAt: (FUTURE + 1n) as typeof START },
};

export function testKeyManagement(adapter: string, start: () => Promise<StoreRig>): void {
  /** All three operations on targets with these rights, by a key. */
  async function manage(rig: StoreRig, manager: KeyRecord, rights: Partial<NewKey>) {
    const { accountId } = manager;
    const wanted = { ...RESTRICTED, name: 'target', ...rights };
    const [toRotate, toRevoke] = [
      await rig.key(accountId, wanted),
      await rig.key(accountId, wanted),
    ];
    const call = rig.by(manager);
    const answers = [
      await rig.store.createKey(call, accountId, wanted, rig.secret()),
      await rig.store.rotateKey(call, accountId, toRotate.id, 60, rig.secret()),
      await rig.store.revokeKey(call, accountId, toRevoke.id),
    ];
    return { answers, toRotate, toRevoke };
  }

  test(`${adapter}: a target that exceeds its manager is refused on all three operations, unchanged, with the criterion on record [MGMT-02]`, async () => {
    const rig = await start();
    for (const [criterion, rights] of Object.entries(EXCEEDING)) {
      const account = await rig.account();
      const manager = await rig.key(account.id, RESTRICTED);
      const { answers, toRotate, toRevoke } = await manage(rig, manager, rights);
      assert.deepEqual(
        answers,
        Array.from({ length: 3 }, () => ({ refused: 'criterion', criterion })),
      );
      assert.deepEqual(await rig.listed(toRotate), toRotate);
      assert.deepEqual(await rig.listed(toRevoke), toRevoke);
      assert.equal((await rig.store.listKeys(rig.now, account.id)).length, 3);
      const log = await rig.store.audit({ accountId: account.id, limit: 100 });
      const refusals = log.filter(({ kind }) => kind === 'key.management-refused');
      assert.deepEqual(
        refusals.map(({ keyId, actor, details }) => [keyId, actor, details]),
        [
          [null, manager.id, { operation: 'create', criterion }],
          [toRotate.id, manager.id, { operation: 'rotate', criterion }],
          [toRevoke.id, manager.id, { operation: 'revoke', criterion }],
        ],
      );
    }
  });

  test(`${adapter}: a target with the manager's own rights, or fewer, is managed [MGMT-03]`, async () => {
    const rig = await start();
    for (const rights of [
      {},
      {
        scopes: ['stream'],
        instruments: ['NQZ6'],
        allowedIps: ['10.1.2.3'],
        expiresAt: rig.later(DAY_NS - 1n),
      },
    ] as const) {
      const account = await rig.account();
      const manager = await rig.key(account.id, RESTRICTED);
      const { answers } = await manage(rig, manager, rights);
      assert.ok(answers.every((answer) => !('refused' in answer)));
    }
  });

  test(`${adapter}: a manager without restrictions manages restricted and free targets [MGMT-12]`, async () => {
    const rig = await start();
    const free = { instruments: null, allowedIps: null, expiresAt: null };
    for (const rights of [{}, free]) {
      const account = await rig.account();
      const manager = await rig.key(account.id, ALL_RIGHTS);
      const { answers } = await manage(rig, manager, rights);
      assert.ok(answers.every((answer) => !('refused' in answer)));
    }
  });

  test(`${adapter}: a key that has ended manages nothing, whatever it was when it was recognised [SEC-03]`, async () => {
    const rig = await start();
    const account = await rig.account();
    const another = await rig.account();
    const target = await rig.key(account.id);
    const expiring = await rig.key(account.id, { expiresAt: rig.later(SECOND_NS) });
    const revoked = await rig.key(account.id);
    const foreign = await rig.key(another.id);
    await rig.store.revokeKey(rig.operator, account.id, revoked.id);
    rig.now = expiring.expiresAt!;
    const unknown = { ...target, id: 'key_none' };
    const refused = { refused: 'actor-ended' };
    const isRefused = async (manager: KeyRecord) => {
      const call = rig.by(manager);
      const made = await rig.store.createKey(call, account.id, ALL_RIGHTS, rig.secret());
      assert.deepEqual(made, refused);
      const rotated = rig.store.rotateKey(call, account.id, target.id, 0, rig.secret());
      assert.deepEqual(await rotated, refused);
      assert.deepEqual(await rig.store.revokeKey(call, account.id, target.id), refused);
      assert.deepEqual(await rig.store.revokeKey(call, account.id, 'key_none'), refused);
    };
    for (const manager of [expiring, revoked, foreign, unknown]) await isRefused(manager);
    await rig.store.setSuspended(rig.operator, account.id, true);
    await isRefused(target);
    assert.deepEqual(await rig.listed(target), target);
    assert.ok('id' in (await rig.store.revokeKey(rig.operator, account.id, target.id)));
  });

  test(`${adapter}: of two keys that revoke each other at once, exactly one is left [SEC-03]`, async () => {
    const rig = await start();
    for (let round = 0; round < 10; round += 1) {
      const account = await rig.account();
      const [first, second] = [await rig.key(account.id), await rig.key(account.id)];
      const answers = await Promise.all([
        rig.store.revokeKey(rig.by(first), account.id, second.id),
        rig.other.revokeKey(rig.by(second), account.id, first.id),
      ]);
      assert.equal(answers.filter((answer) => 'id' in answer).length, 1);
      const refused = answers.filter((answer) => 'refused' in answer);
      assert.deepEqual(refused, [{ refused: 'actor-ended' }]);
      const left = await rig.store.listKeys(rig.now, account.id);
      assert.equal(left.filter(({ revokedAt }) => revokedAt === null).length, 1);
    }
  });

  test(`${adapter}: a key may rotate and revoke itself`, async () => {
    const rig = await start();
    const account = await rig.account();
    const key = await rig.key(account.id, RESTRICTED);
    const rotated = await rig.store.rotateKey(rig.by(key), account.id, key.id, 60, rig.secret());
    assert.ok('created' in rotated);
    const { created } = rotated;
    const revoked = await rig.store.revokeKey(rig.by(created), account.id, created.id);
    assert.ok('id' in revoked && revoked.revokedAt === rig.now);
  });

  test(`${adapter}: the id of another account's key, or of another account, is not found [SEC-06]`, async () => {
    const rig = await start();
    const [mine, theirs] = [await rig.account(), await rig.account()];
    const [manager, foreign] = [await rig.key(mine.id), await rig.key(theirs.id)];
    const notFound = { refused: 'not-found' };
    for (const call of [rig.by(manager), rig.operator]) {
      for (const keyId of [foreign.id, 'key_none', '', theirs.id]) {
        const rotated = rig.store.rotateKey(call, mine.id, keyId, 60, rig.secret());
        assert.deepEqual(await rotated, notFound);
        assert.deepEqual(await rig.store.revokeKey(call, mine.id, keyId), notFound);
      }
      const made = rig.store.createKey(call, 'acc_none', ALL_RIGHTS, rig.secret());
      assert.deepEqual(await made, notFound);
    }
    assert.deepEqual(await rig.listed(foreign), foreign);
  });
}
