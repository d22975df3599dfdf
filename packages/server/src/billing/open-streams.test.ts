import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { BillingRig } from '../../testing/billing/billing-rig.ts';
import { AccountStream } from '../../testing/stream/account-stream.ts';
import { subscribe } from '../../testing/stream/stream-client.ts';

test('what is paid, refunded or over changes the rights of a stream that is open', async () => {
  await using desk = await AccountStream.start();
  const rig = BillingRig.over(desk.accounts.store, desk.clock);
  const key = await desk.key('sandbox');
  const { accountId } = key.record;
  using client = await desk.open(key);
  client.send(subscribe('a'));
  await client.find('snapshot');
  /** The delay of the stream after the reset that the change causes. */
  const delayAfter = async (change: () => Promise<unknown>) => {
    const start = client.messages.length;
    await change();
    const isNew = (message: (typeof client.messages)[number]) =>
      client.messages.indexOf(message) >= start;
    const reset = await client.find('reset', isNew);
    assert.equal(reset.reason, 'entitlement_changed');
    const { topic } = await client.find('subscribed', isNew);
    return Number(/delaySeconds=(\d+)/.exec(topic)?.[1] ?? 0);
  };
  const { ref } = await rig.order(accountId);
  assert.equal(await delayAfter(() => rig.deliver(rig.provider.pay(ref, rig.now, 30))), 0);
  const refunded = () => rig.deliver(rig.provider.change(ref, { state: 'refunded' }));
  assert.equal(await delayAfter(refunded), 600);
  const won = () => rig.deliver(rig.provider.change(ref, { state: 'paid' }));
  assert.equal(await delayAfter(won), 0);
  // Cancelled, with two seconds left: no further event arrives, and it ends by itself.
  const paidUntil = (rig.now + 2_000_000_000n) as EpochNs;
  const ending = rig.provider.change(ref, { paidUntil, cancelAtPeriodEnd: true });
  const ended = async () => {
    await rig.deliver(ending);
    await desk.stream.pass(2_500);
  };
  assert.equal(await delayAfter(ended), 600);
});
