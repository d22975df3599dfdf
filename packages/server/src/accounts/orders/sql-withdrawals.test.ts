import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { sql } from 'kysely';
import { DELETION_GRACE_NS } from '../people/people-store.ts';
import { openSqlAccountStore } from '../store/sql-account-store.ts';
import { openSqliteDatabase } from '../store/sqlite/sqlite-database.ts';

const START = 1_790_000_000_123_456_789n as EpochNs;
const OPERATOR = { now: START, actor: { kind: 'operator' } } as const;
const OWNER = { now: START, actor: { kind: 'owner' }, sessionId: 'ses_1' } as const;
const CONSENT = { text: 'the waiver', address: '192.0.2.7' };
const TERMS = {
  offer: 'live',
  grants: ['live'],
  kind: 'subscription',
  amountMinor: 7_900,
  currency: 'EUR',
  country: 'DE',
  provider: 'test',
  url: 'https://pay.example/ref',
  taxIncluded: true,
  waiverVersion: '2',
  withdrawal: { days: 14, lostAt: 'never', refund: 'rest' },
} as const;

async function openStore() {
  const database = openSqliteDatabase(':memory:');
  const store = await openSqlAccountStore(database);
  const buy = async (name: string) => {
    const account = await store.createAccount(OPERATOR, { name, grants: [] });
    assert.ok('id' in account);
    const ids = { id: `ord_${name}`, ref: `ref_${name}` };
    await store.orders.placeOrder(OWNER, account.id, { ...TERMS, ...ids }, CONSENT);
    const wish = { accountId: account.id, orderId: ids.id, sessionId: 'ses_1', name: null };
    const declaration = { via: 'portal', address: '192.0.2.9', email: 'ada@example.com' } as const;
    const declared = await store.withdrawals.declare(OWNER, {
      ...wish,
      ...declaration,
      offerName: 'Live',
    });
    assert.ok('isNew' in declared && declared.isNew);
    return { accountId: account.id, order: declared.order };
  };
  return { database, store, buy };
}

test('the database itself refuses to change what was declared or decided, and to remove it [SEC-30]', async () => {
  const { database, store, buy } = await openStore();
  await using _ = store;
  const { order } = await buy('ada');
  const refund = { chargeId: 'ch_1', beforeMinor: 0, minor: 500 };
  await store.withdrawals.noteProgress(
    { orderId: order.id, taken: 0 },
    { refund, heldUntil: START },
  );
  const before = await store.withdrawals.withdrawalOf(order);
  for (const change of [
    'update withdrawals set at = 1',
    `update withdrawals set statement = 'nothing'`,
    'update withdrawals set amount_minor = 0',
    'update withdrawals set refund_minor = 1',
    'update withdrawals set refund_minor = null',
    'delete from withdrawals',
    'delete from consents',
    'delete from orders',
  ]) {
    await assert.rejects(sql.raw(change).execute(database.kysely), /kept|keep/, change);
  }
  assert.deepEqual(await store.withdrawals.withdrawalOf(order), before);
});

test('what was declared is kept in words with its exact time, and its digest', async () => {
  const { store, buy } = await openStore();
  await using _ = store;
  const { order } = await buy('ada');
  const withdrawal = await store.withdrawals.withdrawalOf(order);
  assert.equal(
    withdrawal?.statement,
    [
      'I withdraw from my contract for Live.',
      '',
      'Order: ord_ada',
      'Ordered: 2026-09-21 14:13:20.123 UTC',
      'E-mail: ada@example.com',
      'Declared: 2026-09-21 14:13:20.123 UTC',
    ].join('\n'),
  );
  assert.match(withdrawal.statementSha256, /^[0-9a-f]{64}$/);
});

test('orders, consents and withdrawals go only when their account was deleted before the years that are kept', async () => {
  const { store, buy } = await openStore();
  await using _ = store;
  const ada = await buy('ada');
  const bob = await buy('bob');
  const leaving = await store.people.askDeletion(OWNER, ada.accountId, null);
  assert.ok('dueAt' in leaving);
  const deletedAt = (START + DELETION_GRACE_NS) as EpochNs;
  const call = { now: deletedAt, actor: { kind: 'owner' } } as const;
  await store.people.deleteAccount(call, ada.accountId);
  const after = (await store.orders.findOrder(null, ada.order.id))!;
  assert.equal(after.url, '', 'what nobody needs any more goes with the account');
  assert.equal(await store.withdrawals.forgetOrders(deletedAt, 10), 0, 'not older than that');
  assert.equal((await store.orders.consentsOf(ada.accountId)).length, 1);
  const later = (deletedAt + 1n) as EpochNs;
  assert.equal(await store.withdrawals.forgetOrders(later, 10), 1);
  assert.equal(await store.withdrawals.forgetOrders(later, 10), 0);
  assert.deepEqual(await store.orders.ordersOf(ada.accountId), []);
  assert.deepEqual(await store.orders.consentsOf(ada.accountId), []);
  assert.deepEqual(await store.withdrawals.withdrawalsOf(ada.accountId), []);
  assert.equal((await store.orders.ordersOf(bob.accountId)).length, 1);
  assert.equal((await store.withdrawals.withdrawalsOf(bob.accountId)).length, 1);
});
