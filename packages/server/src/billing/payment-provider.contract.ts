/**
 * What every adapter of the payment port must do. The rig plays what happens at the provider: the buyer on its
 * page, time that passes, and the ways in which it cannot be reached.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import {
  type CheckoutStart,
  type PaymentProvider,
  type ProviderObject,
  UpstreamError,
  type WebhookHeaders,
} from './payment-provider.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;

export interface SentWebhook {
  readonly headers: WebhookHeaders;
  readonly body: Uint8Array;
}

export interface ProviderRig extends AsyncDisposable {
  readonly provider: PaymentProvider;
  now(): EpochNs;
  /** Time passes, and the provider does what it does by itself meanwhile. */
  pass(ms: number): Promise<void>;
  /** The buyer pays, and the bank says yes at once. */
  pay(ref: string): Promise<void>;
  /** A webhook is refused this many times before it is taken. */
  refuseWebhooks(times: number): void;
  /** All that the provider has sent, the refused ones too. */
  sent(): Promise<readonly SentWebhook[]>;
  /** `down`: it cannot be reached, or says that it failed. `silent`: it does not answer. */
  reach(reach: 'up' | 'down' | 'silent'): void;
  /** Another customer of the same provider. */
  other(): Promise<ProviderRig>;
}

const NEVER = new AbortController().signal;

let orders = 0;

function checkout(kind: CheckoutStart['kind'] = 'subscription'): CheckoutStart {
  orders += 1;
  return {
    orderId: `ord_contract_${orders}`,
    accountId: 'acc_contract',
    email: 'buyer@example.com',
    kind,
    offer: kind === 'subscription' ? 'live' : 'history',
    offerName: kind === 'subscription' ? 'Live' : 'Historical',
    amountMinor: 7_900,
    currency: 'EUR',
    taxIncluded: true,
    country: 'DE',
    returnUrl: 'https://tapeloom.example.com/orders?order=1',
    backUrl: 'https://tapeloom.example.com/plans',
  };
}

async function started(rig: ProviderRig, kind?: CheckoutStart['kind']): Promise<string> {
  return (await rig.provider.startCheckout(checkout(kind), NEVER)).ref;
}

async function paid(rig: ProviderRig, kind?: CheckoutStart['kind']): Promise<string> {
  const ref = await started(rig, kind);
  await rig.pay(ref);
  return ref;
}

async function fetched(rig: ProviderRig, ref: string): Promise<ProviderObject> {
  const object = await rig.provider.fetch(ref, NEVER);
  assert.ok(object !== null, ref);
  assert.equal(object.ref, ref);
  return object;
}

/** Who counts changes has counted some. */
function assertLater(after: ProviderObject, before: ProviderObject): void {
  if (after.revision === null) assert.equal(before.revision, null);
  else assert.ok(before.revision !== null && after.revision > before.revision);
}

/** The newest webhook about this object. */
async function webhookOf(rig: ProviderRig, ref: string): Promise<SentWebhook> {
  const sent = await rig.sent();
  const about = sent.filter(
    ({ headers, body }) => rig.provider.readWebhook(headers, body, rig.now())?.objectRef === ref,
  );
  return about.at(-1) ?? assert.fail('nothing was sent');
}

export function testPaymentProvider(name: string, open: () => Promise<ProviderRig>): void {
  testCheckouts(name, open);
  testWebhooks(name, open);
  testCancelling(name, open);
  testFaults(name, open);
}

function testCheckouts(name: string, open: () => Promise<ProviderRig>): void {
  test(`${name}: a checkout has a page and is open, the same one however often its order asks`, async () => {
    await using rig = await open();
    const start = checkout();
    const first = await rig.provider.startCheckout(start, NEVER);
    assert.ok(URL.canParse(first.url), first.url);
    assert.deepEqual(await rig.provider.startCheckout(start, NEVER), first);
    const both = await Promise.all([1, 2].map(() => rig.provider.startCheckout(start, NEVER)));
    assert.deepEqual(both, [first, first]);
    assert.notEqual(await started(rig), first.ref);
    const { orderId, kind, state, paidAt, paidUntil } = await fetched(rig, first.ref);
    assert.deepEqual([orderId, kind, state], [start.orderId, 'subscription', 'open']);
    assert.deepEqual([paidAt, paidUntil], [null, null]);
  });

  test(`${name}: a subscription that is paid says since when and until when, and renews`, async () => {
    await using rig = await open();
    const at = rig.now();
    const ref = await paid(rig);
    const first = await fetched(rig, ref);
    assert.deepEqual([first.state, first.cancelAtPeriodEnd], ['paid', false]);
    assert.ok(first.paidAt! >= at && first.paidUntil! > first.paidAt!);
    await rig.pass(32 * DAY_MS);
    const renewed = await fetched(rig, ref);
    assert.equal(renewed.state, 'paid');
    assert.equal(renewed.paidAt, first.paidAt);
    assert.ok(renewed.paidUntil! > rig.now());
    assertLater(renewed, first);
  });

  test(`${name}: a purchase is paid once and has no end`, async () => {
    await using rig = await open();
    const ref = await paid(rig, 'purchase');
    const first = await fetched(rig, ref);
    assert.deepEqual([first.kind, first.state, first.paidUntil], ['purchase', 'paid', null]);
    await rig.pass(400 * DAY_MS);
    assert.deepEqual(await fetched(rig, ref), first);
  });

  test(`${name}: what it does not know is null`, async () => {
    await using rig = await open();
    for (const ref of ['nothing', '', '../secret', 'x'.repeat(255)]) {
      assert.equal(await rig.provider.fetch(ref, NEVER), null);
    }
  });
}

function testWebhooks(name: string, open: () => Promise<ProviderRig>): void {
  test(`${name}: a webhook names the object that changed, by the raw bytes of its body [SEC-29]`, async () => {
    await using rig = await open();
    const ref = await paid(rig);
    const { headers, body } = await webhookOf(rig, ref);
    const event = rig.provider.readWebhook(headers, body, rig.now())!;
    assert.equal(event.objectRef, ref);
    assert.ok(event.id !== '' && event.at <= rig.now());
    const spaced = Buffer.concat([body, Buffer.from(' ')]);
    assert.equal(rig.provider.readWebhook(headers, spaced, rig.now()), null);
    for (let index = 0; index < body.length; index += 7) {
      const changed = Buffer.from(body);
      changed[index]! ^= 1;
      assert.equal(rig.provider.readWebhook(headers, changed, rig.now()), null, `byte ${index}`);
    }
  });

  test(`${name}: without its signature, with a broken, old or foreign one, a webhook is nobody's [SEC-29]`, async () => {
    await using rig = await open();
    await using other = await rig.other();
    const { headers, body } = await webhookOf(rig, await paid(rig));
    const read = (by: WebhookHeaders, at = rig.now()) => rig.provider.readWebhook(by, body, at);
    assert.notEqual(read(headers), null);
    assert.equal(read({}), null);
    assert.equal(other.provider.readWebhook(headers, body, other.now()), null, 'foreign');
    const hour = 60n * 60_000_000_000n;
    assert.equal(read(headers, (rig.now() + hour) as EpochNs), null, 'old');
    assert.equal(read(headers, (rig.now() - hour) as EpochNs), null, 'of the future');
    for (const [header, value] of Object.entries(headers)) {
      if (!/signature/.test(header) || typeof value !== 'string') continue;
      const last = value.at(-1) === '0' ? '1' : '0';
      for (const broken of ['', 'x', value.slice(0, -1), value.slice(0, -1) + last, `${value},`]) {
        assert.equal(read({ ...headers, [header]: broken }), null, broken);
      }
      assert.equal(read({ ...headers, [header]: [value, value] }), null, 'twice');
    }
  });

  test(`${name}: a webhook that was refused comes again, with the same id and a signature that is good`, async () => {
    await using rig = await open();
    rig.refuseWebhooks(2);
    await paid(rig);
    await rig.pass(10 * MINUTE_MS);
    const sent = await rig.sent();
    assert.equal(sent.length, 3);
    const bodies = new Set(sent.map(({ body }) => Buffer.from(body).toString()));
    assert.equal(bodies.size, 1);
    await rig.pass(DAY_MS);
    assert.equal((await rig.sent()).length, 3, 'and no more once it was taken');
  });
}

function testCancelling(name: string, open: () => Promise<ProviderRig>): void {
  test(`${name}: a subscription is cancelled to the end of its period, and that is taken back`, async () => {
    await using rig = await open();
    const ref = await paid(rig);
    const running = await fetched(rig, ref);
    const { paidUntil } = running;
    for (let times = 0; times < 2; times += 1) {
      await rig.provider.cancelAtPeriodEnd(ref, true, NEVER);
      const cancelled = await fetched(rig, ref);
      assert.deepEqual([cancelled.state, cancelled.cancelAtPeriodEnd], ['cancelled', true]);
      assert.equal(cancelled.paidUntil, paidUntil);
      assertLater(cancelled, running);
    }
    await rig.provider.cancelAtPeriodEnd(ref, false, NEVER);
    const kept = await fetched(rig, ref);
    assert.deepEqual([kept.state, kept.cancelAtPeriodEnd], ['paid', false]);
    await rig.provider.cancelAtPeriodEnd(ref, true, NEVER);
    await rig.pass(32 * DAY_MS);
    const over = await fetched(rig, ref);
    assert.deepEqual([over.state, over.paidUntil], ['ended', paidUntil]);
    await assert.rejects(rig.provider.cancelAtPeriodEnd(ref, false, NEVER), UpstreamError);
  });

  test(`${name}: a subscription is ended now, and an open checkout cannot be paid any more`, async () => {
    await using rig = await open();
    const running = await paid(rig);
    const waiting = await started(rig);
    for (let times = 0; times < 2; times += 1) {
      await rig.provider.cancelNow(running, NEVER);
      await rig.provider.cancelNow(waiting, NEVER);
      assert.equal((await fetched(rig, running)).state, 'ended');
      assert.equal((await fetched(rig, waiting)).state, 'failed');
    }
    await rig.pay(waiting).catch(() => undefined);
    assert.equal((await fetched(rig, waiting)).state, 'failed');
    const ended = await fetched(rig, running);
    await rig.pass(70 * DAY_MS);
    assert.deepEqual(await fetched(rig, running), ended, 'nothing is charged after it');
    const bought = await paid(rig, 'purchase');
    await rig.provider.cancelNow(bought, NEVER);
    assert.equal((await fetched(rig, bought)).state, 'paid');
  });

  test(`${name}: closing a checkout leaves what was paid as it is`, async () => {
    await using rig = await open();
    const running = await paid(rig);
    const waiting = await started(rig);
    const before = await fetched(rig, running);
    for (let times = 0; times < 2; times += 1) {
      await rig.provider.closeCheckout(running, NEVER);
      await rig.provider.closeCheckout(waiting, NEVER);
      assert.deepEqual(await fetched(rig, running), before);
      assert.equal((await fetched(rig, waiting)).state, 'failed');
    }
    await rig.pay(waiting).catch(() => undefined);
    assert.equal((await fetched(rig, waiting)).state, 'failed');
  });

  test(`${name}: what it does not know cannot be cancelled, nor a purchase's period`, async () => {
    await using rig = await open();
    const bought = await paid(rig, 'purchase');
    await assert.rejects(rig.provider.cancelAtPeriodEnd('nothing', true, NEVER), UpstreamError);
    await assert.rejects(rig.provider.cancelNow('nothing', NEVER), UpstreamError);
    await assert.rejects(rig.provider.cancelAtPeriodEnd(bought, true, NEVER), UpstreamError);
  });
}

function testFaults(name: string, open: () => Promise<ProviderRig>): void {
  const calls = (rig: ProviderRig, ref: string, signal: AbortSignal) => [
    () => rig.provider.startCheckout(checkout(), signal),
    () => rig.provider.fetch(ref, signal),
    () => rig.provider.cancelAtPeriodEnd(ref, true, signal),
    () => rig.provider.closeCheckout(ref, signal),
    () => rig.provider.cancelNow(ref, signal),
  ];

  test(`${name}: a provider that is down is an UpstreamError, and nothing was changed`, async () => {
    await using rig = await open();
    const ref = await paid(rig);
    const before = await fetched(rig, ref);
    rig.reach('down');
    for (const call of calls(rig, ref, NEVER)) await assert.rejects(call(), UpstreamError);
    rig.reach('up');
    assert.deepEqual(await fetched(rig, ref), before);
  });

  test(`${name}: a call ends when its signal is aborted, before it or meanwhile`, async () => {
    await using rig = await open();
    const ref = await paid(rig);
    const reason = new Error('nobody waits any more');
    for (const call of calls(rig, ref, AbortSignal.abort(reason))) {
      await assert.rejects(call(), (error) => error === reason);
    }
    rig.reach('silent');
    const gone = new AbortController();
    const waiting = calls(rig, ref, gone.signal).map((call) => call());
    const ended = Promise.allSettled(waiting);
    gone.abort(reason);
    for (const outcome of await ended) {
      assert.deepEqual(outcome, { status: 'rejected', reason });
    }
  });
}
