import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { AccountStore } from '@tapeloom/server/accounts/store/account-store';
import { accountsPath } from '@tapeloom/server/accounts/store/sqlite/accounts-path';
import { AccountsHandle } from '@tapeloom/server/accounts/store/thread/accounts-handle';
import { lockDirectory } from '@tapeloom/server/platform/disk/directory-lock';
import { createClock } from '@tapeloom/server/platform/system-clock';
import { ManualClock } from '../../../../simulation/clock/manual-clock.ts';
import { BillingRig } from '../../../server/testing/billing/billing-rig.ts';
import { runRecorded } from '../../testing/recorded-io.ts';
import { commands } from '../commands.ts';

const data = mkdtempSync(join(tmpdir(), 'tapeloom-billing-'));
let store: AccountStore;
let rig: BillingRig;
let round: NodeJS.Timeout;

let lock: Disposable;

before(async () => {
  // Stands in for a running service's lock.
  lock = lockDirectory(data);
  store = await AccountsHandle.open({ path: accountsPath(data), onFault: assert.ifError });
  rig = BillingRig.over(store, new ManualClock(createClock({ kind: 'system' }).now()));
  // Stands in for the service of this data directory, on the machine's clock.
  round = setInterval(() => {
    rig.clock.advanceTo(createClock({ kind: 'system' }).now());
    void rig.payments.reconcile();
  }, 20);
});
after(async () => {
  clearInterval(round);
  lock[Symbol.dispose]();
  await rig[Symbol.asyncDispose]();
  rmSync(data, { recursive: true, force: true });
});

const shown = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value);
const run = (...words: string[]) => runRecorded(commands, [...words, '--data', data]);
/** For commands that ask for a confirmation. */
const runSure = (...words: string[]) => run(...words, '--yes');

test('billing ls and show tell of orders, what was agreed to, and the events about them', async () => {
  const account = await rig.account();
  const order = await rig.order(account);
  const ls = await run('billing', 'ls');
  assert.equal(ls.code, 0, ls.err);
  assert.match(ls.out, /order +account +offer +state +price +provider/);
  assert.match(ls.out, new RegExp(`${order.id} +account 1 +live +open +€79.00 +test`));
  await rig.deliver(rig.provider.pay(order.ref, rig.now, 30));
  const show = await run('billing', 'show', order.id);
  assert.equal(show.code, 0, show.err);
  assert.match(show.out, /^state +paid$/m);
  assert.match(show.out, /^waiver +version 2, accepted .* from 192\.0\.2\.7$/m);
  assert.match(show.out, /^evt_1 .* done /m);
  const json = JSON.parse((await run('billing', 'show', order.id, '--json')).out);
  assert.equal(json.account, 'account 1');
  assert.equal(json.events[0].state, 'done');
  assert.equal(json.consent.waiverVersion, '2');
  const paid = JSON.parse((await run('billing', 'ls', '--state', 'paid', '--json')).out);
  assert.deepEqual(
    paid.orders.map(({ id }: { id: string }) => id),
    [order.id],
  );
  assert.equal((await run('billing', 'ls', '--state', 'open')).out, 'no orders\n');
  const unknown = await run('billing', 'show', 'ord_none');
  assert.equal(unknown.code, 1);
  assert.match(unknown.err, /there is no order ord_none; tapeloom billing ls/);
});

test('a withdrawal that came by letter counts from when it was received, and the service carries it out', async () => {
  const account = await rig.account();
  const order = await rig.bought(account);
  const received = String(order.paidAt! + 1n);
  const words = ['billing', 'withdraw', order.id, '--received'];
  const future = await run(...words, '2999-01-01');
  assert.notEqual(future.code, 0);
  assert.match(future.err, /must not be in the future/);
  const unsure = await run(...words, received);
  assert.match(unsure.err, /no terminal to ask on; add --yes/);
  const done = await runSure(...words, received);
  assert.equal(done.code, 0, done.err);
  assert.match(done.out, /^withdrawn +.*by an operator$/m);
  assert.match((await run('billing', 'ls')).out, /1 withdrawal waits for its payment provider/);
  rig.clock.advanceTo(createClock({ kind: 'system' }).now());
  await rig.billing.withdrawals.carryOut();
  assert.equal(rig.provider.refunds.length, 1);
  const show = await run('billing', 'show', order.id);
  assert.match(show.out, /^refund +€79\.00 of /m);
  const json = JSON.parse((await run('billing', 'show', order.id, '--json')).out);
  assert.equal(json.withdrawal.state, 'done');
  const again = await runSure(...words, received, '--json');
  assert.equal(JSON.parse(again.out).state, 'done');
});

test('billing replay and reconcile have the service ask, and say what changed', async () => {
  const account = await rig.account();
  const order = await rig.bought(account);
  rig.provider.change(order.ref, { state: 'refunded' });
  const replayed = await run('billing', 'replay', order.id);
  assert.equal(replayed.code, 0, replayed.err);
  assert.equal(replayed.out, `${order.id}: paid → refunded\n`);
  assert.equal(
    (await run('billing', 'replay', order.id)).out,
    `${order.id}: refunded, as before\n`,
  );
  const [event] = await store.orders.eventsOf(order);
  const again = await run('billing', 'replay', event!.id);
  assert.equal(again.out, `${event!.id} of test: done\n`);
  rig.provider.change(order.ref, { state: 'paid' });
  const reconciled = await run('billing', 'reconcile', '--json');
  assert.equal(reconciled.code, 0, reconciled.err);
  const said = JSON.parse(reconciled.out);
  assert.deepEqual(said.changed, [{ id: order.id, before: 'refunded', after: 'paid' }]);
  assert.match(
    (await run('billing', 'reconcile')).out,
    /^asked about \d+ orders.*\nnothing changed\n$/,
  );
});

test('billing write-off asks the provider first, ends an order and cancels its payment only if it is forced, once, with the reason in the audit log', async () => {
  const account = await rig.account();
  const order = await rig.bought(account);
  const words = ['billing', 'write-off', order.id];
  for (const reason of [[], ['--reason', ' ']]) {
    const silent = await run(...words, ...reason);
    assert.equal(silent.code, 2);
    assert.match(silent.err, /--reason is missing/);
  }
  assert.match((await run(...words, '--reason', 'x'.repeat(501))).err, /at most 500 characters/);
  assert.equal(await rig.planOf(account), 'live', 'nothing happened yet');
  const known = await run(...words, '--reason', 'lost, their ticket 4711');
  assert.equal(known.code, 1);
  assert.match(known.err, /test knows the payment, which is paid there.*--force/s);
  assert.equal(await rig.planOf(account), 'live', 'the provider knows it');
  rig.provider.trouble = 'down';
  const down = await run(...words, '--reason', 'lost, their ticket 4711');
  rig.provider.trouble = 'none';
  assert.equal(down.code, 1);
  assert.match(down.err, /test could not be reached, or does not know the payment/);
  assert.equal(await rig.planOf(account), 'live');
  const done = await runSure(...words, '--reason', 'lost, their ticket 4711', '--force');
  assert.equal(done.code, 0, done.err);
  assert.equal(done.out, `${order.id}: paid → ended, written off\n`);
  assert.equal(await rig.planOf(account), 'sandbox');
  const audit = await store.audit({ accountId: account, limit: 100 });
  assert.ok(JSON.stringify(audit, shown).includes('lost, their ticket 4711'));
  while (rig.provider.object(order.ref).state !== 'ended') await rig.payments.reconcile();
  await rig.deliver(rig.provider.notify(order.ref));
  assert.equal((await rig.payments.look(await rig.again(order))).state, 'ended');
  assert.equal(await rig.planOf(account), 'sandbox', 'what the provider says later counts no more');
  const again = await run(...words, '--reason', 'once more');
  assert.equal(again.code, 1);
  assert.match(again.err, /is ended: there is nothing to write off/);
  await rig.bought(account);
  assert.equal(await rig.planOf(account), 'live', 'the same can be bought again');
  const unpaid = await rig.order(await rig.account());
  const gone = ['--reason', 'gone', '--force', '--json'];
  const json = await runSure('billing', 'write-off', unpaid.id, ...gone);
  assert.equal(JSON.parse(json.out).id, unpaid.id);
  const unknown = await run('billing', 'write-off', 'ord_none', '--reason', 'gone');
  assert.equal(unknown.code, 1);
  assert.match(unknown.err, /there is no order ord_none/);
});

test('account plan leaves what was bought, and says so', async () => {
  const account = await rig.account();
  await rig.bought(account);
  assert.match(
    (await run('account', 'plan', account, 'live_history')).out,
    /: live → live_history\n$/,
  );
  const less = await run('account', 'plan', account, 'sandbox');
  assert.match(less.out, /: live_history → live\nIt keeps purchases beyond sandbox; /);
  assert.equal(await rig.planOf(account), 'live');
});

test('a provider that is down is told, and so is a service that does not run', async () => {
  const order = await rig.bought(await rig.account());
  rig.provider.trouble = 'down';
  const down = await run('billing', 'replay', order.id);
  assert.equal(down.code, 7);
  assert.match(down.out, /did not respond/);
  rig.provider.trouble = 'none';
  clearInterval(round);
  await rig.payments.idle();
  for (const words of [['replay', order.id], ['reconcile']]) {
    const waiting = await run('billing', ...words, '--wait', '0');
    assert.equal(waiting.code, 7);
    assert.match(waiting.out, /The service has not done it yet/);
  }
  lock[Symbol.dispose]();
  // Without a time limit that would stop it early.
  const stopped = await run('billing', 'reconcile');
  lock = lockDirectory(data);
  assert.equal(stopped.code, 7);
  assert.match(
    stopped.out,
    /^to ask about \d+ orders.*\nNo service runs on .*it will do it when it starts\.\n$/,
  );
  const empty = ['--data', join(data, 'empty')];
  await runRecorded(commands, ['account', 'create', 'first', '--plan', 'live', ...empty]);
  const idle = await runRecorded(commands, ['billing', 'reconcile', ...empty]);
  assert.equal(idle.code, 7, 'nothing is due, and nobody has asked');
  assert.match(idle.out, /No service runs on /);
  const wrong = await run('billing', 'reconcile', '--wait', 'long');
  assert.equal(wrong.code, 2);
  assert.match(wrong.err, /--wait must be a number of seconds/);
});

test('billing test says what can be played, and that the service must run', async () => {
  const wrong = await run('billing', 'test', 'explode', 'ord_1');
  assert.equal(wrong.code, 2);
  assert.match(wrong.err, /the action must be one of .*refund.*; got explode/);
  const still = await run('billing', 'test', 'refund', 'ord_1');
  assert.equal(still.code, 1);
  assert.match(still.err, /does not run on this data directory/);
});
