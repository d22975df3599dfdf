import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Payment } from '@tapeloom/core/entitlement/payment';
import type { EpochNs } from '@tapeloom/core/numbers';
import { sql } from 'kysely';
import { START } from '../../../testing/accounts/store/account-store-rig.ts';
import { openSqlAccountStore } from '../store/sql-account-store.ts';
import { openSqliteDatabase } from '../store/sqlite/sqlite-database.ts';
import type { Ask } from './orders-store.ts';

const TERMS = {
  id: 'ord_1',
  offer: 'live',
  grants: ['live'],
  kind: 'subscription',
  amountMinor: 7_900,
  currency: 'EUR',
  country: 'DE',
  provider: 'test',
  ref: 'ref_1',
  url: 'https://pay.example/ref_1',
  taxIncluded: true,
  waiverVersion: '2',
  withdrawal: { days: 14, lostAt: 'never', refund: 'rest' },
} as const;
const CONSENT = { text: 'the waiver', address: '192.0.2.7' };
const NOBODY = {
  via: 'operator',
  address: null,
  sessionId: null,
  offerName: 'Live',
  name: null,
  email: null,
} as const;
const OPERATOR = { now: START, actor: { kind: 'operator' } } as const;
const OWNER = { now: START, actor: { kind: 'owner' }, sessionId: 'ses_1' } as const;

async function openStore() {
  const database = openSqliteDatabase(':memory:');
  const store = await openSqlAccountStore(database);
  const account = await store.createAccount(OPERATOR, { name: 'a', grants: [] });
  assert.ok('id' in account);
  return { database, store, accountId: account.id };
}

test('the database itself refuses to change or remove a consent or the text it is about [SEC-30]', async () => {
  const { database, store, accountId } = await openStore();
  await using _ = store;
  await store.orders.placeOrder(OWNER, accountId, TERMS, CONSENT);
  const before = await store.orders.consentsOf(accountId);
  assert.equal(before.length, 1);
  for (const table of ['consents', 'waiver_texts']) {
    const changes = [
      `delete from ${table}`,
      table === 'consents'
        ? `update consents set address = ''`
        : `update waiver_texts set text = ''`,
    ];
    for (const change of changes) {
      const refused = /can only grow|are kept until the years after their account's deletion/;
      await assert.rejects(sql.raw(change).execute(database.kysely), refused);
    }
  }
  assert.deepEqual(await store.orders.consentsOf(accountId), before);
});

test('an order and its consent are placed together or not at all [SEC-30]', async () => {
  const { store, accountId } = await openStore();
  await using _ = store;
  await store.orders.placeOrder(OWNER, accountId, TERMS, CONSENT);
  // The provider's reference is taken: the second leaves no row, no consent and no audit event.
  const later = { ...OWNER, now: (START + 120_000_000_000n) as EpochNs };
  const second = { ...TERMS, id: 'ord_2' };
  await assert.rejects(store.orders.placeOrder(later, accountId, second, CONSENT));
  assert.equal((await store.orders.ordersOf(accountId)).length, 1);
  assert.equal((await store.orders.consentsOf(accountId)).length, 1);
  const told = await store.audit({ accountId, limit: 10 });
  assert.deepEqual(
    told.map(({ kind }) => kind),
    ['account.created', 'order.placed'],
  );
  const refused = await store.orders.placeOrder(OWNER, 'acc_none', second, CONSENT);
  assert.deepEqual(refused, { refused: 'no-account' });
});

test('what is heard, what it grants and the events it settles are written together; the older is never taken for the newer [SEC-29]', async () => {
  const { store, accountId } = await openStore();
  await using _ = store;
  await store.orders.placeOrder(OWNER, accountId, TERMS, CONSENT);
  const event = { provider: 'test', objectRef: 'ref_1', at: START };
  assert.equal(await store.orders.receiveEvent(START, { ...event, id: 'one' }), true);
  assert.equal(await store.orders.receiveEvent(START, { ...event, id: 'one' }), false);
  const ask = await store.orders.beginAsk(TERMS);
  // By a clock that is behind.
  const late = (START - 1n) as EpochNs;
  await store.orders.receiveEvent(late, { ...event, id: 'later' });
  const paidUntil = (START + 10n) as EpochNs;
  const payment = {
    kind: 'subscription',
    state: 'paid',
    paidAt: START,
    paidUntil,
    cancelAtPeriodEnd: false,
  } as const;
  const hear = (revision: number, state: 'paid' | 'refunded') =>
    store.orders.hearPayment(
      { now: START, actor: { kind: 'billing' } },
      {
        provider: 'test',
        ref: 'ref_1',
        payment: { ...payment, state },
        revision,
        grants: state === 'paid' ? [{ plan: 'live', until: paidUntil }] : [],
        ask,
        lookAt: null,
      },
    );
  const grants = async () => (await store.findAccount(accountId))?.grants;
  assert.equal((await hear(5, 'paid'))?.isNew, true);
  assert.deepEqual(await grants(), [{ plan: 'live', until: paidUntil }]);
  const states = await store.orders.eventsOf(TERMS);
  assert.deepEqual(
    states.map(({ id, state }) => [id, state]),
    [
      ['one', 'done'],
      ['later', 'pending'],
    ],
    'what came while the provider was asked is not settled by its answer',
  );
  for (const revision of [5, 4, 0]) {
    assert.equal((await hear(revision, 'refunded'))?.isNew, false);
    assert.deepEqual(await grants(), [{ plan: 'live', until: paidUntil }]);
  }
  assert.equal((await hear(6, 'refunded'))?.order.state, 'refunded');
  assert.deepEqual(await grants(), []);
  assert.equal((await store.orders.paymentCounts()).eventsPending, 1);
});

test('of answers without a revision the one that was asked for last holds, in whatever order they come and whatever the clock shows [SEC-29]', async () => {
  const { store, accountId } = await openStore();
  await using _ = store;
  await store.orders.placeOrder(OWNER, accountId, TERMS, CONSENT);
  const payment = {
    kind: 'subscription',
    state: 'open',
    paidAt: null,
    paidUntil: null,
    cancelAtPeriodEnd: false,
  } as const;
  const hear = (at: bigint, ask: Ask, heard: Payment) => {
    const now = at as EpochNs;
    const said = { provider: 'test', ref: 'ref_1', payment: heard, revision: null, grants: [] };
    const call = { now, actor: { kind: 'billing' } } as const;
    return store.orders.hearPayment(call, { ...said, ask, lookAt: null });
  };
  const [first, second, third] = [
    await store.orders.beginAsk(TERMS),
    await store.orders.beginAsk(TERMS),
    await store.orders.beginAsk(TERMS),
  ];
  const paid = { ...payment, state: 'paid', paidAt: START, paidUntil: START } as const;
  await hear(START + 86_400_000_000_000n, first, payment);
  assert.equal((await hear(START + 1n, third, paid))?.order.state, 'paid');
  assert.equal((await hear(START + 99n, second, payment))?.order.state, 'paid');
  // As after a restore: this number has not been issued yet, and will belong to another query.
  const foreign = { number: 9, events: [] };
  assert.equal((await hear(START + 100n, foreign, payment))?.isNew, false);
  const next = await store.orders.beginAsk(TERMS);
  assert.equal((await hear(START, next, payment))?.order.state, 'open');
});

test('what a clock ahead has put off or placed is due, and keeps nobody from ordering, once the clock is right', async () => {
  const { store, accountId } = await openStore();
  await using _ = store;
  const ahead = (START + 86_400_000_000_000n) as EpochNs;
  const order = await store.orders.placeOrder({ ...OWNER, now: ahead }, accountId, TERMS, CONSENT);
  assert.ok('id' in order);
  const question = { offer: 'live', grants: ['live'], provider: 'test', country: 'DE' } as const;
  assert.equal(await store.orders.judgeCheckout(START, accountId, question), null);
  const afterADay = (ahead + 86_400_000_000_000n) as EpochNs;
  await store.orders.lookAgain(order, afterADay);
  assert.equal((await store.orders.dueOrders(START, 10)).length, 1);
  assert.equal((await store.orders.dueOrders(ahead, 10)).length, 0, 'as it was meant');
  const event = { provider: 'test', id: 'one', objectRef: 'ref_1', at: START };
  await store.orders.receiveEvent(ahead, event);
  assert.equal((await store.orders.dueEvents(START, 10)).length, 1);
  await store.orders.noteListing({
    provider: 'test',
    listedUntil: START,
    listedAt: ahead,
    listAt: ahead,
  });
  assert.equal((await store.orders.dueListings(START)).length, 1);
  const declared = await store.withdrawals.declare(
    { ...OPERATOR, now: ahead },
    { accountId, orderId: order.id, ...NOBODY },
  );
  assert.ok('isNew' in declared);
  assert.equal((await store.withdrawals.dueWithdrawals(START, 10)).length, 1);
});
