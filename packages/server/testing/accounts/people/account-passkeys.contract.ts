/** The suite's part about passkeys: challenges, uses, limits and recoveries, over two handles on one store. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NewPasskey } from '../../../src/accounts/people/passkeys-store.ts';
import type { StoreCall } from '../../../src/accounts/store/store-call.ts';
import { DAY_NS, SECOND_NS, type StoreRig } from '../store/account-store-rig.ts';

const MINUTE_NS = 60n * SECOND_NS;
const SIGN_IN = { purpose: 'sign-in', sessionId: null } as const;

const owner = ({ now }: StoreRig): StoreCall => ({ now, actor: { kind: 'owner' } });

function newPasskey(rig: StoreRig, more: Partial<NewPasskey> = {}): NewPasskey {
  const credentialId = rig.unique('credential');
  return { credentialId, publicKey: 'key', counter: 0, transports: ['usb'], name: 'a', ...more };
}

async function owned(rig: StoreRig) {
  const account = await rig.account();
  const email = `${rig.unique('passkeys').replace(' ', '.')}@example.com`;
  const address = { email, key: email };
  assert.ok(!('refused' in (await rig.store.people.setOwner(rig.operator, account.id, address))));
  return { accountId: account.id, address };
}

async function added(rig: StoreRig, accountId: string, more: Partial<NewPasskey> = {}) {
  const made = await rig.store.passkeys.addPasskey(owner(rig), accountId, newPasskey(rig, more));
  return 'refused' in made ? assert.fail(made.refused) : made;
}

async function linkTo(rig: StoreRig, address: { email: string; key: string }): Promise<string> {
  const { hash } = rig.secret();
  const askedFrom = rig.unique('neighbourhood');
  const link = { purpose: 'sign-in', address, accountId: null, askedFrom } as const;
  assert.ok(!('refused' in (await rig.store.people.addLink(rig.now, hash, link))));
  return hash;
}

const newSession = (rig: StoreRig) => ({
  hash: rig.secret().hash,
  browser: 'Firefox on Linux',
  replaces: null,
  askedFrom: rig.unique('neighbourhood'),
});

export function testPasskeys(adapter: string, start: () => Promise<StoreRig>): void {
  testChallenges(adapter, start);
  testUses(adapter, start);
  testRecoveries(adapter, start);
}

function testChallenges(adapter: string, start: () => Promise<StoreRig>): void {
  test(`${adapter}: a challenge is used once, by one of many, for its purpose and session, and for 5 minutes`, async () => {
    const rig = await start();
    const add = async (sessionId: string | null = null) => {
      const { hash } = rig.secret();
      const askedBy = rig.unique('asker');
      const challenge = { ...SIGN_IN, sessionId, askedBy };
      assert.ok(!('refused' in (await rig.store.passkeys.addChallenge(rig.now, hash, challenge))));
      return hash;
    };
    const hash = await add();
    const uses = await Promise.all(
      [0, 1, 2, 3].map((n) => rig.either(n).passkeys.useChallenge(rig.now, hash, SIGN_IN)),
    );
    assert.equal(uses.filter((isGood) => isGood).length, 1);
    const bound = await add('ses_1');
    const { passkeys } = rig.other;
    assert.equal(await passkeys.useChallenge(rig.now, bound, SIGN_IN), false);
    const another = { purpose: 'key', sessionId: 'ses_1' } as const;
    assert.equal(await passkeys.useChallenge(rig.now, bound, another), false);
    const mine = { ...SIGN_IN, sessionId: 'ses_1' };
    assert.equal(await passkeys.useChallenge(rig.later(5n * MINUTE_NS), bound, mine), false);
    assert.equal(await passkeys.useChallenge(rig.later(5n * MINUTE_NS - 1n), bound, mine), true);
  });

  test(`${adapter}: an asker has a hundred challenges open at most, also when many ask at a time`, async () => {
    const rig = await start();
    const askedBy = rig.unique('asker');
    const ask = (n: number) =>
      rig.either(n).passkeys.addChallenge(rig.now, rig.secret().hash, { ...SIGN_IN, askedBy });
    const made = [];
    for (let count = 0; count < 11; count += 1) {
      made.push(...(await Promise.all(Array.from({ length: 10 }, (_, n) => ask(n)))));
    }
    const refused = made.filter((one) => 'refused' in one);
    assert.equal(refused.length, 10);
    assert.deepEqual(refused[0], { refused: 'too-many', until: rig.later(5n * MINUTE_NS) });
    rig.pass(5n * MINUTE_NS);
    assert.ok('expiresAt' in (await ask(0)));
  });
}

function testUses(adapter: string, start: () => Promise<StoreRig>): void {
  test(`${adapter}: a passkey is of one account, listed, found by what it signed, and gone when it is removed`, async () => {
    const rig = await start();
    const { accountId } = await owned(rig);
    const { accountId: otherId } = await owned(rig);
    const passkey = await added(rig, accountId, { name: 'My laptop', counter: 7 });
    assert.match(passkey.id, /^pky_[0-9a-f]{20}$/);
    const shown = {
      accountId,
      createdAt: rig.now,
      lastUsedAt: null,
      name: 'My laptop',
      counter: 7,
    };
    assert.deepEqual(passkey, { ...passkey, ...shown, transports: ['usb'] });
    assert.deepEqual(await rig.other.passkeys.passkeysOf(accountId), [passkey]);
    const again = newPasskey(rig, { credentialId: passkey.credentialId });
    const known = await rig.other.passkeys.addPasskey(owner(rig), otherId, again);
    assert.deepEqual(known, { refused: 'known' });
    const { hash } = rig.secret();
    const askedBy = rig.unique('asker');
    await rig.store.passkeys.addChallenge(rig.now, hash, { ...SIGN_IN, askedBy });
    const { passkeys } = rig.other;
    const found = await passkeys.signedBy(rig.now, hash, SIGN_IN, passkey.credentialId);
    assert.deepEqual(found, passkey);
    assert.equal(await passkeys.signedBy(rig.now, hash, SIGN_IN, passkey.credentialId), null);
    assert.equal(await passkeys.removePasskey(owner(rig), otherId, passkey.id), false);
    assert.equal(await passkeys.removePasskey(owner(rig), accountId, passkey.id), true);
    assert.equal(await passkeys.removePasskey(owner(rig), accountId, passkey.id), false);
    assert.deepEqual(await rig.store.passkeys.passkeysOf(accountId), []);
    const events = await rig.store.audit({ accountId, limit: 20 });
    const kinds = events.map(({ kind }) => kind);
    assert.deepEqual(kinds.slice(-2), ['passkey.added', 'passkey.removed']);
    const told = JSON.stringify(events, (_, it) => (typeof it === 'bigint' ? `${it}` : it));
    assert.ok(!told.includes('My laptop'), 'a name may be of somebody');
  });

  test(`${adapter}: of uses with one counter one counts, and a counter never goes back; 0 means that it does not count`, async () => {
    const rig = await start();
    const { accountId } = await owned(rig);
    const { id: passkeyId } = await added(rig, accountId, { counter: 3 });
    const use = (counter: number, n = 0, id = passkeyId) =>
      rig.either(n).passkeys.usePasskey(rig.now, accountId, { passkeyId: id, counter });
    const uses = await Promise.all([0, 1, 2, 3].map((n) => use(4, n)));
    assert.equal(uses.filter((isGood) => isGood).length, 1);
    assert.deepEqual(
      [await use(3), await use(4), await use(0), await use(5)],
      [false, false, false, true],
    );
    const { id: silent } = await added(rig, accountId);
    assert.deepEqual([await use(0, 0, silent), await use(0, 1, silent)], [true, true]);
    const list = await rig.store.passkeys.passkeysOf(accountId);
    const first = list.find(({ id }) => id === passkeyId);
    assert.deepEqual([first?.counter, first?.lastUsedAt], [5, rig.now]);
    const begun = await rig.store.passkeys.signInByPasskey(
      rig.now,
      accountId,
      { passkeyId, counter: 5 },
      newSession(rig),
    );
    assert.deepEqual(begun, { refused: 'passkey' });
    const session = newSession(rig);
    const good = { passkeyId, counter: 6 };
    const signedIn = await rig.store.passkeys.signInByPasskey(rig.now, accountId, good, session);
    assert.ok('session' in signedIn);
    assert.equal((await rig.other.people.findSession(session.hash))?.accountId, accountId);
  });

  test(`${adapter}: of many added at a time ten are kept, and twenty a day`, async () => {
    const rig = await start();
    const { accountId } = await owned(rig);
    const add = (n: number) =>
      rig.either(n).passkeys.addPasskey(owner(rig), accountId, newPasskey(rig));
    const made = await Promise.all(Array.from({ length: 12 }, (_, n) => add(n)));
    const refused = made.filter((one) => 'refused' in one && one.refused === 'too-many-passkeys');
    assert.equal(refused.length, 2);
    assert.equal(await rig.store.passkeys.removePasskeys(rig.operator, accountId), 10);
    rig.pass(1n);
    for (let count = 0; count < 10; count += 1) assert.ok('id' in (await add(count)));
    await rig.store.passkeys.removePasskeys(rig.operator, accountId);
    const until = rig.later(DAY_NS - 1n);
    assert.deepEqual(await add(0), { refused: 'too-many', until });
  });

  test(`${adapter}: the second factor needs a passkey beside the link, and goes with the last passkey`, async () => {
    const rig = await start();
    const { accountId, address } = await owned(rig);
    const { passkeys, people } = rig.store;
    assert.equal(await passkeys.setSecondFactor(owner(rig), accountId, true), false);
    const { id: passkeyId } = await added(rig, accountId);
    assert.equal(await passkeys.setSecondFactor(owner(rig), accountId, true), true);
    assert.equal((await rig.other.people.ownerOf(accountId))?.secondFactor, true);
    const hash = await linkTo(rig, address);
    const signIn = (use: { passkeyId: string; counter: number } | null) =>
      people.signIn(rig.now, hash, newSession(rig), use);
    assert.deepEqual(await signIn(null), { refused: 'needs-passkey' });
    const { accountId: otherId } = await owned(rig);
    const foreign = await added(rig, otherId);
    const wrong = { passkeyId: foreign.id, counter: 1 };
    assert.deepEqual(await signIn(wrong), { refused: 'passkey' });
    assert.ok('session' in (await signIn({ passkeyId, counter: 1 })));
    await passkeys.removePasskey(owner(rig), accountId, passkeyId);
    assert.equal((await people.ownerOf(accountId))?.secondFactor, false);
    const kinds = (await rig.store.audit({ accountId, limit: 20 })).map(({ kind }) => kind);
    assert.ok(kinds.includes('account.second-factor-changed'));
  });
}

function testRecoveries(adapter: string, start: () => Promise<StoreRig>): void {
  const stopOf = (rig: StoreRig) => ({ hash: rig.secret().hash, token: 'the token' });

  test(`${adapter}: a recovery is done by housekeeping once its day is over, unless it was stopped`, async () => {
    const rig = await start();
    const [lost, kept] = [await owned(rig), await owned(rig)];
    for (const { accountId } of [lost, kept]) await added(rig, accountId);
    const stops = [];
    for (const { address } of [lost, kept]) {
      const stop = stopOf(rig);
      stops.push(stop.hash);
      const hash = await linkTo(rig, address);
      const asked = await rig.store.passkeys.askRecovery(owner(rig), hash, stop);
      assert.deepEqual(asked, { askedAt: rig.now, dueAt: rig.later(DAY_NS) });
      const again = await rig.other.passkeys.askRecovery(owner(rig), hash, stopOf(rig));
      assert.deepEqual(again, { refused: 'used' });
    }
    rig.pass(DAY_NS - 1n);
    await rig.store.sweep(rig.now);
    assert.equal((await rig.store.passkeys.passkeysOf(lost.accountId)).length, 1);
    const stopped = await rig.other.passkeys.stopRecoveryByLink(owner(rig), stops[1]!);
    assert.deepEqual(stopped, { email: kept.address.email });
    const twice = await rig.store.passkeys.stopRecoveryByLink(owner(rig), stops[1]!);
    assert.deepEqual(twice, { refused: 'used' });
    rig.pass(1n);
    await rig.other.sweep(rig.now);
    assert.deepEqual(await rig.store.passkeys.passkeysOf(lost.accountId), []);
    assert.equal(await rig.store.passkeys.recoveryOf(lost.accountId), null);
    assert.equal((await rig.store.passkeys.passkeysOf(kept.accountId)).length, 1);
    const late = await rig.store.passkeys.stopRecoveryByLink(owner(rig), stops[0]!);
    assert.ok('refused' in late);
    const mails = await rig.store.mails.takeMails(rig.now, rig.now, 1_000);
    const kinds = mails
      .filter(({ reader }) => reader === lost.address.email)
      .map(({ kind }) => kind);
    assert.deepEqual(kinds.toSorted(), ['passkey-added', 'passkeys-removed', 'recovery-asked']);
  });

  test(`${adapter}: a recovery that a clock ahead has begun ends, its owner is mailed, and it can be asked for again`, async () => {
    const rig = await start();
    const { accountId, address } = await owned(rig);
    await added(rig, accountId);
    const [early, late] = [await linkTo(rig, address), await linkTo(rig, address)];
    // Within the link's validity.
    const ahead = { ...owner(rig), now: rig.later(DAY_NS / 288n) };
    const asked = await rig.store.passkeys.askRecovery(ahead, early, stopOf(rig));
    assert.ok('askedAt' in asked);
    await rig.store.sweep(rig.now);
    assert.equal(await rig.store.passkeys.recoveryOf(accountId), null);
    assert.equal((await rig.store.passkeys.passkeysOf(accountId)).length, 1);
    const mails = await rig.store.mails.takeMails(rig.now, rig.now, 1_000);
    const kinds = mails.filter(({ reader }) => reader === address.email).map(({ kind }) => kind);
    assert.ok(kinds.includes('recovery-stopped'));
    const again = await rig.store.passkeys.askRecovery(owner(rig), late, stopOf(rig));
    assert.ok('dueAt' in again && again.dueAt === rig.later(DAY_NS), 'it waits its day');
  });
}
