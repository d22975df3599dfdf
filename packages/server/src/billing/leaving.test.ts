import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BillingRig, DAY_NS, MINUTE_NS } from '../../testing/billing/billing-rig.ts';
import { createLog } from '../platform/log/log.ts';
import { Leaving } from './leaving.ts';
import { forgetOldOrders } from './order-retention.ts';

const log = createLog({ level: 'silent', readable: true, write: () => undefined });

test('whoever asks for the deletion of an account is not charged again before it is done', async () => {
  await using rig = await BillingRig.open();
  const { store, billing, clock, provider } = rig;
  const leaving = new Leaving({ store, billing, clock, log });
  const [ada, bob] = [await rig.account(), await rig.account()];
  const order = await rig.bought(ada);
  const other = await rig.bought(bob);
  await leaving.look();
  assert.equal(provider.object(order.ref).cancelAtPeriodEnd, false);
  await store.people.askDeletion({ now: rig.now, actor: { kind: 'owner' } }, ada, null);
  provider.trouble = 'down';
  await leaving.look();
  provider.trouble = 'none';
  const calls = provider.calls.length;
  await leaving.look();
  assert.equal(provider.calls.length, calls, 'a provider that is down is left alone for a minute');
  rig.pass(MINUTE_NS);
  await leaving.look();
  assert.equal(provider.object(order.ref).cancelAtPeriodEnd, true);
  assert.equal(provider.object(other.ref).cancelAtPeriodEnd, false, 'nobody else is touched');
  assert.equal(await rig.planOf(ada), 'live', 'what is paid for stays until then');
  await leaving.look();
  await store.people.withdrawDeletion({ now: rig.now, actor: { kind: 'owner' } }, ada);
  const kept = await billing.setCancelled(ada, order.id, false);
  assert.ok('id' in kept && !kept.cancelAtPeriodEnd, 'who stays can have it renew again');
  await leaving.look();
  assert.equal(provider.object(order.ref).cancelAtPeriodEnd, false);
});

test('orders of a deleted account go when the operator’s years have passed, in steps, and not before', async () => {
  await using rig = await BillingRig.open();
  const { store, clock } = rig;
  const ada = await rig.account();
  for (let count = 0; count < 19; count += 1) {
    await rig.order(ada, { offer: 'history' });
    rig.pass(2n * MINUTE_NS);
  }
  await store.people.askDeletion({ now: rig.now, actor: { kind: 'owner' } }, ada, null);
  rig.pass(14n * DAY_NS);
  await store.people.deleteAccount({ now: rig.now, actor: { kind: 'owner' } }, ada);
  const forget = () => forgetOldOrders({ store, clock, log, years: 10 });
  rig.pass(3_652n * DAY_NS);
  assert.equal(await forget(), 0);
  assert.equal((await store.orders.ordersOf(ada)).length, 19);
  rig.pass(9n * DAY_NS);
  assert.equal(await forget(), 19);
  assert.deepEqual(await store.orders.ordersOf(ada), []);
  assert.deepEqual(await store.orders.consentsOf(ada), []);
});
