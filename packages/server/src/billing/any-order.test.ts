import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grantsOfPayment } from '@tapeloom/core/entitlement/payment';
import type { EpochNs } from '@tapeloom/core/numbers';
import fc from 'fast-check';
import { BillingRig, DAY_NS } from '../../testing/billing/billing-rig.ts';
import type { SentWebhook } from '../../testing/billing/scripted-provider.ts';

const SHUFFLES = 400;

const change = fc.record({
  state: fc.constantFrom(
    'paid' as const,
    'past_due' as const,
    'cancelled' as const,
    'refunded' as const,
    'disputed' as const,
    'ended' as const,
  ),
  days: fc.integer({ min: 1, max: 60 }),
  cancelAtPeriodEnd: fc.boolean(),
});

/** The fate of a webhook: it is lost, or arrives once or twice, at a random position. */
const delivery = fc.record({ times: fc.integer({ min: 0, max: 2 }), place: fc.nat() });

const history = fc.record({
  which: fc.constantFrom(0, 1),
  changes: fc.array(change, { minLength: 1, maxLength: 2 }),
  deliveries: fc.array(delivery, { minLength: 3, maxLength: 3 }),
  /** A webhook of an earlier history arrives again. */
  again: fc.nat(),
  /** How many changes the provider's answers lag behind, one after the other. */
  lags: fc.array(fc.nat({ max: 3 }), { minLength: 4, maxLength: 4 }),
  /** Some arrive right after this change, and some of those again at the end. */
  begin: fc.nat({ max: 5 }),
});

/** Webhooks in a random order, with their repetitions. */
function shuffled(
  webhooks: readonly SentWebhook[],
  deliveries: readonly { readonly times: number; readonly place: number }[],
): readonly SentWebhook[] {
  const all = webhooks.flatMap((webhook, index) => {
    const { times, place } = deliveries[index]!;
    return Array.from({ length: times }, (_, time) => ({ place: place * (time + 1), webhook }));
  });
  return all.sort((a, b) => a.place - b.place).map(({ webhook }) => webhook);
}

async function shuffle(): Promise<void> {
  await using rig = await BillingRig.open();
  const account = await rig.account();
  // Every history continues with one of two orders, so that rights of the other exist beside it.
  const orders = [
    await rig.order(account, { offer: 'live' }),
    await rig.order(account, { offer: 'history' }),
  ];
  await fc.assert(
    fc.asyncProperty(history, async ({ which, changes, deliveries, lags, begin, again }) => {
      const order = orders[which]!;
      const isLive = order.kind === 'subscription';
      const said = [rig.provider.object(order.ref)];
      let asked = 0;
      rig.provider.lie = (truth) => {
        asked += 1;
        return said.at(-1 - lags[asked % lags.length]!) ?? truth;
      };
      const { sent } = rig.provider;
      const webhooks = sent.length === 0 ? [] : [sent[again % sent.length]!];
      const deliver = async (sent: readonly SentWebhook[]) => {
        await Promise.all(
          shuffled(sent, deliveries).map(({ headers, body }) =>
            rig.payments.receive('test', headers, body),
          ),
        );
        await rig.payments.idle();
      };
      for (const [index, { state, days, cancelAtPeriodEnd }] of changes.entries()) {
        const paidUntil = (rig.now + BigInt(days) * DAY_NS) as EpochNs;
        const webhook = rig.provider.change(order.ref, {
          state: isLive || state === 'refunded' || state === 'disputed' ? state : 'paid',
          paidAt: rig.now,
          paidUntil: isLive ? paidUntil : null,
          cancelAtPeriodEnd: isLive && cancelAtPeriodEnd,
        });
        said.push(rig.provider.object(order.ref));
        webhooks.push(webhook);
        if (index === begin) await deliver(webhooks);
      }
      await deliver(webhooks);
      // The provider is up to date again, and is queried in time about lost webhooks.
      rig.provider.lie = null;
      const last = rig.provider.object(order.ref).revision!;
      let known = await rig.again(order);
      if (known.revision < last) known = await rig.payments.look(order);
      assert.equal(known.revision, last);
      const { grants } = (await rig.store.findAccount(account))!;
      const wanted = orders.flatMap(({ ref, grants: plans }) =>
        grantsOfPayment(plans, rig.provider.object(ref)),
      );
      assert.deepEqual(grants.toSorted(byPlan), wanted.toSorted(byPlan));
    }),
    { numRuns: SHUFFLES },
  );
}

test(
  'histories with webhooks shuffled, repeated and lost, and answers out of date, end in the rights of what the provider says last [SEC-29]',
  shuffle,
);

function byPlan(a: { readonly plan: string }, b: { readonly plan: string }): number {
  return a.plan.localeCompare(b.plan);
}
