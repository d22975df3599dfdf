/** What every adapter does when its provider is down, silent, cut off or responds in an unexpected format. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UpstreamError } from '../../src/billing/payment-provider.ts';
import {
  checkout,
  fetched,
  GARBLES,
  NEVER,
  type ProviderRig,
  paid,
  started,
  stateOf,
} from './provider-rig.ts';

const BACK = 'https://tapeloom.example.com/orders';

function calls(rig: ProviderRig, ref: string, signal: AbortSignal) {
  const { provider } = rig;
  return [
    () => provider.startCheckout(checkout(), signal),
    () => provider.fetch(ref, signal),
    () => provider.locate(ref, signal),
    () => provider.eventsSince(rig.now(), 10, signal),
    () => provider.receipts(ref, signal),
    () => provider.customerPortal(ref, BACK, signal),
    () => provider.cancelAtPeriodEnd(ref, true, signal),
    () => provider.closeCheckout(ref, signal),
    () => provider.cancelNow(ref, signal),
    () => provider.refund(ref, { key: 'faults', amountMinor: null }, signal),
  ];
}

export function testProviderFaults(name: string, open: () => Promise<ProviderRig>): void {
  test(`${name}: a provider that is down is an UpstreamError, and nothing was changed`, async () => {
    await using rig = await open();
    const ref = await paid(rig);
    const before = await fetched(rig, ref);
    rig.reach('down');
    for (const call of calls(rig, ref, NEVER)) await assert.rejects(call(), UpstreamError);
    // The operator's check always reports a result.
    const findings = await rig.provider.examine(NEVER).catch((error: unknown) => error);
    assert.ok(findings instanceof UpstreamError || hasFault(findings));
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

  testCut(name, open);
  testGarbled(name, open);
}

function testCut(name: string, open: () => Promise<ProviderRig>): void {
  test(`${name}: what was done and never answered is not done twice when it is asked for again`, async () => {
    await using rig = await open();
    const start = checkout();
    rig.reach('cut');
    await assert.rejects(rig.provider.startCheckout(start, NEVER), UpstreamError);
    rig.reach('up');
    const { ref } = await rig.provider.startCheckout(start, NEVER);
    assert.equal(await rig.checkouts(start.orderId), 1);
    await rig.pay(ref);

    const part = { key: 'cut', amountMinor: 1_000 };
    rig.reach('cut');
    await assert.rejects(rig.provider.refund(ref, part, NEVER), UpstreamError);
    rig.reach('up');
    assert.notEqual(await rig.provider.refund(ref, part, NEVER), 'nothing');
    const [receipt] = await rig.provider.receipts(ref, NEVER);
    assert.ok(receipt!.refundedMinor <= 1_000);

    for (const end of [
      () => rig.provider.cancelAtPeriodEnd(ref, true, NEVER),
      () => rig.provider.cancelNow(ref, NEVER),
    ]) {
      rig.reach('cut');
      // An adapter that can still read may detect that it was done.
      await end().catch((error: unknown) => assert.ok(error instanceof UpstreamError));
      rig.reach('up');
      await end();
    }
    assert.equal(await stateOf(rig, ref), 'ended');
  });
}

function testGarbled(name: string, open: () => Promise<ProviderRig>): void {
  test(`${name}: answers that have lost their shape are an UpstreamError, and change nothing`, async () => {
    await using rig = await open();
    // An adapter that parses nothing cannot be misled.
    if (rig.garble === undefined) return;
    const ref = await paid(rig);
    const waiting = await started(rig);
    const before = await fetched(rig, ref);
    for (const how of GARBLES) {
      rig.garble(how);
      const { provider } = rig;
      for (const [what, call] of Object.entries({
        fetch: () => provider.fetch(ref, NEVER),
        fetchOpen: () => provider.fetch(waiting, NEVER),
        startCheckout: () => provider.startCheckout(checkout(), NEVER),
        eventsSince: () => provider.eventsSince(rig.now(), 10, NEVER),
        receipts: () => provider.receipts(ref, NEVER),
        customerPortal: () => provider.customerPortal(ref, BACK, NEVER),
      })) {
        await assert.rejects(call(), UpstreamError, `${what}, ${how}`);
      }
      rig.garble(null);
      assert.deepEqual(await fetched(rig, ref), before);
    }
  });
}

function hasFault(findings: unknown): boolean {
  return Array.isArray(findings) && findings.some(({ outcome }) => outcome === 'fault');
}
