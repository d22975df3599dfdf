/**
 * What every adapter of the account store must do. `create` returns two handles on one empty store, which all tests
 * share. An adapter runs the whole suite, and adds only what concerns its own technology.
 */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { AccountChange } from '../../../src/accounts/store/account-store.ts';
import { testKeyLists } from '../keys/account-key-lists.contract.ts';
import { testKeyManagement } from '../keys/account-key-management.contract.ts';
import { testKeys } from '../keys/account-keys.contract.ts';
import { testSessionTokens } from '../keys/account-session-tokens.contract.ts';
import { testLayouts } from '../layouts/account-layouts.contract.ts';
import { testMails } from '../mails/account-mails.contract.ts';
import { testPasskeys } from '../people/account-passkeys.contract.ts';
import { testPeople } from '../people/account-people.contract.ts';
import { testStatus } from '../status/account-status.contract.ts';
import { testBudgets } from '../usage/account-budgets.contract.ts';
import { testUseByKey } from '../usage/account-test-keys.contract.ts';
import { testUsageReports } from '../usage/account-usage.contract.ts';
import { testOnce } from './account-once.contract.ts';
import { ALL_RIGHTS, START, type StorePair, StoreRig } from './account-store-rig.ts';
import { testWrongClock } from './account-wrong-clock.contract.ts';

export function testAccountStore(adapter: string, create: () => Promise<StorePair>): void {
  let pair: Promise<StorePair> | null = null;
  const start = async () => {
    pair ??= create();
    return new StoreRig(await pair);
  };
  after(async () => (await pair)?.[Symbol.asyncDispose]());
  testAccounts(adapter, start);
  testAudit(adapter, start);
  testChanges(adapter, start);
  testKeys(adapter, start);
  testKeyManagement(adapter, start);
  testBudgets(adapter, start);
  testUseByKey(adapter, start);
  testUsageReports(adapter, start);
  testSessionTokens(adapter, start);
  testPeople(adapter, start);
  testPasskeys(adapter, start);
  testLayouts(adapter, start);
  testMails(adapter, start);
  testStatus(adapter, start);
  testOnce(adapter, start);
  testWrongClock(adapter, start);
  testKeyLists(adapter, start);
}

function testAccounts(adapter: string, start: () => Promise<StoreRig>): void {
  test(`${adapter}: an account is found by id and by name, with its grants to the nanosecond`, async () => {
    const rig = await start();
    const grants = [
      { plan: 'history', until: null },
      { plan: 'live', until: rig.later(1n) },
      { plan: 'live', until: (2n ** 62n) as EpochNs },
    ] as const;
    const account = await rig.account(grants);
    assert.deepEqual(
      { ...account, id: '' },
      { id: '', name: account.name, createdAt: START, suspendedAt: null, grants },
    );
    assert.match(account.id, /^acc_[0-9a-z]{16,}$/);
    for (const store of [rig.store, rig.other]) {
      assert.deepEqual(await store.findAccount(account.id), account);
      assert.deepEqual(await store.findAccount(account.name), account);
      assert.equal(await store.findAccount('nobody'), null);
    }
  });

  test(`${adapter}: a name is taken once, also by two at a time, and an id goes before a name`, async () => {
    const rig = await start();
    const wanted = { name: rig.unique('the same'), grants: [] };
    const made = await Promise.all(
      [0, 1, 2, 3].map((index) => rig.either(index).createAccount(rig.operator, wanted)),
    );
    assert.equal(made.filter((one) => 'refused' in one && one.refused === 'name-taken').length, 3);
    const first = made.find((one) => 'id' in one)!;
    assert.ok('id' in first);
    await rig.store.createAccount(rig.operator, { name: first.id, grants: [] });
    assert.deepEqual(await rig.store.findAccount(first.id), first);
    const told = await rig.store.audit({ accountId: first.id, limit: 10 });
    assert.equal(told.length, 1);
  });

  test(`${adapter}: accounts are listed in the order they were made`, async () => {
    const rig = await start();
    const made = [];
    for (const plan of ['live', 'history'] as const) {
      made.push(await rig.account([{ plan, until: null }]));
      rig.pass(1n);
    }
    const ids = made.map(({ id }) => id);
    const listed = (await rig.other.listAccounts()).filter(({ id }) => ids.includes(id));
    assert.deepEqual(listed, made);
  });

  test(`${adapter}: grants are replaced as a whole`, async () => {
    const rig = await start();
    const account = await rig.account([{ plan: 'live', until: null }]);
    const grants = [{ plan: 'history', until: rig.later(9n) }] as const;
    assert.deepEqual(await rig.store.setGrants(rig.operator, account.id, grants), {
      ...account,
      grants,
    });
    assert.deepEqual((await rig.other.findAccount(account.id))?.grants, grants);
    assert.deepEqual((await rig.store.setGrants(rig.operator, account.id, []))?.grants, []);
    assert.equal(await rig.store.setGrants(rig.operator, 'acc_none', grants), null);
  });

  test(`${adapter}: an account is suspended and resumed; saying it twice changes nothing`, async () => {
    const rig = await start();
    const account = await rig.account();
    const suspended = { ...account, suspendedAt: rig.now };
    assert.deepEqual(await rig.store.setSuspended(rig.operator, account.id, true), suspended);
    rig.pass(5n);
    assert.deepEqual(await rig.store.setSuspended(rig.operator, account.id, true), suspended);
    assert.deepEqual(await rig.other.findAccount(account.id), suspended);
    assert.deepEqual(await rig.store.setSuspended(rig.operator, account.id, false), account);
    assert.equal(await rig.store.setSuspended(rig.operator, 'acc_none', true), null);
    const told = await rig.store.audit({ accountId: account.id, limit: 10 });
    const kinds = told.map(({ kind }) => kind);
    assert.deepEqual(kinds, ['account.created', 'account.suspended', 'account.resumed']);
  });
}

function testAudit(adapter: string, start: () => Promise<StoreRig>): void {
  test(`${adapter}: everything that was done stands in the audit log, and nothing that was not`, async () => {
    const rig = await start();
    const account = await rig.account([{ plan: 'live', until: null }]);
    const key = await rig.key(account.id);
    const lesser = await rig.key(account.id, { scopes: ['keys'] });
    rig.pass(7n);
    await rig.store.rotateKey(rig.by(key), account.id, key.id, 60, rig.secret());
    await rig.store.rotateKey(rig.by(key), account.id, key.id, 60, rig.secret());
    await rig.store.revokeKey(rig.by(lesser), account.id, key.id);
    await rig.store.revokeKey(rig.operator, account.id, 'key_none');
    await rig.store.revokeKey(rig.operator, account.id, lesser.id);
    await rig.store.revokeKey(rig.operator, account.id, lesser.id);
    await rig.store.setGrants(rig.operator, account.id, [{ plan: 'history', until: null }]);

    const events = await rig.other.audit({ accountId: account.id, limit: 100 });
    assert.deepEqual(
      events.map(({ kind, keyId, actor }) => [kind, keyId, actor]),
      [
        ['account.created', null, 'operator'],
        ['key.created', key.id, 'operator'],
        ['key.created', lesser.id, 'operator'],
        ['key.rotated', key.id, key.id],
        ['key.management-refused', key.id, lesser.id],
        ['key.revoked', lesser.id, 'operator'],
        ['account.plan-changed', null, 'operator'],
      ],
    );
    assert.deepEqual(events[4]!.details, { operation: 'revoke', criterion: 'scopes' });
    const { before, after } = events[6]!.details;
    assert.deepEqual([before, after], ['live', 'history']);
    assert.deepEqual([events[0]!.at, events[6]!.at], [START, rig.now]);
    const numbers = events.map(({ sequence }) => sequence);
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
    );
  });

  test(`${adapter}: the audit log is read by account, from a number on, and from its end`, async () => {
    const rig = await start();
    const accounts = [await rig.account(), await rig.account(), await rig.account()];
    const [newest] = await rig.store.audit({ limit: 1, newestFirst: true });
    const after = newest!.sequence - accounts.length;
    const all = await rig.store.audit({ limit: 100, after });
    assert.deepEqual(
      all.map(({ accountId }) => accountId),
      accounts.map(({ id }) => id),
    );
    assert.deepEqual(all.at(-1), newest);
    assert.deepEqual(await rig.store.audit({ limit: 2, after }), all.slice(0, 2));
    assert.deepEqual(await rig.store.audit({ limit: 2, newestFirst: true }), [all[2], all[1]]);
    assert.deepEqual(await rig.store.audit({ limit: 9, after: after + 1 }), all.slice(1));
    const own = { limit: 9, accountId: accounts[1]!.id };
    assert.deepEqual(await rig.store.audit(own), [all[1]]);
    assert.deepEqual(await rig.store.audit({ ...own, after: all[1]!.sequence }), []);
  });

  test(`${adapter}: no digest of a secret is in the audit log`, async () => {
    const rig = await start();
    const account = await rig.account();
    const [first, second] = [rig.secret(), rig.secret()];
    const key = await rig.store.createKey(rig.operator, account.id, ALL_RIGHTS, first);
    assert.ok('id' in key);
    await rig.store.rotateKey(rig.operator, account.id, key.id, 0, second);
    const log = await rig.store.audit({ accountId: account.id, limit: 100 });
    const text = JSON.stringify(log, (_, value) =>
      typeof value === 'bigint' ? `${value}` : value,
    );
    for (const { hash } of [first, second]) assert.ok(!text.includes(hash));
  });
}

function testChanges(adapter: string, start: () => Promise<StoreRig>): void {
  test(`${adapter}: a change is heard here before its call resolves, a refusal is none`, async () => {
    const rig = await start();
    const heard: AccountChange[] = [];
    const hearing = rig.store.onChange((change) => heard.push(change));
    const account = await rig.account();
    const accountId = account.id;
    const hears = (...expected: AccountChange[]) => {
      // Changes by other tests through the other handle may still arrive here.
      const own = heard.splice(0).filter((change) => change.accountId === accountId);
      assert.deepEqual(own, expected);
    };
    hears({ accountId, keyId: null, kind: 'account.created' });
    const key = await rig.key(accountId, { scopes: ['keys'] });
    hears({ accountId, keyId: key.id, kind: 'key.created' });
    await rig.store.createKey(rig.by(key), accountId, ALL_RIGHTS, rig.secret());
    await rig.store.createAccount(rig.operator, { name: account.name, grants: [] });
    hears();
    await rig.store.rotateKey(rig.operator, accountId, key.id, 60, rig.secret());
    hears({ accountId, keyId: key.id, kind: 'key.rotated' });
    await rig.store.revokeKey(rig.operator, accountId, key.id);
    hears({ accountId, keyId: key.id, kind: 'key.revoked' });
    await rig.store.setGrants(rig.operator, accountId, []);
    hears({ accountId, keyId: null, kind: 'account.plan-changed' });
    await rig.store.setSuspended(rig.operator, accountId, true);
    hears({ accountId, keyId: null, kind: 'account.suspended' });
    hearing[Symbol.dispose]();
    await rig.store.setSuspended(rig.operator, accountId, false);
    hears();
  });

  test(`${adapter}: what others change is heard as well, and every change once`, async () => {
    const rig = await start();
    const accounts = [await rig.account(), await rig.account()];
    const heard: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const [mine, theirs] = accounts.map(({ id }) => id);
    using _ = rig.store.onChange(({ accountId, kind }) => {
      if (accountId !== mine && accountId !== theirs) return;
      heard.push(`${accountId} ${kind}`);
      if (kind === 'account.suspended') resolve();
    });
    // Both write in turn, so that their events alternate in the log.
    for (let round = 0; round < 5; round += 1) {
      await Promise.all([
        rig.store.setGrants(rig.operator, mine!, []),
        rig.other.setGrants(rig.operator, theirs!, []),
      ]);
    }
    await rig.other.setSuspended(rig.operator, theirs!, true);
    await promise;
    const expected = [
      ...Array.from({ length: 5 }, () => `${mine} account.plan-changed`),
      ...Array.from({ length: 5 }, () => `${theirs} account.plan-changed`),
      `${theirs} account.suspended`,
    ];
    assert.deepEqual(heard.filter((one) => !one.endsWith('created')).sort(), expected.sort());
  });
}
