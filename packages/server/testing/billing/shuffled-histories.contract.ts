/**
 * Random histories of payments over a provider's rig: actions of buyers, banks, staff and time, with webhooks that are
 * lost, repeated, shuffled or late, and a provider that is temporarily unreachable. In the end, our state and the
 * rights must match the provider.
 */

import assert from 'node:assert/strict';
import { grantsOfPayment } from '@tapeloom/core/entitlement/payment';
import fc from 'fast-check';
import type { OrderRecord } from '../../src/accounts/orders/orders-store.ts';
import type { PaymentProvider, ProviderObject } from '../../src/billing/payment-provider.ts';
import { type OpenStore, PaymentsOverRig } from './payments-over-rig.ts';
import { DAY_MS, HOUR_MS, NEVER, type ProviderRig, type SentWebhook } from './provider-rig.ts';

/** About how many histories one order lives through. */
const GO_ON_MAX = 20;

type Act = (rig: ProviderRig, ref: string) => Promise<void>;

/** The provider rejects an impossible action, which then changes nothing. */
const ACTS: Readonly<Record<string, Act>> = {
  pay: (rig, ref) => rig.pay(ref),
  payAgain: (rig, ref) => rig.pay(ref),
  refundPart: (rig, ref) => rig.refund(ref, 100),
  refundAll: (rig, ref) => rig.refund(ref, null),
  dispute: (rig, ref) => rig.dispute(ref, 'open'),
  win: (rig, ref) => rig.dispute(ref, 'won'),
  lose: (rig, ref) => rig.dispute(ref, 'lost'),
  cancel: (rig, ref) => rig.provider.cancelAtPeriodEnd(ref, true, NEVER),
  keep: (rig, ref) => rig.provider.cancelAtPeriodEnd(ref, false, NEVER),
  end: (rig, ref) => rig.provider.cancelNow(ref, NEVER),
  close: (rig, ref) => rig.provider.closeCheckout(ref, NEVER),
  hour: (rig) => rig.pass(HOUR_MS),
  month: (rig) => rig.pass(31 * DAY_MS),
};

const history = fc.record({
  which: fc.constantFrom('subscription' as const, 'purchase' as const),
  acts: fc.array(fc.constantFrom(...Object.keys(ACTS)), { minLength: 1, maxLength: 3 }),
  /** After which action some webhooks already arrive. */
  begin: fc.nat({ max: 3 }),
  deliveries: fc.array(
    fc.record({ times: fc.integer({ min: 0, max: 2 }), place: fc.nat({ max: 1_000 }) }),
    { minLength: 4, maxLength: 4 },
  ),
  /** Repeats a webhook of an earlier history. */
  again: fc.nat({ max: 100_000 }),
  isAway: fc.constantFrom(false, false, false, true),
});

/** Webhooks in random order, each as often as it is delivered. */
function shuffled(
  webhooks: readonly SentWebhook[],
  deliveries: readonly { readonly times: number; readonly place: number }[],
): readonly SentWebhook[] {
  const all = webhooks.flatMap((webhook, index) => {
    const { times, place } = deliveries[index % deliveries.length]!;
    return Array.from({ length: times }, (_, time) => ({
      place: (place * (index + 1) * (time + 1)) % 997,
      webhook,
    }));
  });
  return all.sort((a, b) => a.place - b.place).map(({ webhook }) => webhook);
}

/** `.ci/long` runs more. */
const HISTORIES = 120;

/** Rejects with the first history whose end differs from the provider's state. */
export async function playHistories(
  open: () => Promise<ProviderRig>,
  numRuns = HISTORIES,
  openStore?: OpenStore,
): Promise<void> {
  await using rig = await open();
  const { provider, heard } = listening(rig.provider);
  await using over = await PaymentsOverRig.open(rig, { provider, openStore });
  // Stripe's SDK records a stack for each call; failures are reported without it.
  using _ = stackTraces(1);
  // A history continues the previous ones' order until it is final, with rights of another order beside it.
  const orders = new Map<string, OrderRecord>();
  let played = 0;
  await fc.assert(
    fc.asyncProperty(history, async ({ which, acts, begin, deliveries, again, isAway }) => {
      played += 1;
      const before = orders.get(which);
      // A final order would otherwise be played for ever.
      const isLeft = before !== undefined && played % GO_ON_MAX === 0;
      if (isLeft) await rig.provider.cancelNow(before.ref, NEVER);
      const order = await over.orderToGoOn(isLeft ? null : (before ?? null), which);
      orders.set(which, order);
      const first = (await rig.sent()).length;
      const deliver = async () => {
        const sent = await rig.sent();
        const fresh = sent.slice(first);
        const old = sent.length === 0 ? [] : [sent[again % sent.length]!];
        if (isAway) rig.reach('down');
        await over.receive(shuffled([...fresh, ...old], deliveries));
        rig.reach('up');
      };
      for (const [index, act] of acts.entries()) {
        await ACTS[act]!(rig, order.ref).catch(() => undefined);
        if (index === begin) await deliver();
      }
      await deliver();
      // Lost webhooks are made up for by polling, whose result is the provider's final state.
      heard.clear();
      const known = await over.payments.look(order);
      const { state, paidAt, paidUntil, cancelAtPeriodEnd } = heard.get(order.ref)!;
      assert.deepEqual(
        { state, paidAt, paidUntil, cancelAtPeriodEnd },
        {
          state: known.state,
          paidAt: known.paidAt,
          paidUntil: known.paidUntil,
          cancelAtPeriodEnd: known.cancelAtPeriodEnd,
        },
      );
      const { grants } = (await over.store.findAccount(order.accountId))!;
      const wanted = (await over.store.orders.ordersOf(order.accountId)).flatMap((one) =>
        grantsOfPayment(one.grants, one),
      );
      assert.deepEqual(grants.toSorted(byPlan), wanted.toSorted(byPlan));
    }),
    { numRuns },
  );
}

/** The same provider, recording its last response per payment. */
function listening(provider: PaymentProvider) {
  const heard = new Map<string, ProviderObject>();
  const fetch: PaymentProvider['fetch'] = async (ref, signal) => {
    const object = await provider.fetch(ref, signal);
    if (object !== null) heard.set(ref, object);
    return object;
  };
  const listened = new Proxy(provider, {
    get(target, name) {
      if (name === 'fetch') return fetch;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  return { provider: listened, heard };
}

function stackTraces(limit: number): Disposable {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = limit;
  return {
    [Symbol.dispose]: () => {
      Error.stackTraceLimit = stackTraceLimit;
    },
  };
}

function byPlan(a: { readonly plan: string }, b: { readonly plan: string }): number {
  return a.plan.localeCompare(b.plan);
}
