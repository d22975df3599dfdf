/** What every account store does with owed mails. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NewMail, OwedMail } from '../../../src/accounts/mails/mails-store.ts';
import type { Budget } from '../../../src/accounts/usage/usage-store.ts';
import { DAY_NS, SECOND_NS, type StoreRig } from '../store/account-store-rig.ts';

const MINUTE_NS = 60n * SECOND_NS;
const ALL = 10_000;

export function testMails(adapter: string, start: () => Promise<StoreRig>): void {
  test(`${adapter}: a mail that is owed twice is one mail, which one node at a time delivers, and which goes when it was sent`, async () => {
    const rig = await start();
    const mail = newMail(rig);
    await rig.store.mails.oweMail(rig.now, mail);
    await rig.other.mails.oweMail(rig.now, { ...mail, reader: 'another@example.com' });
    const until = rig.later(2n * MINUTE_NS);
    const both = await Promise.all([
      rig.store.mails.takeMails(rig.now, until, ALL),
      rig.other.mails.takeMails(rig.now, until, ALL),
    ]);
    const taken = both.flat().filter(({ id }) => id === mail.id);
    const expected = { ...mail, createdAt: rig.now, tries: 0, takenUntil: until };
    assert.deepEqual(taken, [expected satisfies OwedMail]);
    rig.pass(2n * MINUTE_NS - 1n);
    assert.equal(await take(rig, mail), undefined, 'somebody delivers it');
    rig.pass(1n);
    const again = await take(rig, mail);
    assert.equal(again?.id, mail.id, 'who took it has died');
    const before = await rig.other.mails.waitingMails(rig.now);
    await rig.other.mails.mailSent(rig.now, again);
    const { count } = await rig.store.mails.waitingMails(rig.now);
    assert.equal(count, before.count - 1);
    rig.pass(DAY_NS);
    assert.equal(await take(rig, mail), undefined);
  });

  test(`${adapter}: a mail that is put off waits until then, and not for a time that a clock ahead has written`, async () => {
    const rig = await start();
    const mail = newMail(rig);
    await rig.store.mails.oweMail(rig.now, mail);
    const taken = (await take(rig, mail))!;
    await rig.store.mails.putMailOff(taken, rig.later(5n * MINUTE_NS));
    rig.pass(5n * MINUTE_NS - 1n);
    assert.equal(await take(rig, mail), undefined);
    rig.pass(1n);
    const second = (await take(rig, mail))!;
    assert.equal(second.tries, 1);
    await rig.store.mails.putMailOff(taken, rig.later(1n));
    rig.pass(1n);
    assert.equal(await take(rig, mail), undefined, 'whoever took it before has no say any more');
    await rig.store.mails.putMailOff(second, rig.later(DAY_NS));
    assert.equal((await take(rig, mail))?.id, mail.id);
    await rig.other.mails.giveMailUp(second);
    rig.pass(DAY_NS);
    assert.equal(await take(rig, mail), undefined);
  });

  test(`${adapter}: whoever asks for a deletion is owed a mail, and the deletion itself owes the last one`, async () => {
    const rig = await start();
    const { id: accountId } = await rig.account();
    const email = `${accountId}@example.com`;
    await rig.store.people.setOwner(rig.operator, accountId, { email, key: email });
    await rig.store.people.askDeletion(rig.operator, accountId, null);
    await rig.store.people.askDeletion(rig.operator, accountId, null);
    const asked = await takeTo(rig, email);
    assert.deepEqual(
      asked.map(({ kind, details }) => [kind, details]),
      [['deletion-asked', { dueAt: `${rig.later(14n * DAY_NS)}` }]],
    );
    await rig.store.mails.mailSent(rig.now, asked[0]!);
    rig.pass(14n * DAY_NS);
    assert.deepEqual(await takeTo(rig, email), []);
    assert.ok(await rig.other.people.deleteAccount(rig.operator, accountId));
    assert.deepEqual(
      (await takeTo(rig, email)).map(({ id }) => id),
      [`account-deleted.${accountId}`],
    );
  });

  test(`${adapter}: whoever has used 80% and then 100% of a month's budget is owed a mail, each once and by each limit`, async () => {
    const rig = await start();
    const history = { plan: 'history', until: null } as const;
    const { id: accountId } = await rig.account([history]);
    const email = await owned(rig, accountId);
    await use(rig, accountId, 'computeUnits', 15_999_999_999);
    await rig.store.sweep(rig.now);
    assert.deepEqual(await takeTo(rig, email), []);
    await use(rig, accountId, 'computeUnits', 1);
    await rig.store.sweep(rig.now);
    await rig.other.sweep(rig.now);
    const [most, ...none] = await takeTo(rig, email);
    assert.deepEqual(none, []);
    assert.equal(most?.id, `usage.${accountId}.2026-09.computeUnits.20000000000.80`);
    assert.deepEqual(most.details, {
      budget: 'computeUnits',
      percent: '80',
      used: '16000000000',
      limit: '20000000000',
      period: '2026-09',
      resetsAt: `${BigInt(Date.UTC(2026, 9, 1)) * 1_000_000n}`,
    });
    await use(rig, accountId, 'computeUnits', 3_900_000_000);
    await use(rig, accountId, 'exportBytes', 20 * 2 ** 30);
    await rig.store.sweep(rig.now);
    const all = await takeTo(rig, email);
    assert.deepEqual(
      all.map(({ details }) => [details.budget, details.percent]).sort(),
      [
        ['computeUnits', '100'],
        ['exportBytes', '100'],
      ],
      'what is left is too little for a request',
    );
    await rig.store.setGrants(rig.operator, accountId, []);
    await rig.store.sweep(rig.now);
    assert.deepEqual(
      (await takeTo(rig, email)).map(({ details }) => details.limit),
      ['50000000'],
    );
  });

  test(`${adapter}: mails about a budget can be switched off, which another address keeps`, async () => {
    const rig = await start();
    const { id: accountId } = await rig.account();
    await owned(rig, accountId);
    await rig.store.people.setUsageMails(accountId, false);
    const email = await owned(rig, accountId, 'other');
    assert.equal((await rig.other.people.ownerOf(accountId))?.usageMails, false);
    await use(rig, accountId, 'computeUnits', 50_000_000);
    await rig.store.sweep(rig.now);
    assert.deepEqual(await takeTo(rig, email), []);
    await rig.store.people.setUsageMails(accountId, true);
    await rig.store.sweep(rig.now);
    assert.equal((await takeTo(rig, email)).length, 1);
  });
}

async function owned(rig: StoreRig, accountId: string, name = 'ada'): Promise<string> {
  const email = `${name}.${accountId}@example.com`;
  const owner = await rig.store.people.setOwner(rig.operator, accountId, { email, key: email });
  assert.ok('email' in owner);
  return email;
}

async function use(rig: StoreRig, accountId: string, budget: Budget, amount: number) {
  const request = rig.request(accountId, { budget, amount, limit: null });
  await rig.store.reserve(rig.now, request);
  assert.ok(await rig.store.settle(rig.now, request.id, { amount }));
}

function newMail(rig: StoreRig): NewMail {
  const id = rig.unique('mail').replace(' ', '.');
  const details = { subject: 'Hello', text: 'text', html: '<p>text</p>' };
  return { id, kind: 'composed', reader: 'ada@example.com', orderId: null, details };
}

async function take(rig: StoreRig, { id }: NewMail): Promise<OwedMail | undefined> {
  const until = rig.later(2n * MINUTE_NS);
  return (await rig.store.mails.takeMails(rig.now, until, ALL)).find((mail) => mail.id === id);
}

async function takeTo(rig: StoreRig, email: string): Promise<readonly OwedMail[]> {
  const until = rig.later(2n * MINUTE_NS);
  const taken = await rig.store.mails.takeMails(rig.now, until, ALL);
  return taken.filter(({ reader }) => reader === email);
}
