/** Nodes with different clocks and one order: the answer to the later query counts, whatever the clocks show. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../../simulation/clock/manual-clock.ts';
import { BillingRig } from '../../testing/billing/billing-rig.ts';

const SECOND_NS = 1_000_000_000n;

/** Two nodes, one clock ahead of the other, and an order at a provider without revisions. */
async function twoNodes(aheadNs: bigint) {
  const slow = await BillingRig.open();
  const { provider } = slow;
  provider.lie = (truth) => ({ ...truth, revision: null });
  const fast = BillingRig.over(slow.store, new ManualClock(slow.now), provider);
  fast.pass(aheadNs);
  const accountId = await slow.account();
  const order = await slow.order(accountId);
  return { slow, fast, provider, accountId, order };
}

/** The next answer is read at the provider now, and arrives when it is released. */
function held({ provider }: BillingRig) {
  const fetch = provider.fetch.bind(provider);
  const arrived = Promise.withResolvers<void>();
  const isRead = Promise.withResolvers<void>();
  provider.fetch = async (...asked) => {
    provider.fetch = fetch;
    const answer = await fetch(...asked);
    isRead.resolve();
    await arrived.promise;
    return answer;
  };
  return { isRead: isRead.promise, letGo: arrived.resolve };
}

test('an answer that was asked for later holds though the clock of its node is behind [SEC-29]', async () => {
  const { slow, fast, provider, accountId, order } = await twoNodes(3n * SECOND_NS);
  await using _ = slow;
  await fast.payments.look(order);
  provider.pay(order.ref, slow.now, 30);
  const answer = held(slow);
  const looking = slow.payments.look(order);
  await answer.isRead;
  // When it arrives, this node's clock has passed the time at which the other one sent its query.
  slow.pass(5n * SECOND_NS);
  answer.letGo();
  await looking;
  assert.equal((await slow.again(order)).state, 'paid');
  assert.equal(await slow.planOf(accountId), 'live');
});

test('an answer that was asked for earlier is not taken for the newer one though the clock of its node is ahead [SEC-29]', async () => {
  const { slow, fast, provider, accountId, order } = await twoNodes(30n * SECOND_NS);
  await using _ = slow;
  const answer = held(fast);
  const looking = fast.payments.look(order);
  await answer.isRead;
  provider.pay(order.ref, slow.now, 30);
  await slow.payments.look(order);
  assert.equal((await slow.again(order)).state, 'paid');
  answer.letGo();
  await looking;
  assert.equal((await slow.again(order)).state, 'paid');
  assert.equal(await slow.planOf(accountId), 'live');
});

test('an event that comes while another node asks is not settled by that answer, whatever the clocks show [SEC-29]', async () => {
  const { slow, fast, provider, order } = await twoNodes(30n * SECOND_NS);
  await using _ = slow;
  const answer = held(fast);
  const looking = fast.payments.look(order);
  await answer.isRead;
  const webhook = provider.pay(order.ref, slow.now, 30);
  // The receiving node dies before it queries the provider.
  const event = provider.readWebhook(webhook.headers, webhook.body)!;
  await slow.store.orders.receiveEvent(slow.now, { ...event, provider: 'test' });
  answer.letGo();
  await looking;
  assert.equal((await slow.store.orders.paymentCounts()).eventsPending, 1);
  await slow.payments.reconcile();
  assert.equal((await slow.store.orders.paymentCounts()).eventsPending, 0);
  assert.equal((await slow.again(order)).state, 'paid');
});
