/** The account store's contract: how many keys can be created, and how rejections are counted. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { KEYS_MADE_MAX, type KeyRecord } from '../../../src/accounts/keys/keys-store.ts';
import type { AuditEvent } from '../../../src/accounts/store/account-store.ts';
import { ALL_RIGHTS, DAY_NS, SECOND_NS, type StoreRig } from '../store/account-store-rig.ts';

export function testKeyLists(adapter: string, start: () => Promise<StoreRig>): void {
  test(`${adapter}: an account's keys make so many in 24 hours, by creation and rotation, also at once; then it is told when one more can be [SEC-05] [SEC-40]`, async () => {
    const rig = await start();
    const { id: accountId } = await rig.account();
    const first = rig.now;
    const manager = await rig.key(accountId);
    const tests = await rig.key(accountId, { environment: 'test' });
    let left = KEYS_MADE_MAX - 2;
    rig.pass(SECOND_NS);
    const create = (by: KeyRecord, choice = 0) => {
      const wanted = { ...ALL_RIGHTS, environment: by.environment };
      return rig.either(choice).createKey(rig.by(by), accountId, wanted, rig.secret());
    };

    // Earlier retries and other rejections do not count.
    const once = { idempotencyKey: 'once', request: 'r' };
    const again = { now: rig.now, actor: { kind: 'key', keyId: manager.id, once } } as const;
    const make = () => rig.store.createKey(again, accountId, ALL_RIGHTS, rig.secret());
    let target = await make();
    left -= 1;
    assert.ok('id' in target);
    assert.equal((await repeated(make)).refused, 'done-before');
    assert.equal(
      (await repeated(() => create({ ...tests, environment: 'live' }))).refused,
      'criterion',
    );

    const made = await create(tests);
    left -= 1;
    assert.ok('id' in made);
    await rig.store.revokeKey(rig.by(tests), accountId, made.id);
    for (; left > 1; left -= 1) {
      const { id } = target;
      const rotated = await rig.store.rotateKey(rig.by(manager), accountId, id, 0, rig.secret());
      assert.ok(
        'created' in rotated,
        JSON.stringify(rotated, (_, value) => String(value)),
      );
      target = rotated.created;
    }

    const raced = await Promise.all([create(manager, 0), create(manager, 1), create(tests, 1)]);
    assert.equal(raced.filter((one) => 'id' in one).length, 1);
    const until = (first + DAY_NS) as EpochNs;
    const refused = { refused: 'made-too-many', until };
    assert.deepEqual(
      raced.filter((one) => 'refused' in one),
      [refused, refused],
    );
    const keyId = target.id;
    const rotate = () => rig.store.rotateKey(rig.by(manager), accountId, keyId, 60, rig.secret());
    assert.deepEqual(await rotate(), refused);
    assert.deepEqual(await rig.listed(target), target, 'nothing has happened to the old key');

    // Neither other accounts nor the operator are affected.
    const another = await rig.key((await rig.account()).id);
    const theirs = rig.store.createKey(
      rig.by(another),
      another.accountId,
      ALL_RIGHTS,
      rig.secret(),
    );
    assert.ok('id' in (await theirs));

    rig.now = (until - 1n) as EpochNs;
    assert.deepEqual(await create(manager), refused);
    // The first two were created together, so two slots are free; then the third is 24 hours old.
    rig.now = until;
    assert.ok('created' in (await rotate()));
    assert.ok('id' in (await create(tests)));
    assert.deepEqual(await create(manager), { ...refused, until: until + SECOND_NS });
    assert.ok('id' in (await rig.key(accountId)));
  });

  test(`${adapter}: refusals of a day that are alike are one event with their number, by whichever process [SEC-40]`, async () => {
    const rig = await start();
    rig.now = (rig.now - (rig.now % DAY_NS) + DAY_NS) as EpochNs;
    const { id: accountId } = await rig.account();
    const [lesser, other] = [
      await rig.key(accountId, { scopes: ['keys'] }),
      await rig.key(accountId, { scopes: ['keys'] }),
    ];
    const target = await rig.key(accountId);
    const midnight = rig.now;
    for (let count = 0; count < 20; count += 1) {
      rig.pass(SECOND_NS);
      await rig.either(count).revokeKey(rig.by(lesser), accountId, target.id);
    }
    const last = rig.now;
    await rig.store.createKey(rig.by(lesser), accountId, ALL_RIGHTS, rig.secret());
    await rig.store.revokeKey(rig.by(other), accountId, target.id);
    rig.now = (midnight + DAY_NS) as EpochNs;
    await rig.store.revokeKey(rig.by(lesser), accountId, target.id);

    const told = await rig.store.audit({ accountId, limit: 100 });
    assert.equal(told.filter(({ count }) => count > 1).length, 1);
    const refusals = told.filter(({ kind }) => kind === 'key.management-refused');
    const seen = ({ actor, count, at, lastAt }: AuditEvent) => [actor, count, at, lastAt];
    assert.deepEqual(refusals.map(seen), [
      [lesser.id, 20, midnight + SECOND_NS, last],
      [lesser.id, 1, last, last],
      [other.id, 1, last, last],
      [lesser.id, 1, rig.now, rig.now],
    ]);
    const details = { operation: 'revoke', criterion: 'scopes' };
    assert.deepEqual(refusals[0]!.details, details);
    assert.equal(refusals[0]!.keyId, target.id);
    const since = await rig.other.audit({ accountId, since: last, limit: 100 });
    assert.deepEqual(since, refusals.slice(1));
  });

  test(`${adapter}: a key is found by its id in its account, also when it has ended, and in any for operators [SEC-06]`, async () => {
    const rig = await start();
    const [account, another] = [await rig.account(), await rig.account()];
    const key = await rig.key(account.id);
    assert.deepEqual(await rig.other.findKeyById(account.id, key.id), { key, account });
    assert.deepEqual(await rig.store.findKeyById(null, key.id), { key, account });
    assert.equal(await rig.store.findKeyById(another.id, key.id), null);
    assert.equal(await rig.store.findKeyById(account.id, 'key_none'), null);
    const revoked = await rig.store.revokeKey(rig.operator, account.id, key.id);
    rig.pass(400n * DAY_NS);
    assert.deepEqual(await rig.store.findKeyById(account.id, key.id), { key: revoked, account });
  });
}

/** A rejection that repeats unchanged. */
async function repeated(
  ask: () => Promise<object>,
): Promise<{ readonly refused: string; readonly [more: string]: unknown }> {
  const answers = [await ask(), await ask(), await ask()];
  for (const answer of answers) assert.deepEqual(answer, answers[0]);
  return answers[0] as { readonly refused: string };
}
