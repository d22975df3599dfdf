import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ManualClock } from '../../../../simulation/clock/manual-clock.ts';
import { BillingRig, DAY_NS, MINUTE_NS, START } from '../../testing/billing/billing-rig.ts';
import {
  type Buyer,
  buyer,
  HOUR_NS,
  passAndCarryOut,
  withdraw,
  withdrawalOf,
} from '../../testing/billing/withdrawing-buyer.ts';
import { openSqliteAccountStore } from '../accounts/store/sqlite/sqlite-account-store.ts';

test('a withdrawal is recorded, ends rights and subscription, gives the unused part back and is confirmed with its time', async () => {
  await using rig = await BillingRig.open();
  const ada = await buyer(rig);
  assert.equal(await rig.planOf(ada.accountId), 'live');
  await rig.owed.look();
  rig.mails.length = 0;
  rig.pass(6n * DAY_NS);
  const declared = await withdraw(ada);
  assert.ok('isNew' in declared && declared.isNew);
  assert.equal(await rig.planOf(ada.accountId), 'sandbox');
  const { provider } = rig;
  assert.equal(provider.object(ada.order.ref).state, 'ended');
  // 24 of 30 days are unused.
  assert.deepEqual(provider.refunds, [
    { key: `withdrawal:${ada.order.id}`, amountMinor: 6_320, ref: ada.order.ref },
  ]);
  const withdrawal = await withdrawalOf(ada);
  assert.equal(withdrawal.state, 'done');
  assert.equal(withdrawal.at, rig.now);
  assert.deepEqual([withdrawal.address, withdrawal.sessionId], ['192.0.2.9', 'ses_1']);
  assert.equal(withdrawal.amountMinor, 6_320);
  await rig.owed.look();
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
  await rig.owed.look();
  rig.mails.length = 0;
  const all = await Promise.all(Array.from({ length: 10 }, () => withdraw(ada)));
  const news = all.filter((one) => 'isNew' in one && one.isNew);
  assert.equal(news.length, 1);
  assert.ok(all.every((one) => 'withdrawal' in one && one.withdrawal.at === START));
  rig.pass(DAY_NS);
  const again = await withdraw(ada);
  assert.ok('withdrawal' in again && again.withdrawal.at === START);
  await rig.owed.look();
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
    await rig.owed.look();
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
    await rig.owed.look();
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
    await rig.owed.look();
    assert.equal(rig.mails.length, 1);
    assert.equal(rig.provider.refunds.length, 1);
    assert.equal(rig.provider.object(ada.order.ref).state, 'ended');
  }
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
    const steps = ['endedAt', 'refund', 'state'];
    const buyers: Buyer[] = [];
    for (const _ of steps) buyers.push(await buyer(rig));
    const { provider } = rig;
    for (const [at, step] of steps.entries()) {
      // The record of this step never reaches the disk.
      const { withdrawals } = rig.store;
      const note = withdrawals.noteProgress.bind(withdrawals);
      withdrawals.noteProgress = async (order, progress) => {
        if (step in progress) throw new Error('killed');
        return note(order, progress);
      };
      await withdraw(buyers[at]!);
      withdrawals.noteProgress = note;
      await rig.store[Symbol.asyncDispose]();
      rig = BillingRig.over(await openSqliteAccountStore(path), clock, provider);
      buyers.forEach((one, index) => {
        buyers[index] = { ...one, rig };
      });
      await passAndCarryOut(rig, MINUTE_NS);
      await rig.owed.look();
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
