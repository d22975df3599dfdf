/** How a provider's webhooks, lists and responses affect orders and rights, for any provider. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type OpenStore, PaymentsOverRig } from './payments-over-rig.ts';
import { HOUR_MS, MINUTE_MS, NEVER, ODD_WEBHOOKS, type ProviderRig } from './provider-rig.ts';

export function testPaymentsOver(
  name: string,
  open: () => Promise<ProviderRig>,
  openStore?: OpenStore,
): void {
  testHarmless(name, open, openStore);

  test(`${name}: after an hour of failures without a webhook one round lists what happened, and the rights are right`, async () => {
    await using rig = await open();
    await using over = await PaymentsOverRig.open(rig, { openStore });
    const account = await over.account();
    const order = await over.order(account, 'subscription');
    await over.payments.reconcile();
    await rig.pay(order.ref);
    rig.reach('down');
    for (let minute = 0; minute < 60; minute += 20) {
      await rig.pass(20 * MINUTE_MS);
      assert.ok((await over.payments.reconcile()).failed > 0);
    }
    assert.equal(await over.planOf(account), 'sandbox');
    rig.reach('up');
    await rig.pass(HOUR_MS);
    const round = await over.payments.reconcile();
    assert.ok(round.listed > 0, 'no webhook told of it');
    assert.equal(await over.planOf(account), 'live');
    const events = await over.store.orders.eventsOf(order);
    assert.ok(events.length > 0 && events.every(({ state }) => state === 'done'));
    await rig.pass(HOUR_MS);
    assert.equal((await over.payments.reconcile()).listed, 0, 'each once');
  });

  test(`${name}: a process that was away for a day lists what happened meanwhile, when it begins`, async () => {
    await using rig = await open();
    await using over = await PaymentsOverRig.open(rig, { openStore });
    const account = await over.account();
    const order = await over.order(account, 'purchase');
    await over.payments.reconcile();
    await rig.pay(order.ref);
    await rig.pass(20 * HOUR_MS);
    await over.restart();
    assert.ok((await over.payments.reconcile()).listed > 0);
    assert.equal(await over.planOf(account), 'history');
  });

  test(`${name}: a refund after a cancellation ends the rights, and a chargeback after it changes nothing more`, async () => {
    await using rig = await open();
    await using over = await PaymentsOverRig.open(rig, { openStore });
    const account = await over.account();
    const order = await over.order(account, 'subscription');
    const hear = async () => {
      await over.receive(await rig.sent());
      await over.payments.look(order);
      return over.planOf(account);
    };
    await rig.pay(order.ref);
    assert.equal(await hear(), 'live');
    await over.billing.setCancelled(account, order.id, true);
    assert.equal(await hear(), 'live');
    await rig.refund(order.ref, 100);
    assert.equal(await hear(), 'live', 'a part ends nothing');
    await rig.refund(order.ref, null);
    assert.equal(await hear(), 'sandbox');
    for (const outcome of ['open', 'lost'] as const) {
      await rig.dispute(order.ref, outcome).catch(() => undefined);
      assert.equal(await hear(), 'sandbox');
    }
  });
}

function testHarmless(name: string, open: () => Promise<ProviderRig>, openStore?: OpenStore): void {
  test(`${name}: forged, old, repeated, reordered, foreign and unknown webhooks give nobody anything [SEC-29]`, async () => {
    await using rig = await open();
    await using other = await rig.other();
    await using over = await PaymentsOverRig.open(rig, { openStore });
    const account = await over.account();
    const order = await over.order(account, 'subscription');
    await rig.pay(order.ref);
    const sent = await rig.sent();
    const forged = sent.map(({ headers, body }) => ({
      headers,
      body: Buffer.concat([body, Buffer.from('\n')]),
    }));
    assert.deepEqual(new Set(await over.receive(forged)), new Set(['unsigned']));
    const stranger = await PaymentsOverRig.open(other, { openStore });
    await using _ = stranger;
    const theirs = await stranger.order(await stranger.account(), 'subscription');
    await other.pay(theirs.ref);
    const foreign = await other.sent();
    assert.deepEqual(new Set(await over.receive(foreign)), new Set(['unsigned']));
    const odd = ODD_WEBHOOKS.map((kind) => rig.oddWebhook(kind)).filter((one) => one !== null);
    for (const outcome of await over.receive(odd)) assert.match(outcome, /^(?:received|unsigned)$/);
    assert.equal(await over.planOf(account), 'sandbox', 'nothing of it was about the order');

    const outcomes = await over.receive([...sent.toReversed(), ...sent, ...sent]);
    assert.equal(outcomes.filter((outcome) => outcome === 'received').length, sent.length);
    assert.equal(await over.planOf(account), 'live');
    await rig.pass(HOUR_MS);
    assert.deepEqual(new Set(await over.receive(sent)), new Set(['unsigned']), 'too old');
    const told = await over.store.audit({ accountId: account, limit: 100 });
    const changes = told.filter(({ kind }) => kind === 'order.changed');
    assert.ok(changes.length <= 2, 'whatever comes again is no news');
  });

  test(`${name}: webhooks on both sides of a rotation of the secret are taken [SEC-29]`, async () => {
    await using rig = await open();
    await using over = await PaymentsOverRig.open(rig, { openStore });
    const account = await over.account();
    const order = await over.order(account, 'subscription');
    await rig.pay(order.ref);
    const before = [...(await rig.sent())];
    await rig.rotateSecret();
    await over.restart();
    assert.deepEqual(new Set(await over.receive(before)), new Set(['received']));
    assert.equal(await over.planOf(account), 'live');
    await rig.provider.cancelNow(order.ref, NEVER);
    const after = (await rig.sent()).slice(before.length);
    assert.ok(after.length > 0);
    assert.deepEqual(new Set(await over.receive(after)), new Set(['received']));
    assert.equal(await over.planOf(account), 'sandbox');
  });
}
