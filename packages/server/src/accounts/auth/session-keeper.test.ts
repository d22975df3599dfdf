import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import { START } from '../../../testing/accounts/store/account-store-rig.ts';
import type { PeopleStore, SessionRecord } from '../people/people-store.ts';
import type { AccountStore } from '../store/account-store.ts';
import { openSqliteAccountStore } from '../store/sqlite/sqlite-account-store.ts';
import type { StoreCall } from '../store/store-call.ts';
import { digestOf, newLinkText, newSessionText } from './secret.ts';
import { SessionKeeper } from './session-keeper.ts';

const DAY_MS = 86_400_000;

let store: AccountStore;
before(async () => {
  store = await openSqliteAccountStore(':memory:');
});
after(() => store[Symbol.asyncDispose]());

let made = 0;
const bytes = (size: number) => new Uint8Array(size).fill(++made);

/** A keeper over the store, with a record of its reads, and a signed-in owner. */
async function keeping() {
  const clock = new ManualClock(START);
  const reads: string[] = [];
  let onRead: () => void | Promise<void> = () => {};
  const people = {
    findSession: async (hash: string) => {
      reads.push(hash);
      const found = await store.people.findSession(hash);
      await onRead();
      return found;
    },
    touchSession: (...args: Parameters<PeopleStore['touchSession']>) =>
      store.people.touchSession(...args),
  };
  const watched = {
    people: people as unknown as PeopleStore,
    onChange: (listener: Parameters<AccountStore['onChange']>[0]) => store.onChange(listener),
  };
  const keeper = new SessionKeeper({ store: watched, clock, onFault: assert.ifError });
  const signIn = async () => {
    const [link, text] = [newLinkText(bytes), newSessionText(bytes)];
    const email = `keeper${made}@example.com`;
    const askedFrom = `somewhere ${made}`;
    const wanted = { purpose: 'sign-in', address: { email, key: email }, accountId: null } as const;
    await store.people.addLink(clock.now(), digestOf(link).hash, { ...wanted, askedFrom });
    const session = { hash: digestOf(text).hash, browser: 'curl', replaces: null, askedFrom };
    const begun = await store.people.signIn(clock.now(), digestOf(link).hash, session);
    assert.ok(!('refused' in begun));
    return { text, record: begun.session };
  };
  return {
    clock,
    keeper,
    reads,
    signIn,
    whileReading: (run: () => void | Promise<void>) => {
      onRead = run;
    },
    [Symbol.dispose]: () => keeper[Symbol.dispose](),
  };
}

const owner = (now: EpochNs): StoreCall => ({ now, actor: { kind: 'owner' } });
const end = ({ accountId, id }: SessionRecord) =>
  store.people.endSession(owner(START), accountId, id);

test('a session that was seen is known for a second without a look at the disk', async () => {
  using rig = await keeping();
  const { keeper, clock, reads } = rig;
  const { text, record } = await rig.signIn();
  assert.equal(keeper.recall(text), null);
  assert.equal((await keeper.find(text)).verdict, 'accepted');
  clock.advance(999);
  const known = keeper.recall(text);
  assert.ok(known?.verdict === 'accepted');
  const { browser: _, lastUsedAt: __, ...session } = record;
  assert.deepEqual(known.session, session);
  clock.advance(1);
  assert.equal(keeper.recall(text), null);
  assert.equal(reads.length, 1);
});

test('what ends is forgotten at once, also what is being read meanwhile', async () => {
  using rig = await keeping();
  const { keeper } = rig;
  const { text, record } = await rig.signIn();
  await keeper.find(text);
  await end(record);
  assert.equal(keeper.recall(text), null);
  assert.deepEqual(await keeper.find(text), { verdict: 'unknown' });
  const other = await rig.signIn();
  rig.whileReading(async () => {
    await end(other.record);
  });
  await keeper.find(other.text);
  assert.equal(keeper.recall(other.text), null, 'it was not remembered');
  assert.equal(keeper.size, 0);
});

test('the end of a session is judged by the clock, also from memory', async () => {
  using rig = await keeping();
  const { keeper, clock } = rig;
  const { text } = await rig.signIn();
  clock.advance(30 * DAY_MS - 1);
  assert.equal((await keeper.find(text)).verdict, 'accepted');
  clock.advance(1);
  assert.deepEqual(keeper.recall(text), { verdict: 'expired' });
  clock.advance(1_000);
  assert.deepEqual(await keeper.find(text), { verdict: 'expired' });
});

test('texts that are no session cost no look at the disk and are not remembered', async () => {
  using rig = await keeping();
  const { keeper, reads } = rig;
  const { text } = await rig.signIn();
  for (const wrong of [
    '',
    'x',
    text.slice(1),
    `${text}0`,
    newLinkText(bytes),
    text.replace('6', '7'),
  ]) {
    if (wrong === text) continue;
    assert.deepEqual(keeper.recall(wrong), { verdict: 'malformed' });
    assert.deepEqual(await keeper.find(wrong), { verdict: 'malformed' });
  }
  assert.deepEqual(keeper.recall(undefined), { verdict: 'missing' });
  assert.equal(reads.length, 0);
  assert.deepEqual(await keeper.find(newSessionText(bytes)), { verdict: 'unknown' });
  assert.equal(keeper.size, 0);
});

test('what was read long ago makes room for what is read now', async () => {
  using rig = await keeping();
  const { keeper, clock } = rig;
  for (let count = 0; count < 3; count += 1) await keeper.find((await rig.signIn()).text);
  assert.equal(keeper.size, 3);
  clock.advance(1_000);
  await keeper.find((await rig.signIn()).text);
  assert.equal(keeper.size, 1);
});
