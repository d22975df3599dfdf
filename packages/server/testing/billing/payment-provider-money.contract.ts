/** What every adapter does about money: charges are listed, refunds happen once, and banks dispute. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import {
  type ProviderEvent,
  RECEIPTS_MAX,
  UpstreamError,
} from '../../src/billing/payment-provider.ts';
import {
  DAY_MS,
  NEVER,
  type ProviderRig,
  paid,
  started,
  stateOf,
  webhookOf,
} from './provider-rig.ts';

const PRICE_MINOR = 7_900;

export function testProviderMoney(name: string, open: () => Promise<ProviderRig>): void {
  testReceipts(name, open);
  testRefunds(name, open);
  testDisputes(name, open);
  testListing(name, open);
}

function testReceipts(name: string, open: () => Promise<ProviderRig>): void {
  test(`${name}: what was charged is listed, the newest first, with what of it was given back`, async () => {
    await using rig = await open();
    const ref = await started(rig);
    assert.deepEqual((await rig.provider.receipts(ref, NEVER)).filter(isCharged), []);
    await rig.pay(ref);
    const [first, ...none] = await rig.provider.receipts(ref, NEVER);
    assert.deepEqual(none, []);
    assert.ok(first !== undefined && first.at <= rig.now());
    assert.deepEqual([first.state, first.refundedMinor, first.currency], ['paid', 0, 'EUR']);
    assert.equal(first.totalMinor, PRICE_MINOR, 'tax is included');
    assert.ok(first.url === null || new URL(first.url).protocol === 'https:', String(first.url));
    await rig.pass(32 * DAY_MS);
    const months = (await rig.provider.receipts(ref, NEVER)).filter(isCharged);
    assert.equal(months.length, 2);
    assert.equal(months[1]!.id, first.id);
    assert.ok(months[0]!.at > months[1]!.at);
    await rig.refund(ref, 900);
    const [partly] = await rig.provider.receipts(ref, NEVER);
    assert.deepEqual([partly!.state, partly!.refundedMinor], ['paid', 900]);
    await rig.refund(ref, null);
    const [wholly] = await rig.provider.receipts(ref, NEVER);
    assert.deepEqual([wholly!.state, wholly!.refundedMinor], ['refunded', PRICE_MINOR]);
    const bought = await paid(rig, 'purchase');
    assert.equal((await rig.provider.receipts(bought, NEVER)).length, 1);
  });

  test(`${name}: of many receipts the newest ${RECEIPTS_MAX} are listed`, async () => {
    await using rig = await open();
    const ref = await paid(rig);
    await rig.pass(27 * 31 * DAY_MS);
    const receipts = await rig.provider.receipts(ref, NEVER);
    assert.equal(receipts.length, RECEIPTS_MAX);
    assert.ok(receipts[0]!.at > rig.now() - BigInt(32 * DAY_MS) * 1_000_000n);
  });

  test(`${name}: a running subscription has a page for its customer, or none; what is unknown has an error`, async () => {
    await using rig = await open();
    const ref = await paid(rig);
    const back = 'https://tapeloom.example.com/orders';
    const page = await rig.provider.customerPortal(ref, back, NEVER);
    assert.ok(page === null || URL.canParse(page), String(page));
    await assert.rejects(rig.provider.customerPortal('nothing', back, NEVER), UpstreamError);
    await assert.rejects(rig.provider.receipts('nothing', NEVER), UpstreamError);
    await assert.rejects(
      rig.provider.refund('nothing', { key: 'k', amountMinor: null }, NEVER),
      UpstreamError,
    );
    const findings = await rig.provider.examine(NEVER);
    assert.ok(findings.length > 0);
    assert.deepEqual(
      findings.filter(({ outcome }) => outcome === 'fault'),
      [],
    );
  });
}

function testRefunds(name: string, open: () => Promise<ProviderRig>): void {
  const refundedOf = async (rig: ProviderRig, ref: string) =>
    (await rig.provider.receipts(ref, NEVER)).find(isCharged)?.refundedMinor;

  test(`${name}: money is given back once for a key, in part or what is left, and then there is nothing`, async () => {
    await using rig = await open();
    const ref = await paid(rig, 'purchase');
    const part = { key: 'withdrawal:1', amountMinor: 1_000 };
    const asked = [1, 2, 3].map(() => rig.provider.refund(ref, part, NEVER));
    for (const outcome of await Promise.all(asked)) assert.notEqual(outcome, 'nothing');
    // A provider that decides later has decided by now.
    await rig.pass(DAY_MS);
    assert.equal(await refundedOf(rig, ref), 1_000);
    assert.equal(await stateOf(rig, ref), 'paid', 'a part changes no state');
    const rest = { key: 'withdrawal:2', amountMinor: null };
    assert.notEqual(await rig.provider.refund(ref, rest, NEVER), 'nothing');
    await rig.pass(DAY_MS);
    assert.equal(await refundedOf(rig, ref), PRICE_MINOR);
    assert.equal(await stateOf(rig, ref), 'refunded');
    assert.equal(await rig.provider.refund(ref, rest, NEVER), 'done', 'it was, for this key');
    const more = { key: 'withdrawal:3', amountMinor: null };
    assert.equal(await rig.provider.refund(ref, more, NEVER), 'nothing');
    const unpaid = await started(rig);
    assert.equal(await rig.provider.refund(unpaid, more, NEVER), 'nothing');
    assert.equal(await stateOf(rig, unpaid), 'open');
  });

  test(`${name}: a subscription is refunded after it was cancelled, and after it was ended`, async () => {
    await using rig = await open();
    const cancelled = await paid(rig);
    await rig.provider.cancelAtPeriodEnd(cancelled, true, NEVER);
    await rig.refund(cancelled, null);
    assert.equal(await stateOf(rig, cancelled), 'refunded');
    const ended = await paid(rig);
    await rig.provider.cancelNow(ended, NEVER);
    const all = { key: 'withdrawal:4', amountMinor: null };
    assert.notEqual(await rig.provider.refund(ended, all, NEVER), 'nothing');
    await rig.pass(DAY_MS);
    assert.equal(await stateOf(rig, ended), 'refunded');
    await rig.pass(70 * DAY_MS);
    assert.equal(await stateOf(rig, ended), 'refunded', 'and nothing begins again');
  });
}

function testDisputes(name: string, open: () => Promise<ProviderRig>): void {
  test(`${name}: what a bank takes back is disputed until it is won, and for good when it is lost`, async () => {
    await using rig = await open();
    for (const kind of ['subscription', 'purchase'] as const) {
      const ref = await paid(rig, kind);
      await rig.dispute(ref, 'open');
      assert.equal(await stateOf(rig, ref), 'disputed');
      const wish = { key: 'withdrawal:5', amountMinor: 1_000 };
      assert.equal(await rig.provider.refund(ref, wish, NEVER), 'nothing', 'the bank has it');
      await rig.dispute(ref, 'won');
      assert.equal(await stateOf(rig, ref), 'paid');
      const lost = await paid(rig, kind);
      await rig.dispute(lost, 'open');
      await rig.dispute(lost, 'lost');
      assert.equal(await stateOf(rig, lost), 'disputed');
    }
  });

  test(`${name}: what was refunded and is taken back by the bank as well grants nothing, whoever wins`, async () => {
    await using rig = await open();
    const ref = await paid(rig, 'purchase');
    await rig.refund(ref, null);
    await rig.dispute(ref, 'open').catch(() => undefined);
    assert.match(await stateOf(rig, ref), /^(?:refunded|disputed)$/);
    await rig.dispute(ref, 'won').catch(() => undefined);
    assert.equal(await stateOf(rig, ref), 'refunded');
  });
}

function testListing(name: string, open: () => Promise<ProviderRig>): void {
  test(`${name}: events that nobody took are listed with the ids of their webhooks, the oldest first, page by page`, async () => {
    await using rig = await open();
    const from = rig.now();
    const refs: string[] = [];
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      await rig.pass(2_000);
      const ref = await paid(rig);
      const { headers, body } = await webhookOf(rig, ref);
      refs.push(ref);
      ids.push(rig.provider.readWebhook(headers, body, rig.now())!.id);
    }
    const all = await listed(rig, from, 100);
    assert.deepEqual([...all].sort(byTime), all);
    assert.ok(ids.every((id) => all.some((event) => event.id === id)));
    const located = await Promise.all(
      all.map(({ objectRef }) => rig.provider.locate(objectRef, NEVER)),
    );
    assert.deepEqual([...new Set(located.filter((ref) => ref !== null))], refs);
    const paged = await listed(rig, from, 2);
    assert.deepEqual(new Set(paged.map(({ id }) => id)), new Set(all.map(({ id }) => id)));
    const later = (rig.now() + 1_000_000_000n) as EpochNs;
    assert.deepEqual((await rig.provider.eventsSince(later, 100, NEVER)).events, []);
  });
}

/** Page by page to the end. */
async function listed(rig: ProviderRig, from: EpochNs, limit: number): Promise<ProviderEvent[]> {
  const all: ProviderEvent[] = [];
  let next = from;
  for (let pages = 0; pages < 100; pages += 1) {
    const { events, nextFrom } = await rig.provider.eventsSince(next, limit, NEVER);
    assert.ok(events.length <= limit);
    all.push(...events);
    if (events.length < limit) return all;
    assert.ok(nextFrom > next, 'it goes on');
    next = nextFrom;
  }
  return assert.fail('it does not end');
}

function isCharged({ state }: { readonly state: string }): boolean {
  return state === 'paid' || state === 'refunded';
}

function byTime(a: ProviderEvent, b: ProviderEvent): number {
  return a.at < b.at ? -1 : a.at > b.at ? 1 : 0;
}
