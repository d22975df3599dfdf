import assert from 'node:assert/strict';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { ManualClock } from '../../../../simulation/clock/manual-clock.ts';
import { testPaymentProvider } from '../../testing/billing/payment-provider.contract.ts';
import { RIG_URL, TestProviderRig } from '../../testing/billing/test-provider-rig.ts';
import { createLog } from '../platform/log/log.ts';
import { monthsAfter, PLAYED_CHANGES, type PlayedChange } from './test-payment.ts';
import { TestPayments } from './test-payments.ts';

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

testPaymentProvider('test', () => TestProviderRig.open());

const terms = {
  orderId: 'ord_1',
  kind: 'subscription',
  offerName: 'Live',
  amountMinor: 7_900,
  currency: 'EUR',
  country: 'DE',
  returnUrl: `${RIG_URL}/orders?order=ord_1`,
  backUrl: `${RIG_URL}/plans`,
} as const;

async function bought(rig: TestProviderRig, orderId = 'ord_1'): Promise<string> {
  const { ref } = await rig.payments.start({ ...terms, orderId });
  await rig.pay(ref);
  return ref;
}

async function play(rig: TestProviderRig, ref: string, what: PlayedChange): Promise<string> {
  const after = await rig.payments.change(ref, PLAYED_CHANGES[what]);
  await rig.payments.idle();
  return after !== null && 'refused' in after ? after.refused : rig.payments.find(ref)!.state;
}

test('a slow confirmation comes 20 seconds after the buyer has left, and a webhook with it', async () => {
  await using rig = await TestProviderRig.open();
  const { ref } = await rig.payments.start(terms);
  await rig.does(ref, 'slow');
  await rig.pass(19 * SECOND_MS);
  assert.equal(rig.payments.find(ref)!.state, 'open');
  assert.equal((await rig.does(ref, 'cancel')).state, 'open', 'who paid cannot give it up');
  assert.deepEqual(await rig.sent(), []);
  await rig.pass(1 * SECOND_MS);
  assert.equal(rig.payments.find(ref)!.state, 'paid');
  assert.equal((await rig.sent()).length, 1);
  assert.equal(rig.webhooks[0]!.url, `${RIG_URL}/v1/webhooks/test`);
});

test('a declined card leaves the checkout open, a checkout that was given up or left a day is closed', async () => {
  await using rig = await TestProviderRig.open();
  const { ref } = await rig.payments.start(terms);
  const declined = await rig.does(ref, 'decline');
  assert.deepEqual([declined.state, declined.isDeclined], ['open', true]);
  assert.equal((await rig.does(ref, 'pay')).state, 'paid');
  assert.equal((await rig.does(ref, 'pay')).revision, 1, 'paid once however often it is pressed');
  const { ref: given } = await rig.payments.start({ ...terms, orderId: 'ord_2' });
  assert.equal((await rig.does(given, 'cancel')).state, 'failed');
  assert.equal((await rig.does(given, 'pay')).state, 'failed');
  const { ref: left } = await rig.payments.start({ ...terms, orderId: 'ord_3' });
  await rig.pass(DAY_MS);
  assert.equal(rig.payments.find(left)!.state, 'failed');
});

test('renewals fall on the day of the month on which it began, or on its last', () => {
  const at = (text: string) => (BigInt(Date.parse(text)) * 1_000_000n + 7n) as EpochNs;
  for (const [from, months, expected] of [
    ['2026-11-16T10:00:00Z', 1, '2026-12-16T10:00:00Z'],
    ['2027-01-31T23:59:59Z', 1, '2027-02-28T23:59:59Z'],
    ['2027-01-31T23:59:59Z', 2, '2027-03-31T23:59:59Z'],
    ['2027-12-31T00:00:00Z', 2, '2028-02-29T00:00:00Z'],
    ['2026-11-30T00:00:00Z', 13, '2027-12-30T00:00:00Z'],
  ] as const) {
    assert.equal(monthsAfter(at(from), months), at(expected), `${from} + ${months}`);
  }
});

test('a provider that slept for months is up to date at once', async () => {
  await using rig = await TestProviderRig.open();
  const ref = await bought(rig);
  rig.clock.leap(100 * DAY_MS);
  await rig.restart();
  await rig.payments.look();
  const { state, paidUntil } = rig.payments.find(ref)!;
  assert.equal(state, 'paid');
  assert.ok(paidUntil! > rig.now());
});

test('operators play renewals, failures, refunds and disputes, and are told what cannot be', async () => {
  await using rig = await TestProviderRig.open();
  const ref = await bought(rig);
  const { paidAt } = rig.payments.find(ref)!;
  assert.equal(await play(rig, ref, 'renew'), 'paid');
  assert.equal(rig.payments.find(ref)!.paidUntil, monthsAfter(paidAt!, 2));
  assert.equal(await play(rig, ref, 'fail'), 'past_due');
  assert.equal(rig.payments.find(ref)!.paidUntil, rig.now());
  assert.match(await play(rig, ref, 'fail'), /^It is past due: only what is paid/);
  assert.equal(await play(rig, ref, 'renew'), 'paid');
  assert.equal(await play(rig, ref, 'dispute'), 'disputed');
  assert.match(await play(rig, ref, 'renew'), /^It is disputed: only/);
  assert.equal(await play(rig, ref, 'win'), 'paid');
  assert.match(await play(rig, ref, 'win'), /not disputed/);
  assert.equal(await play(rig, ref, 'refund'), 'refunded');
  assert.match(await play(rig, ref, 'refund'), /no money to give back/);
  const count = (await rig.sent()).length;
  assert.equal(count, 7, 'one webhook for each change');
  await rig.pass(70 * DAY_MS);
  assert.equal(rig.payments.find(ref)!.state, 'refunded');
});

test('a failed renewal is given up after two weeks', async () => {
  await using rig = await TestProviderRig.open();
  const ref = await bought(rig);
  await play(rig, ref, 'fail');
  await rig.pass(13 * DAY_MS);
  assert.equal(rig.payments.find(ref)!.state, 'past_due');
  await rig.pass(DAY_MS);
  assert.equal(rig.payments.find(ref)!.state, 'ended');
});

test('renewals are played for less than a year ahead', async () => {
  await using rig = await TestProviderRig.open();
  const ref = await bought(rig);
  let answer = 'paid';
  for (let times = 0; times < 20 && answer === 'paid'; times += 1) {
    answer = await play(rig, ref, 'renew');
  }
  assert.match(answer, /nearly a year ahead/);
});

test('payments, the secret and webhooks that nobody took outlive a restart', async () => {
  await using rig = await TestProviderRig.open();
  rig.refuseWebhooks(1);
  const ref = await bought(rig);
  const [first] = await rig.sent();
  const before = await rig.provider.fetch(ref, new AbortController().signal);
  await rig.restart();
  assert.deepEqual(await rig.provider.fetch(ref, new AbortController().signal), before);
  await rig.pass(5 * SECOND_MS);
  const [, again] = await rig.sent();
  assert.deepEqual(again!.body, first!.body);
  assert.notEqual(rig.provider.readWebhook(again!.headers, again!.body, rig.now()), null);
  const names = await readdir(rig.directory);
  assert.deepEqual(names.toSorted(), ['asked', `${ref}.json`, 'webhook-secret']);
  for (const name of [`${ref}.json`, 'webhook-secret']) {
    assert.equal((await stat(join(rig.directory, name))).mode & 0o077, 0, name);
  }
});

test('a webhook is sent again after longer and longer waits, and given up after days', async () => {
  await using rig = await TestProviderRig.open();
  rig.refuseWebhooks(Number.POSITIVE_INFINITY);
  const ref = await bought(rig);
  const at: number[] = [];
  for (let second = 0; second < 200; second += 1) {
    const before = rig.webhooks.length;
    rig.clock.leap(SECOND_MS);
    await rig.payments.look();
    await rig.payments.idle();
    if (rig.webhooks.length > before) at.push(second + 1);
  }
  assert.deepEqual(at, [1, 6, 36, 156]);
  await rig.pass(5 * DAY_MS);
  // Steps of a day skip most attempts; the remaining ones are made one after the other.
  for (let hours = 0; hours < 80; hours += 1) await rig.pass(3_600 * SECOND_MS);
  assert.deepEqual(rig.payments.find(ref)!.events, []);
  assert.ok(rig.logged.some((line) => line.includes('given up')));
});

test('a file that cannot be read is told and passed over; the others are there', async () => {
  await using rig = await TestProviderRig.open();
  const whole = await bought(rig, 'ord_whole');
  const torn = await bought(rig, 'ord_torn');
  const path = join(rig.directory, `${torn}.json`);
  await writeFile(path, (await readFile(path, 'utf8')).slice(0, 40));
  await rig.restart();
  assert.notEqual(rig.payments.find(whole), null);
  assert.equal(rig.payments.find(torn), null);
  assert.ok(rig.logged.some((line) => line.includes('cannot be read')));
});

test('it looks by its clock, and leaves no timer behind', async () => {
  await using rig = await TestProviderRig.open();
  const clock = new ManualClock(rig.now());
  const sent: string[] = [];
  const payments = await TestPayments.open({
    directory: join(rig.directory, 'another'),
    clock,
    log: createLog({ level: 'silent', readable: false, write: () => {} }),
    webhookUrl: () => RIG_URL,
    send: async ({ body }) => {
      sent.push(body);
      return 200;
    },
  });
  const { ref } = await payments.start(terms);
  await payments.change(ref, (payment, now) => ({ ...payment, confirmAt: now }));
  clock.advance(SECOND_MS);
  await payments.idle();
  assert.equal(sent.length, 1);
  await payments[Symbol.asyncDispose]();
  assert.equal(clock.timerCount, 0);
});
