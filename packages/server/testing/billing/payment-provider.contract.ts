/**
 * What every adapter of the payment port must do, over a rig that simulates the provider. This file covers checkouts,
 * webhooks and cancelling; money and faults have files of their own.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { UpstreamError, type WebhookHeaders } from '../../src/billing/payment-provider.ts';
import { testProviderFaults } from './payment-provider-faults.contract.ts';
import { testProviderMoney } from './payment-provider-money.contract.ts';
import { testPaymentsOver } from './payments.contract.ts';
import {
  assertLater,
  checkout,
  DAY_MS,
  fetched,
  HOUR_MS,
  NEVER,
  ODD_WEBHOOKS,
  type ProviderRig,
  paid,
  started,
  webhookOf,
} from './provider-rig.ts';
import { testForgottenWithdrawalsOver, testWithdrawalsOver } from './withdrawals.contract.ts';

export function testPaymentProvider(name: string, open: () => Promise<ProviderRig>): void {
  testCheckouts(name, open);
  testWebhooks(name, open);
  testRefusedWebhooks(name, open);
  testCancelling(name, open);
  testProviderMoney(name, open);
  testProviderFaults(name, open);
  testPaymentsOver(name, open);
  testWithdrawalsOver(name, open);
  testForgottenWithdrawalsOver(name, open);
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
    const object = await fetched(rig, first.ref);
    const { orderId, kind, state, paidAt, paidUntil, amountMinor, currency } = object;
    assert.deepEqual([orderId, kind, state], [start.orderId, 'subscription', 'open']);
    assert.deepEqual([paidAt, paidUntil], [null, null]);
    assert.ok(amountMinor === null || amountMinor === start.amountMinor, 'the agreed price');
    assert.ok(currency === null || currency === start.currency, 'the agreed currency');
    assert.equal(await rig.checkouts(start.orderId), 1);
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
      assert.equal(await rig.provider.locate(ref, NEVER), null);
    }
  });
}

function testWebhooks(name: string, open: () => Promise<ProviderRig>): void {
  test(`${name}: a webhook names the object that changed, by the raw bytes of its body [SEC-29]`, async () => {
    await using rig = await open();
    const ref = await paid(rig);
    const { headers, body } = await webhookOf(rig, ref);
    const event = rig.provider.readWebhook(headers, body, rig.now())!;
    assert.equal(await rig.provider.locate(event.objectRef, NEVER), ref);
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
    const hour = BigInt(HOUR_MS) * 1_000_000n;
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
}

function testRefusedWebhooks(name: string, open: () => Promise<ProviderRig>): void {
  test(`${name}: a webhook that was refused comes again, with the same id and a signature that is good`, async () => {
    await using rig = await open();
    rig.refuseWebhooks(2);
    await paid(rig);
    await rig.pass(DAY_MS);
    // A provider may send several webhooks about a payment; two attempts were rejected and repeated.
    const sent = await rig.sent();
    const texts = sent.map(({ body }) => Buffer.from(body).toString());
    assert.equal(sent.length - new Set(texts).size, 2, 'two came again, byte by byte');
    const again = sent.filter((_, index) => texts.indexOf(texts[index]!) < index);
    for (const { headers, body } of again) {
      const first = sent.find((one) => Buffer.from(one.body).equals(body))!;
      assert.notDeepEqual(headers, first.headers, 'signed anew');
    }
    await rig.pass(DAY_MS);
    assert.equal((await rig.sent()).length, sent.length, 'and no more once it was taken');
  });

  test(`${name}: signed webhooks that are nothing to us are read as nothing, or lead nowhere [SEC-29]`, async () => {
    await using rig = await open();
    const ref = await paid(rig);
    const before = await fetched(rig, ref);
    for (const kind of ODD_WEBHOOKS) {
      const webhook = rig.oddWebhook(kind);
      if (webhook === null) continue;
      const event = rig.provider.readWebhook(webhook.headers, webhook.body, rig.now());
      if (kind === 'not-json' || kind === 'no-event' || kind === 'other-mode') {
        assert.equal(event, null, kind);
        continue;
      }
      // Accepted, so that the provider does not retry for days, but about no object of ours.
      assert.notEqual(event, null, kind);
      assert.equal(await rig.provider.locate(event!.objectRef, NEVER), null, kind);
    }
    assert.deepEqual(await fetched(rig, ref), before);
  });

  test(`${name}: of two webhook secrets both are good, of three the oldest is not [SEC-29]`, async () => {
    await using rig = await open();
    const ref = await paid(rig);
    const first = await webhookOf(rig, ref);
    const isGood = ({ headers, body }: typeof first) =>
      rig.provider.readWebhook(headers, body, rig.now()) !== null;
    await rig.rotateSecret();
    assert.ok(isGood(first), 'in the middle of a rotation');
    await rig.provider.cancelAtPeriodEnd(ref, true, NEVER);
    const second = await webhookOf(rig, ref);
    assert.notDeepEqual(second, first);
    assert.ok(isGood(second), 'signed with the new one');
    await rig.rotateSecret();
    assert.ok(!isGood(first), 'two rotations ago');
    assert.ok(isGood(second), 'one rotation ago');
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
