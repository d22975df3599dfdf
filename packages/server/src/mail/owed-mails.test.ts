import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../../simulation/clock/manual-clock.ts';
import { BillingRig, DAY_NS, MINUTE_NS, OFFERS } from '../../testing/billing/billing-rig.ts';
import { KilledProcess } from '../../testing/billing/killed-process.ts';
import { ScriptedProvider } from '../../testing/billing/scripted-provider.ts';
import { owedMailsOver } from '../../testing/mail/owed-mail-desk.ts';
import type { AccountStore } from '../accounts/store/account-store.ts';
import { openSqliteAccountStore } from '../accounts/store/sqlite/sqlite-account-store.ts';
import { DueDeletions } from '../process/customers/due-deletions.ts';
import { MailFault } from './mail-transport.ts';
import type { OutgoingMail } from './mailer.ts';

const START = 1_790_000_000_000_000_000n;
const SERVER_DOWN = new MailFault('down', { of: 'server', isFinal: false });
const PUT_OFF = new MailFault('greylisted', { of: 'mail', isFinal: false });
const REFUSED = new MailFault('no such mailbox', { of: 'mail', isFinal: true });

/** Owed mails over a store in memory, with a mail server whose replies the test controls. */
async function stage() {
  const store = await openSqliteAccountStore(':memory:');
  const clock = new ManualClock(START);
  const told: string[] = [];
  const tries: string[] = [];
  const sent: OutgoingMail[] = [];
  const state = { fault: null as MailFault | null, failsFor: /^$/ };
  const owed = owedMailsOver({
    store,
    clock,
    offers: OFFERS,
    publicUrl: () => 'https://tapeloom.example',
    told,
    deliver: async (mail) => {
      tries.push(mail.to);
      if (state.fault !== null) throw state.fault;
      if (state.failsFor.test(mail.to)) throw SERVER_DOWN;
      sent.push(mail);
    },
  });
  const owe = (to: string) => oweComposed(store, clock, to);
  const pass = async (ms: number, stepMs = 1_000) => {
    for (let passed = 0; passed < ms; passed += stepMs) {
      clock.advance(stepMs);
      await owed.look();
    }
  };
  return { store, clock, told, tries, sent, state, owed, owe, pass };
}

async function oweComposed(store: AccountStore, clock: ManualClock, to: string): Promise<void> {
  const details = { subject: 'Hello', text: 'text', html: '<p>text</p>' };
  const mail = { id: `composed.${to}`, kind: 'composed', reader: to, orderId: null } as const;
  await store.mails.oweMail(clock.now(), { ...mail, details });
}

test('what is owed is delivered under the name of its obligation, once, and noted when the server took it', async () => {
  const { owed, owe, sent, store, clock } = await stage();
  for (let count = 0; count < 10; count += 1) await owe(`r${count}@example.com`);
  await owed.look();
  assert.equal(sent.length, 10);
  assert.ok(sent.every(({ id, to }) => id === `composed.${to}`));
  assert.deepEqual(owed.outcomes, { sent: 10, refused: 0, expired: 0 });
  assert.deepEqual(await store.mails.waitingMails(clock.now()), { count: 0, due: 0 });
  await owed.look();
  assert.equal(sent.length, 10);
});

test('while the server is down a few tries find out whether it is back, and nothing is given up for a week', async () => {
  const { owed, owe, state, pass, tries, told, sent } = await stage();
  state.fault = SERVER_DOWN;
  for (let count = 0; count < 100; count += 1) await owe(`r${count}@example.com`);
  await owed.look();
  await pass(10 * 60_000);
  assert.ok(tries.length < 40, String(tries.length));
  assert.deepEqual(told, ['failing']);
  assert.equal(owed.waitingCount, 100);
  await pass(7 * 86_400_000 - 20 * 60_000, 600_000);
  state.fault = null;
  await pass(5 * 60_000);
  assert.deepEqual([sent.length, told], [100, ['failing', 'working']]);
});

test('a mail over which the server always fails keeps nobody else waiting', async () => {
  const { owe, state, pass, sent } = await stage();
  state.failsFor = /^tarpit/;
  for (let count = 0; count < 20; count += 1) await owe(`tarpit${count}@example.com`);
  await pass(10 * 60_000);
  for (const reader of ['ada@example.com', 'eve@example.com']) {
    await owe(reader);
    await pass(31_000);
    assert.equal(sent.at(-1)?.to, reader);
  }
});

test('a reader who is put off waits alone; one who is refused, or not reached for a week, is given up and reported', async () => {
  const { owed, owe, state, pass, told, sent, store, clock } = await stage();
  state.fault = PUT_OFF;
  await owe('slow@example.com');
  await owed.look();
  state.fault = REFUSED;
  await owe('gone@example.com');
  await owed.look();
  assert.deepEqual(told, ['refused composed.gone@example.com']);
  state.fault = PUT_OFF;
  await pass(7 * 86_400_000 + 600_000, 600_000);
  assert.deepEqual(told.slice(1), ['expired composed.slow@example.com']);
  assert.deepEqual([sent, owed.outcomes], [[], { sent: 0, refused: 1, expired: 1 }]);
  assert.deepEqual(await store.mails.waitingMails(clock.now()), { count: 0, due: 0 });
});

test('a clock that jumps ahead by a month loses no mail', async () => {
  const { owed, owe, clock, sent } = await stage();
  await owe('ada@example.com');
  clock.advance(30 * 86_400_000);
  await owed.look();
  assert.equal(sent.length, 1);
});

test('a mail that cannot be composed is reported, and keeps no other back', async () => {
  const { owed, owe, told, sent, store, clock } = await stage();
  const broken = {
    id: 'deletion-asked.x',
    kind: 'deletion-asked',
    reader: 'x@example.com',
  } as const;
  await store.mails.oweMail(clock.now(), { ...broken, orderId: null, details: {} });
  await owe('ada@example.com');
  await owed.look();
  assert.deepEqual(
    sent.map(({ to }) => to),
    ['ada@example.com'],
  );
  assert.match(told.join(), /^deletion-asked\.x /);
  assert.equal((await store.mails.waitingMails(clock.now())).count, 1);
});

test('wherever a process is killed, every mail that is owed arrives, under one name, and is noted', async () => {
  let killedTotal = 0;
  for (const when of ['before', 'after'] as const) {
    for (let step = 0; ; step += 1) {
      const story = await Story.begin();
      const process = new KilledProcess(story.store, { step, when });
      await story.run(process.store, (mail) => process.step(() => story.take(mail)));
      if (!process.isKilled) {
        assert.ok(step > 40, String(step));
        break;
      }
      killedTotal += 1;
      // Every mail that it had taken is free after two minutes.
      story.clock.advanceTo(story.clock.now() + 3n * MINUTE_NS);
      await story.run(story.store, (mail) => story.take(mail));
      await story.check(`killed ${when} step ${step}`);
    }
  }
  assert.ok(killedTotal > 80, String(killedTotal));
});

/** A customer buys, withdraws and deletes the account; repeated until all of it is done. */
class Story {
  readonly store: AccountStore;
  readonly clock = new ManualClock(START);
  readonly taken: OutgoingMail[] = [];
  readonly #provider = new ScriptedProvider('test');
  readonly #accountId: string;

  private constructor(store: AccountStore, accountId: string) {
    this.store = store;
    this.#accountId = accountId;
  }

  static async begin(): Promise<Story> {
    const store = await openSqliteAccountStore(':memory:');
    const call = { now: START, actor: { kind: 'operator' } } as never;
    const account = await store.createAccount(call, { name: 'ada', grants: [] });
    assert.ok('id' in account);
    const address = { email: 'ada@example.com', key: 'ada@example.com' };
    await store.people.setOwner(call, account.id, address);
    return new Story(store, account.id);
  }

  take(mail: OutgoingMail): void {
    this.taken.push(mail);
  }

  /** One process, which may be killed on the way. */
  async run(store: AccountStore, onMail: (mail: OutgoingMail) => void): Promise<void> {
    const rig = BillingRig.over(store, this.clock, this.#provider);
    rig.onMail = onMail;
    try {
      await this.#buy(rig);
      await this.#withdraw(rig);
      await rig.owed.look();
      await this.#leave(rig);
      await rig.owed.look();
    } catch (error) {
      assert.match(String(error), /killed/);
    }
    await rig.billing.withdrawals.idle();
    await rig.payments.idle();
  }

  async #buy(rig: BillingRig): Promise<void> {
    const [known] = await rig.store.orders.ordersOf(this.#accountId);
    const order = known ?? (await rig.order(this.#accountId));
    if (order.state === 'open') await rig.deliver(this.#provider.pay(order.ref, rig.now, 30));
    await rig.payments.look(order);
  }

  async #withdraw(rig: BillingRig): Promise<void> {
    const { withdrawals } = rig.billing;
    const [order] = await rig.store.orders.ordersOf(this.#accountId);
    const who = { accountId: this.#accountId, sessionId: null, address: null };
    await withdrawals.declare({ ...who, orderId: order!.id, name: null });
    await withdrawals.idle();
    await withdrawals.carryOut();
  }

  async #leave({ store }: BillingRig): Promise<void> {
    const now = this.clock.now();
    await store.people.askDeletion({ now, actor: { kind: 'owner' } }, this.#accountId, null);
    this.clock.advanceTo(now + 14n * DAY_NS);
    await using deletions = new DueDeletions({
      store,
      clock: this.clock,
      inTurn: (work) => work(),
      beforeDeletion: async () => undefined,
      onFault: (error) => assert.match(String(error), /killed/),
    });
    await deletions.look();
  }

  async check(when: string): Promise<void> {
    const [order] = await this.store.orders.ordersOf(this.#accountId);
    const ids = new Set(this.taken.map(({ id }) => id));
    for (const id of [
      `order-confirmed.${order!.id}`,
      `withdrawal-received.${order!.id}`,
      `account-deleted.${this.#accountId}`,
    ]) {
      assert.ok(ids.has(id), `${when}: ${id} is lost`);
    }
    assert.ok(
      [...ids].some((id) => id?.startsWith('deletion-asked.')),
      `${when}: deletion-asked is lost`,
    );
    assert.equal(ids.size, 4, `${when}: ${[...ids]}`);
    assert.notEqual(order!.confirmedAt, null, when);
    const withdrawal = await this.store.withdrawals.withdrawalOf(order!);
    assert.notEqual(withdrawal!.toldAt, null, when);
    const waiting = await this.store.mails.waitingMails(this.clock.now());
    assert.deepEqual(waiting, { count: 0, due: 0 }, when);
  }
}
