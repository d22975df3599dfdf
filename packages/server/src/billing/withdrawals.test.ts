import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ManualClock } from '../../../../simulation/clock/manual-clock.ts';
import { BillingRig, DAY_NS, MINUTE_NS, START } from '../../testing/billing/billing-rig.ts';
import type { OrderRecord } from '../accounts/store/orders-store.ts';
import { openSqliteAccountStore } from '../accounts/store/sqlite-account-store.ts';

const HOUR_NS = 60n * MINUTE_NS;

interface Buyer {
  readonly rig: BillingRig;
  readonly accountId: string;
  readonly order: OrderRecord;
}

async function buyer(rig: BillingRig, offer: 'live' | 'history' = 'live'): Promise<Buyer> {
  const accountId = await rig.account();
  const email = `${accountId}@example.com`;
  const call = { now: rig.now, actor: { kind: 'operator' } } as const;
  await rig.store.people.setOwner(call, accountId, { email, key: email.toLowerCase() });
  return { rig, accountId, order: await rig.bought(accountId, { offer }) };
}

async function withdraw({ rig, accountId, order }: Buyer) {
  const wish = { accountId, orderId: order.id, sessionId: 'ses_1', address: '192.0.2.9' };
  const declared = await rig.billing.withdrawals.declare({ ...wish, name: 'Ada Lovelace' });
  await rig.billing.withdrawals.idle();
  return declared;
}

async function withdrawalOf({ rig, order }: Buyer) {
  return (await rig.store.withdrawals.withdrawalOf(order))!;
}

async function passAndCarryOut(rig: BillingRig, ns: bigint): Promise<void> {
  rig.pass(ns);
  await rig.billing.withdrawals.carryOut();
}

test('a withdrawal is recorded, ends rights and subscription, gives the unused part back and is confirmed with its time', async () => {
  await using rig = await BillingRig.open();
  const ada = await buyer(rig);
  assert.equal(await rig.planOf(ada.accountId), 'live');
  rig.mails.length = 0;
  rig.pass(6n * DAY_NS);
  const declared = await withdraw(ada);
  assert.ok('isNew' in declared && declared.isNew);
  assert.equal(await rig.planOf(ada.accountId), 'sandbox');
  const { provider } = rig;
  assert.equal(provider.object(ada.order.ref).state, 'ended');
  // 24 of 30 days were still to come.
  assert.deepEqual(provider.refunds, [
    { key: `withdrawal:${ada.order.id}`, amountMinor: 6_320, ref: ada.order.ref },
  ]);
  const withdrawal = await withdrawalOf(ada);
  assert.equal(withdrawal.state, 'done');
  assert.equal(withdrawal.at, rig.now);
  assert.deepEqual([withdrawal.address, withdrawal.sessionId], ['192.0.2.9', 'ses_1']);
  assert.equal(withdrawal.amountMinor, 6_320);
  const [mail, ...others] = rig.mails;
  assert.equal(others.length, 0);
  assert.equal(mail?.subject, 'We received your withdrawal');
  for (const words of ['27 September 2026, 14:13:20 UTC', '€63.20', ada.order.id, 'Ada Lovelace']) {
    assert.ok(mail.text.includes(words), words);
  }
  const told = await rig.store.audit({ accountId: ada.accountId, limit: 50 });
  assert.equal(told.filter(({ kind }) => kind === 'order.withdrawn').length, 1);
  const after = await rig.again(ada.order);
  assert.deepEqual([after.state, after.withdrawnAt], ['ended', withdrawal.at]);
});

test('declared twice, or ten times at once, it is one withdrawal, one mail and one refund', async () => {
  await using rig = await BillingRig.open();
  const ada = await buyer(rig);
  rig.mails.length = 0;
  const all = await Promise.all(Array.from({ length: 10 }, () => withdraw(ada)));
  const news = all.filter((one) => 'isNew' in one && one.isNew);
  assert.equal(news.length, 1);
  assert.ok(all.every((one) => 'withdrawal' in one && one.withdrawal.at === START));
  rig.pass(DAY_NS);
  const again = await withdraw(ada);
  assert.ok('withdrawal' in again && again.withdrawal.at === START);
  assert.equal(rig.mails.length, 1);
  assert.equal(rig.provider.refunds.length, 1);
});

test('who may not withdraw is told why, and nothing changes', async () => {
  await using rig = await BillingRig.open();
  const ada = await buyer(rig);
  const bob = await buyer(rig, 'history');
  const lost = await withdraw(bob);
  assert.ok('refused' in lost && lost.refused === 'no-right' && lost.why === 'lost');
  const foreign = await withdraw({ ...ada, accountId: bob.accountId });
  assert.deepEqual(foreign, { refused: 'no-order' });
  rig.pass(18n * DAY_NS);
  const late = await withdraw(ada);
  assert.ok('refused' in late && late.refused === 'no-right' && late.why === 'over');
  assert.equal(await rig.planOf(ada.accountId), 'live');
  assert.equal(await rig.store.withdrawals.withdrawalOf(ada.order), null);
  assert.deepEqual(rig.provider.refunds, []);
});

test('a provider that is down for an hour keeps nobody from withdrawing; it is done when it answers', async () => {
  for (const trouble of ['down', 'silent'] as const) {
    await using rig = await BillingRig.open();
    const ada = await buyer(rig);
    rig.mails.length = 0;
    rig.pass(DAY_NS);
    rig.provider.trouble = trouble;
    const declaring = withdraw(ada);
    for (let step = 0; step < 40; step += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      if (trouble === 'silent') rig.pass(1_000_000_000n);
    }
    const declared = await declaring;
    assert.ok('isNew' in declared && declared.isNew, trouble);
    assert.equal(await rig.planOf(ada.accountId), 'sandbox', 'rights are not the provider’s');
    assert.equal(rig.mails.length, 1, 'nor is the receipt');
    const waiting = await withdrawalOf(ada);
    assert.equal(waiting.state, 'open');
    assert.ok(waiting.fault !== null && waiting.tryAt !== null);
    rig.provider.trouble = 'down';
    for (let minute = 0n; minute < 60n; minute += 5n) await passAndCarryOut(rig, 5n * MINUTE_NS);
    assert.equal((await withdrawalOf(ada)).state, 'open');
    assert.deepEqual(rig.billing.withdrawals.waiting, { open: 1 });
    rig.provider.trouble = 'none';
    await passAndCarryOut(rig, HOUR_NS);
    assert.equal((await withdrawalOf(ada)).state, 'done');
    assert.deepEqual(rig.billing.withdrawals.waiting, {});
    assert.equal(rig.mails.length, 1);
    assert.equal(rig.provider.refunds.length, 1);
    assert.equal(rig.provider.object(ada.order.ref).state, 'ended');
  }
});

test('a renewal that was charged meanwhile comes back whole, and webhooks of it grant nothing', async () => {
  await using rig = await BillingRig.open();
  const ada = await buyer(rig);
  rig.pass(10n * DAY_NS);
  rig.provider.trouble = 'down';
  await withdraw(ada);
  // The provider renews before it hears of it.
  rig.pass(DAY_NS);
  const webhook = rig.provider.pay(ada.order.ref, rig.now, 30);
  rig.provider.trouble = 'none';
  await rig.deliver(webhook);
  assert.equal((await rig.again(ada.order)).state, 'paid');
  assert.equal(await rig.planOf(ada.accountId), 'sandbox');
  await rig.billing.withdrawals.carryOut();
  assert.deepEqual(
    rig.provider.refunds.map(({ amountMinor }) => amountMinor),
    [7_900],
  );
  const after = await withdrawalOf(ada);
  // Of the charge before it a part is due too, and a provider gives back of the newest only.
  assert.equal(after.state, 'by_hand');
  assert.match(after.fault ?? '', /earlier charge/);
});

test('what the operator gave back meanwhile is not given back again', async () => {
  for (const [given, asked] of [
    [null, []],
    [1_000, [6_900]],
  ] as const) {
    await using rig = await BillingRig.open();
    const ada = await buyer(rig);
    rig.provider.trouble = 'down';
    await withdraw(ada);
    rig.provider.trouble = 'none';
    rig.provider.giveBack(ada.order.ref, given);
    await passAndCarryOut(rig, HOUR_NS);
    const amounts = rig.provider.refunds.map(({ amountMinor }) => amountMinor);
    assert.deepEqual(amounts, asked);
    assert.equal((await withdrawalOf(ada)).state, 'done');
    assert.equal(rig.provider.receiptsOf.get(ada.order.ref)?.[0]?.refundedMinor, 7_900);
  }
});

test('a refund that was done though its answer was lost is found, and not asked for again', async () => {
  await using rig = await BillingRig.open();
  const ada = await buyer(rig);
  const { provider } = rig;
  const { refund } = provider;
  let lost = 0;
  provider.refund = async (...args) => {
    await refund.apply(provider, args);
    lost += 1;
    throw new Error('the line broke');
  };
  rig.pass(12n * DAY_NS);
  await withdraw(ada);
  assert.equal((await withdrawalOf(ada)).state, 'open');
  await passAndCarryOut(rig, HOUR_NS);
  assert.equal((await withdrawalOf(ada)).state, 'done');
  assert.equal(lost, 1);
  assert.equal(provider.receiptsOf.get(ada.order.ref)?.[0]?.refundedMinor, 4_740);
});

test('a provider that decides later, or has nothing to give, is seen by the operator until it is settled', async () => {
  await using rig = await BillingRig.open();
  const ada = await buyer(rig);
  rig.provider.refundOutcome = 'pending';
  await withdraw(ada);
  assert.equal((await withdrawalOf(ada)).state, 'pending');
  rig.provider.refundOutcome = 'nothing';
  await passAndCarryOut(rig, HOUR_NS);
  assert.equal((await withdrawalOf(ada)).state, 'by_hand');
  assert.deepEqual(rig.billing.withdrawals.waiting, { by_hand: 1 });
  rig.provider.giveBack(ada.order.ref, null);
  await passAndCarryOut(rig, 6n * HOUR_NS);
  assert.equal((await withdrawalOf(ada)).state, 'done');
});

test('a refund that is rejected after it was pending, and counted by then, is the operator’s to settle', async () => {
  await using rig = await BillingRig.open();
  const ada = await buyer(rig);
  rig.pass(12n * DAY_NS);
  rig.provider.refundOutcome = 'pending';
  await withdraw(ada);
  const { ref } = ada.order;
  const before = rig.provider.receiptsOf.get(ref)!;
  rig.provider.giveBack(ref, 4_740);
  await passAndCarryOut(rig, HOUR_NS);
  assert.equal((await withdrawalOf(ada)).state, 'pending', 'nobody has the money yet');
  rig.provider.refundOutcome = 'rejected';
  rig.provider.receiptsOf.set(ref, before);
  await passAndCarryOut(rig, HOUR_NS);
  const { state, fault } = await withdrawalOf(ada);
  assert.deepEqual([state, fault], ['by_hand', 'it was rejected']);
  rig.provider.giveBack(ref, 4_740);
  await passAndCarryOut(rig, 6n * HOUR_NS);
  assert.equal((await withdrawalOf(ada)).state, 'done');
});

test('a part that was given back by hand after the decision counts, and no more than is due comes back', async () => {
  await using rig = await BillingRig.open();
  const ada = await buyer(rig);
  rig.pass(12n * DAY_NS);
  const { provider } = rig;
  const { refund } = provider;
  provider.refund = () => Promise.reject(new Error('the line broke'));
  await withdraw(ada);
  provider.refund = refund;
  provider.giveBack(ada.order.ref, 3_000);
  await passAndCarryOut(rig, HOUR_NS);
  assert.deepEqual(
    provider.refunds.map(({ amountMinor }) => amountMinor),
    [1_740],
  );
  assert.equal((await withdrawalOf(ada)).state, 'done');
});

test('an invoice over nothing beside the charge does not swallow the refund', async () => {
  await using rig = await BillingRig.open();
  const ada = await buyer(rig);
  const { ref } = ada.order;
  const [charge] = rig.provider.receiptsOf.get(ref)!;
  rig.provider.receiptsOf.set(ref, [{ ...charge!, id: 'nothing', totalMinor: 0 }, charge!]);
  const asked: (number | null)[] = [];
  rig.provider.refund = async (_ref, { amountMinor }) => {
    asked.push(amountMinor);
    return 'done';
  };
  await withdraw(ada);
  assert.deepEqual(asked, [7_900]);
});

test('what a bank pays days after the withdrawal from its order was settled comes back whole', async () => {
  await using rig = await BillingRig.open();
  const accountId = await rig.account();
  const order = await rig.order(accountId);
  const ada = { rig, accountId, order };
  await withdraw(ada);
  assert.equal((await withdrawalOf(ada)).state, 'done');
  rig.pass(3n * DAY_NS);
  rig.provider.pay(order.ref, rig.now, 30);
  await rig.deliver(rig.provider.change(order.ref, { state: 'ended', paidUntil: rig.now }));
  assert.equal(await rig.planOf(accountId), 'sandbox');
  assert.equal((await withdrawalOf(ada)).state, 'open');
  await rig.billing.withdrawals.carryOut();
  assert.deepEqual(
    rig.provider.refunds.map(({ amountMinor }) => amountMinor),
    [7_900],
  );
  assert.equal((await withdrawalOf(ada)).state, 'done');
});

test('an open checkout can be withdrawn from: it closes, and what was paid at the last moment comes back', async () => {
  await using rig = await BillingRig.open();
  const accountId = await rig.account();
  const order = await rig.order(accountId, { offer: 'history' });
  const ada = { rig, accountId, order };
  const declared = await withdraw(ada);
  assert.ok('withdrawal' in declared && declared.withdrawal.amountMinor === 0);
  assert.equal(rig.provider.object(order.ref).state, 'failed');
  assert.equal((await withdrawalOf(ada)).state, 'done');
  rig.pass(MINUTE_NS * 2n);
  const second = await rig.order(accountId, { offer: 'history' });
  rig.provider.trouble = 'down';
  await withdraw({ ...ada, order: second });
  rig.provider.trouble = 'none';
  rig.provider.pay(second.ref, rig.now, 30);
  await passAndCarryOut(rig, HOUR_NS);
  assert.equal(rig.provider.object(second.ref).state, 'refunded');
  assert.equal(await rig.planOf(accountId), 'sandbox');
  assert.equal((await withdrawalOf({ ...ada, order: second })).state, 'done');
});

test('two machines that carry out one withdrawal at the same time ask for one refund', async () => {
  await using rig = await BillingRig.open();
  const other = BillingRig.over(rig.store, rig.clock, rig.provider);
  const ada = await buyer(rig);
  rig.pass(DAY_NS);
  rig.provider.trouble = 'down';
  await withdraw(ada);
  rig.provider.trouble = 'none';
  const { provider } = rig;
  const refund = provider.refund.bind(provider);
  let asked = 0;
  // As one without idempotency keys: whoever asks gets it.
  provider.refund = (...wish) => {
    asked += 1;
    return refund(...wish);
  };
  rig.pass(HOUR_NS);
  await Promise.all([rig, other].map(({ billing }) => billing.withdrawals.carryOut()));
  assert.equal(asked, 1);
  assert.equal((await withdrawalOf(ada)).state, 'done');
});

test('who withdrew may buy the same again at once', async () => {
  await using rig = await BillingRig.open();
  const ada = await buyer(rig);
  await withdraw(ada);
  rig.pass(MINUTE_NS);
  const next = await rig.bought(ada.accountId);
  assert.notEqual(next.id, ada.order.id);
  assert.equal(await rig.planOf(ada.accountId), 'live');
});

test('a process that dies at any step leaves what the next one finishes, with one refund and at least one mail', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tapeloom-withdrawals-'));
  try {
    const clock = new ManualClock(START);
    const path = join(directory, 'accounts.db');
    let rig = BillingRig.over(await openSqliteAccountStore(path), clock);
    const steps = ['toldAt', 'endedAt', 'refund', 'state'];
    const buyers: Buyer[] = [];
    for (const _ of steps) buyers.push(await buyer(rig));
    const { provider } = rig;
    for (const [at, step] of steps.entries()) {
      // The note of this step never reaches the disk.
      const { withdrawals } = rig.store;
      const note = withdrawals.noteProgress.bind(withdrawals);
      withdrawals.noteProgress = async (order, progress) => {
        if (step in progress) throw new Error('killed');
        await note(order, progress);
      };
      await withdraw(buyers[at]!);
      withdrawals.noteProgress = note;
      await rig.store[Symbol.asyncDispose]();
      rig = BillingRig.over(await openSqliteAccountStore(path), clock, provider);
      buyers.forEach((one, index) => {
        buyers[index] = { ...one, rig };
      });
      await passAndCarryOut(rig, MINUTE_NS);
      const after = await withdrawalOf(buyers[at]!);
      assert.equal(after.state, 'done', step);
      assert.ok(after.toldAt !== null, step);
      const refunds = provider.refunds.filter(({ ref }) => ref === buyers[at]!.order.ref);
      assert.equal(refunds.length, 1, step);
    }
    await rig[Symbol.asyncDispose]();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

test('the receipt is mailed until the queue takes it', async () => {
  await using rig = await BillingRig.open();
  const ada = await buyer(rig);
  rig.mails.length = 0;
  const { onMail } = rig;
  rig.onMail = () => false;
  await withdraw(ada);
  assert.equal(rig.mails.length, 0);
  assert.notEqual((await withdrawalOf(ada)).state, 'done');
  rig.onMail = onMail;
  await passAndCarryOut(rig, MINUTE_NS);
  assert.equal(rig.mails.length, 1);
  assert.equal((await withdrawalOf(ada)).state, 'done');
  assert.equal(rig.provider.refunds.length, 1);
});

test('of many orders in any mixture of trouble each is withdrawn from once and refunded once', async () => {
  await using rig = await BillingRig.open();
  let seed = 11;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const buyers: Buyer[] = [];
  for (let count = 0; count < 12; count += 1) buyers.push(await buyer(rig));
  for (let step = 0; step < 80; step += 1) {
    rig.provider.trouble = random(3) === 0 ? 'down' : 'none';
    const one = buyers[random(buyers.length)]!;
    const act = random(4);
    if (act === 0) await withdraw(one);
    else if (act === 1) await rig.payments.reconcile();
    else if (act === 2) await rig.deliver(rig.provider.notify(one.order.ref));
    else await passAndCarryOut(rig, BigInt(random(90)) * MINUTE_NS);
  }
  rig.provider.trouble = 'none';
  for (const one of buyers) await withdraw(one);
  await passAndCarryOut(rig, 2n * HOUR_NS);
  const refs = rig.provider.refunds.map(({ ref }) => ref);
  assert.equal(new Set(refs).size, buyers.length);
  assert.equal(refs.length, buyers.length);
  for (const one of buyers) {
    assert.equal((await withdrawalOf(one)).state, 'done');
    assert.equal(await rig.planOf(one.accountId), 'sandbox');
  }
});
