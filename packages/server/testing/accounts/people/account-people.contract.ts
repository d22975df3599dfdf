/** The suite's part about people: links, sign-ins, sessions, owners and deletion. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { EmailAddress } from '@tapeloom/core/person/email-address';
import type {
  LinkPurpose,
  NewLink,
  SessionRecord,
  SignedIn,
} from '../../../src/accounts/people/people-store.ts';
import type { AccountChange } from '../../../src/accounts/store/account-store.ts';
import type { StoreCall } from '../../../src/accounts/store/store-call.ts';
import { DAY_NS, SECOND_NS, type StoreRig } from '../store/account-store-rig.ts';

const MINUTE_NS = 60n * SECOND_NS;

export function testPeople(adapter: string, start: () => Promise<StoreRig>): void {
  testLinks(adapter, start);
  testSessions(adapter, start);
  testLeaving(adapter, start);
  testChangesOfMind(adapter, start);
  testNames(adapter, start);
  testMarks(adapter, start);
}

const hashOf = (rig: StoreRig) => rig.secret().hash;
const owner = ({ now }: StoreRig): StoreCall => ({ now, actor: { kind: 'owner' } });

function addressOf(rig: StoreRig): EmailAddress {
  const email = `${rig.unique('Person').replace(' ', '.')}@example.com`;
  return { email, key: email.toLowerCase() };
}

async function linkTo(
  rig: StoreRig,
  address: EmailAddress | null,
  more: Partial<NewLink> = {},
): Promise<string> {
  const hash = hashOf(rig);
  const askedFrom = rig.unique('neighbourhood');
  const link = { purpose: 'sign-in' as LinkPurpose, address, accountId: null, askedFrom, ...more };
  const made = await rig.store.people.addLink(rig.now, hash, link);
  assert.ok(!('refused' in made));
  return hash;
}

const newSession = (rig: StoreRig) => ({
  hash: hashOf(rig),
  browser: 'Firefox on Linux',
  replaces: null,
  askedFrom: rig.unique('neighbourhood'),
});

async function signIn(
  rig: StoreRig,
  address = addressOf(rig),
): Promise<SignedIn & { hash: string }> {
  const session = newSession(rig);
  const begun = await rig.store.people.signIn(rig.now, await linkTo(rig, address), session);
  assert.ok(!('refused' in begun));
  return { ...begun, hash: session.hash };
}

function testLinks(adapter: string, start: () => Promise<StoreRig>): void {
  test(`${adapter}: of many who use one link at once, in two processes, one signs in [SEC-05]`, async () => {
    const rig = await start();
    const hash = await linkTo(rig, addressOf(rig));
    const uses = Array.from({ length: 12 }, (_, index) =>
      rig.either(index).people.signIn(rig.now, hash, newSession(rig)),
    );
    const results = await Promise.all(uses);
    const begun = results.filter((it): it is SignedIn => !('refused' in it));
    assert.equal(begun.length, 1);
    const refused = results.filter((it) => 'refused' in it).map(({ refused }) => refused);
    assert.deepEqual(new Set(refused), new Set(['used']));
    const sessions = await rig.other.people.sessionsOf(begun[0]!.session.accountId, rig.now);
    assert.deepEqual(sessions, [begun[0]!.session]);
  });

  test(`${adapter}: a link is good up to its last nanosecond, for its purpose and its account only`, async () => {
    const rig = await start();
    const { session } = await signIn(rig);
    const late = addressOf(rig);
    const link = { purpose: 'email-change', accountId: session.accountId } as const;
    const hash = await linkTo(rig, late, link);
    const other = await signIn(rig);
    rig.pass(15n * MINUTE_NS - 1n);
    const { people } = rig.other;
    const foreign = await people.changeEmail(owner(rig), other.session.accountId, hash);
    assert.deepEqual(foreign, { refused: 'unknown' });
    const misused = await people.signIn(rig.now, hash, newSession(rig));
    assert.deepEqual(misused, { refused: 'unknown' });
    const found = await people.findLink(rig.now, hash);
    assert.ok(!('refused' in found) && found.account?.id === session.accountId);
    const after = rig.later(1n);
    assert.deepEqual(await people.findLink(after, hash), { refused: 'expired' });
    const tooLate = { ...owner(rig), now: after };
    const refused = await people.changeEmail(tooLate, session.accountId, hash);
    assert.deepEqual(refused, { refused: 'expired' });
    const changed = await people.changeEmail(owner(rig), session.accountId, hash);
    assert.deepEqual(changed, {
      accountId: session.accountId,
      email: late.email,
      since: session.createdAt,
      usageMails: true,
      secondFactor: false,
    });
    assert.deepEqual(await people.findLink(rig.now, hash), { refused: 'used' });
  });

  test(`${adapter}: only a link to the address that the account has approves another one or a deletion, once, however many use it`, async () => {
    const rig = await start();
    const address = addressOf(rig);
    const { session } = await signIn(rig, address);
    const { accountId } = session;
    const [newAddress, elsewhere] = [addressOf(rig), addressOf(rig)];
    const approval = { purpose: 'email-approval', accountId, newAddress } as const;
    const foreign = await linkTo(rig, elsewhere, approval);
    const made = () => ({ hash: hashOf(rig), askedFrom: rig.unique('from') });
    const { people } = rig.store;
    const unknown = { refused: 'unknown' };
    assert.deepEqual(await people.approveEmail(rig.now, accountId, foreign, made()), unknown);
    const hash = await linkTo(rig, address, approval);
    const found = await people.findLink(rig.now, hash);
    assert.ok(!('refused' in found) && found.newEmail === newAddress.email);
    const all = await Promise.all(
      Array.from({ length: 4 }, async (_, index) => {
        const link = made();
        const of = rig.either(index).people;
        return { link, answer: await of.approveEmail(rig.now, accountId, hash, link) };
      }),
    );
    const [approved, ...more] = all.filter(({ answer }) => 'email' in answer);
    assert.deepEqual([approved?.answer, more], [{ email: newAddress.email }, []]);
    const unused = all.filter((one) => one !== approved);
    for (const { link, answer } of unused) {
      assert.deepEqual(answer, { refused: 'used' });
      assert.deepEqual(await people.findLink(rig.now, link.hash), unknown);
    }
    const deletion = await linkTo(rig, address, { purpose: 'deletion', accountId });
    const late = await linkTo(rig, address, { purpose: 'deletion', accountId });
    const misused = await people.askDeletion(owner(rig), accountId, hash);
    assert.deepEqual(misused, unknown, 'for its purpose only');
    assert.ok('isNew' in (await people.askDeletion(owner(rig), accountId, deletion)));
    const again = await people.askDeletion(owner(rig), accountId, deletion);
    assert.deepEqual(again, { refused: 'used' });
    const changed = await rig.other.people.changeEmail(owner(rig), accountId, approved!.link.hash);
    assert.ok('email' in changed && changed.email === newAddress.email);
    const old = await people.askDeletion(owner(rig), accountId, late);
    assert.deepEqual(old, unknown, 'the account has another address by now');
    const until = rig.later(1n);
    const owed = (await rig.store.mails.takeMails(rig.now, until, 10_000))
      .filter(({ id }) => id.startsWith(`email-changed.${accountId}.`))
      .map(({ reader }) => reader);
    assert.deepEqual(owed.toSorted(), [address.email, newAddress.email].toSorted());
  });

  test(`${adapter}: of many links asked for at once, five go to one mailbox; of one neighbourhood twenty at once, and then one a minute`, async () => {
    const rig = await start();
    const address = addressOf(rig);
    const ask = (index: number, to: EmailAddress, askedFrom: string) =>
      rig.either(index).people.addLink(rig.now, hashOf(rig), {
        purpose: 'sign-in',
        address: to,
        accountId: null,
        askedFrom,
      });
    const toOne = await Promise.all(
      Array.from({ length: 12 }, (_, index) => ask(index, address, rig.unique('from'))),
    );
    assert.equal(toOne.filter((it) => !('refused' in it)).length, 5);
    const until = rig.later(60n * MINUTE_NS);
    assert.deepEqual(
      toOne.find((it) => 'refused' in it),
      { refused: 'too-many', until },
    );
    const from = rig.unique('from');
    const fromOne = await Promise.all(
      Array.from({ length: 30 }, (_, index) => ask(index, addressOf(rig), from)),
    );
    assert.equal(fromOne.filter((it) => !('refused' in it)).length, 20);
    const soon = { refused: 'too-many', until: rig.later(MINUTE_NS) } as const;
    assert.deepEqual(await ask(0, addressOf(rig), from), soon);
    rig.pass(MINUTE_NS);
    const next = await Promise.all([0, 1, 2].map((index) => ask(index, addressOf(rig), from)));
    assert.equal(next.filter((it) => !('refused' in it)).length, 1, 'one a minute');
    rig.pass(59n * MINUTE_NS - 1n);
    assert.ok('refused' in (await ask(0, address, rig.unique('from'))));
    rig.pass(1n);
    assert.ok(!('refused' in (await ask(0, address, rig.unique('from')))));
  });

  test(`${adapter}: two first sign-ins of one address end in one account`, async () => {
    const rig = await start();
    const address = addressOf(rig);
    const hashes = [await linkTo(rig, address), await linkTo(rig, address)];
    const results = await Promise.all(
      hashes.map((hash, index) => rig.either(index).people.signIn(rig.now, hash, newSession(rig))),
    );
    const begun = results.filter((it): it is SignedIn => !('refused' in it));
    assert.equal(begun.length, 2);
    assert.equal(new Set(begun.map(({ session }) => session.accountId)).size, 1);
    assert.deepEqual(begun.map(({ isNew }) => isNew).sort(), [false, true]);
    const known = await rig.other.people.ownerByEmail(address.key);
    assert.equal(known?.email, address.email);
  });
}

function testSessions(adapter: string, start: () => Promise<StoreRig>): void {
  test(`${adapter}: a session is found by its digest alone, and its end is heard before the call resolves and elsewhere within a second`, async () => {
    const rig = await start();
    const { session, hash } = await signIn(rig);
    assert.deepEqual(await rig.other.people.findSession(hash), session);
    assert.equal(await rig.other.people.findSession(session.id), null);
    const elsewhere = Promise.withResolvers<AccountChange>();
    using _other = rig.other.onChange((change) => {
      if (change.kind === 'session.ended') elsewhere.resolve(change);
    });
    const { accountId, id } = session;
    const heard: AccountChange[] = [];
    using _here = rig.store.onChange((change) => {
      // Earlier changes through the other handle may still arrive at any time.
      if (change.accountId === accountId) heard.push(change);
    });
    assert.equal(await rig.store.people.endSession(owner(rig), 'acc_other', id), false);
    assert.equal(await rig.store.people.endSession(owner(rig), accountId, id), true);
    const told = { accountId, keyId: id, kind: 'session.ended' } as const;
    assert.deepEqual(heard, [told]);
    assert.deepEqual(await elsewhere.promise, told);
    assert.equal(await rig.other.people.findSession(hash), null);
  });

  test(`${adapter}: ended sessions, old links and their counts are cleared away, and nothing that counts`, async () => {
    const rig = await start();
    const address = addressOf(rig);
    const { session, hash } = await signIn(rig, address);
    const fresh = await linkTo(rig, addressOf(rig));
    await rig.store.sweep(rig.now);
    assert.ok(!('refused' in (await rig.store.people.findLink(rig.now, fresh))));
    rig.pass(30n * DAY_NS - 1n);
    await rig.store.sweep(rig.now);
    assert.deepEqual(await rig.store.people.findLink(rig.now, fresh), { refused: 'unknown' });
    assert.deepEqual(await rig.store.people.findSession(hash), session);
    rig.pass(1n);
    assert.deepEqual(await rig.store.people.sessionsOf(session.accountId, rig.now), []);
    await rig.store.sweep(rig.now);
    assert.equal(await rig.store.people.findSession(hash), null);
    assert.ok(await rig.store.people.ownerOf(session.accountId));
  });

  test(`${adapter}: a later use of a session replaces an earlier one, never the other way`, async () => {
    const rig = await start();
    const { session } = await signIn(rig);
    const { accountId, id } = session;
    const later = rig.later(MINUTE_NS);
    await rig.store.people.touchSession(accountId, id, later);
    await rig.store.people.touchSession(accountId, id, rig.now);
    const [read] = await rig.other.people.sessionsOf(accountId, rig.now);
    assert.deepEqual(read, { ...session, lastUsedAt: later } satisfies SessionRecord);
  });
}

function testLeaving(adapter: string, start: () => Promise<StoreRig>): void {
  test(`${adapter}: an account is deleted when its time has come, once, and its id stays`, async () => {
    const rig = await start();
    const address = addressOf(rig);
    const { session } = await signIn(rig, address);
    const { accountId } = session;
    const key = await rig.key(accountId);
    const { people } = rig.store;
    const asked = await people.askDeletion(owner(rig), accountId, null);
    assert.ok(!('refused' in asked));
    assert.equal(asked.dueAt, rig.later(14n * DAY_NS));
    rig.pass(14n * DAY_NS - 1n);
    assert.equal(await people.deleteAccount(owner(rig), accountId), false, 'not yet');
    assert.ok(!(await people.deletionsDue(rig.now)).includes(accountId));
    rig.pass(1n);
    assert.ok((await rig.other.people.deletionsDue(rig.now)).includes(accountId));
    assert.equal(await people.withdrawDeletion(owner(rig), accountId), false, 'too late');
    const both = await Promise.all([
      rig.store.people.deleteAccount(owner(rig), accountId),
      rig.other.people.deleteAccount(owner(rig), accountId),
    ]);
    assert.deepEqual(both.toSorted(), [false, true]);
    assert.equal((await rig.other.findKeyById(accountId, key.id))?.key.revokedAt, rig.now);
    assert.equal(await people.ownerOf(accountId), null);
    assert.ok(!(await people.deletionsDue(rig.now)).includes(accountId));
    const told = await rig.store.audit({ accountId, limit: 20 });
    assert.ok(!JSON.stringify(told, text).includes(address.email));
    assert.equal(told.at(-1)!.kind, 'account.deleted');
    const again = await people.setOwner(owner(rig), accountId, addressOf(rig));
    assert.deepEqual(again, { refused: 'not-found' }, 'nobody owns what is left');
  });
}

function testChangesOfMind(adapter: string, start: () => Promise<StoreRig>): void {
  test(`${adapter}: who asks for a deletion and withdraws it, again and again, is refused until a day has passed [SEC-40]`, async () => {
    const rig = await start();
    const { session } = await signIn(rig, addressOf(rig));
    const { accountId } = session;
    const { people } = rig.store;
    const first = rig.now;
    for (let times = 0; times < 5; times += 1) {
      const asked = await people.askDeletion(owner(rig), accountId, null);
      assert.ok('isNew' in asked && asked.isNew);
      const again = await people.askDeletion(owner(rig), accountId, null);
      assert.ok('isNew' in again && !again.isNew);
      assert.ok(await people.withdrawDeletion(owner(rig), accountId));
      rig.pass(1n);
    }
    const refused = { refused: 'too-many', until: (first + DAY_NS) as EpochNs };
    assert.deepEqual(await people.askDeletion(owner(rig), accountId, null), refused);
    assert.equal(await people.deletionOf(accountId), null);
    rig.pass(first + DAY_NS - rig.now);
    assert.ok('isNew' in (await people.askDeletion(owner(rig), accountId, null)));
  });
}

function testNames(adapter: string, start: () => Promise<StoreRig>): void {
  test(`${adapter}: a name that somebody gave to an account or a key does not outlive the account`, async () => {
    const rig = await start();
    const address = addressOf(rig);
    const named = { name: address.email, grants: [] };
    const account = await rig.store.createAccount(rig.operator, named);
    assert.ok(!('refused' in account));
    const accountId = account.id;
    await rig.store.people.setOwner(rig.operator, accountId, address);
    const key = await rig.key(accountId, { name: `${address.email} (laptop)` });
    await rig.store.people.askDeletion(owner(rig), accountId, null);
    rig.pass(14n * DAY_NS);
    assert.ok(await rig.store.people.deleteAccount(owner(rig), accountId));
    const left = [
      await rig.other.findAccount(accountId),
      await rig.other.findKeyById(accountId, key.id),
      await rig.other.audit({ accountId, limit: 20 }),
    ];
    assert.ok(!JSON.stringify(left, text).includes(address.email), JSON.stringify(left, text));
  });
}

function testMarks(adapter: string, start: () => Promise<StoreRig>): void {
  test(`${adapter}: an account is marked once, unmarked, and keeps no mark when it is deleted`, async () => {
    const rig = await start();
    const { people } = rig.store;
    const { session } = await signIn(rig, addressOf(rig));
    const { accountId } = session;
    const other = (await signIn(rig, addressOf(rig))).session.accountId;
    const marks = async () => [...(await rig.other.people.marksOf(accountId))].sort();
    assert.deepEqual(await marks(), []);
    await people.setMark(rig.now, accountId, 'both', true);
    await people.setMark(rig.now, accountId, 'both', true);
    await people.markStreamed(rig.now, [other, accountId, 'acc_none']);
    await people.markStreamed(rig.now, [accountId]);
    assert.deepEqual(await marks(), ['both', 'streamed']);
    assert.deepEqual([...(await people.marksOf(other))], ['streamed']);
    await people.setMark(rig.now, accountId, 'both', false);
    await people.setMark(rig.now, accountId, 'both', false);
    assert.deepEqual(await marks(), ['streamed']);
    await people.askDeletion(owner(rig), accountId, null);
    rig.pass(14n * DAY_NS);
    assert.ok(await people.deleteAccount(owner(rig), accountId));
    await people.markStreamed(rig.now, [accountId]);
    assert.deepEqual(await marks(), []);
  });
}

function text(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value as EpochNs) : value;
}
