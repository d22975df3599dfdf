/** The suite's part about a clock that was a day ahead: its records neither lock customers out nor live longer. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EmailAddress } from '@tapeloom/core/person/email-address';
import { NEW_ACCOUNTS_AT_ONCE } from '../../../src/accounts/people/people-store.ts';
import { DAY_NS, SECOND_NS, type StoreRig } from './account-store-rig.ts';

const HOUR_NS = 3_600n * SECOND_NS;
const MINUTE_NS = 60n * SECOND_NS;

/** Runs `work` while the clock is ahead by a day, or by the tolerated difference between nodes. */
async function ahead<Result>(
  rig: StoreRig,
  work: () => Promise<Result>,
  ns = DAY_NS,
): Promise<Result> {
  rig.pass(ns);
  const result = await work();
  rig.pass(-ns);
  return result;
}

function addressOf(rig: StoreRig): EmailAddress {
  const email = `${rig.unique('Person').replace(' ', '.')}@example.com`;
  return { email, key: email.toLowerCase() };
}

const ask = async (rig: StoreRig, address: EmailAddress, askedFrom = rig.unique('from')) => {
  const { hash } = rig.secret();
  const link = { purpose: 'sign-in', address, accountId: null, askedFrom } as const;
  return { hash, made: await rig.store.people.addLink(rig.now, hash, link) };
};

async function signIn(rig: StoreRig, askedFrom = rig.unique('from')) {
  const { hash: link } = await ask(rig, addressOf(rig));
  const { hash } = rig.secret();
  const session = { hash, browser: 'Firefox', replaces: null, askedFrom };
  return await rig.store.people.signIn(rig.now, link, session);
}

export function testWrongClock(adapter: string, start: () => Promise<StoreRig>): void {
  testLimits(adapter, start);
  testLives(adapter, start);
}

function testLimits(adapter: string, start: () => Promise<StoreRig>): void {
  test(`${adapter}: links, accounts, deletions and keys that a clock ahead has counted shut nobody out once it is right`, async () => {
    const rig = await start();
    const address = addressOf(rig);
    const from = rig.unique('from');
    const account = await rig.account();
    const key = await rig.key(account.id);
    const owner = () => ({ now: rig.now, actor: { kind: 'owner' } }) as const;
    await ahead(rig, async () => {
      for (let count = 0; count < 5; count += 1) {
        assert.ok('expiresAt' in (await ask(rig, address)).made);
        await rig.store.people.askDeletion(owner(), account.id, null);
        await rig.store.people.withdrawDeletion(owner(), account.id);
      }
      for (let count = 0; count < NEW_ACCOUNTS_AT_ONCE; count += 1) {
        assert.ok('session' in (await signIn(rig, from)));
      }
      assert.ok('refused' in (await ask(rig, address)).made);
      assert.ok('refused' in (await signIn(rig, from)));
      for (let count = 0; count < 200; count += 1) {
        const made = await rig.store.createKey(rig.by(key), account.id, KEY, rig.secret());
        if ('refused' in made) break;
        await rig.store.revokeKey(rig.by(key), account.id, made.id);
      }
    });
    assert.ok('expiresAt' in (await ask(rig, address)).made);
    assert.ok('session' in (await signIn(rig, from)));
    assert.ok('isNew' in (await rig.store.people.askDeletion(owner(), account.id, null)));
    const made = await rig.store.createKey(rig.by(key), account.id, KEY, rig.secret());
    assert.ok(!('refused' in made));
  });

  test(`${adapter}: where the clocks of nodes differ by seconds a limit holds, and for no longer than it says`, async () => {
    const rig = await start();
    const address = addressOf(rig);
    await ahead(
      rig,
      async () => {
        for (let count = 0; count < 5; count += 1) await ask(rig, address);
      },
      5n * SECOND_NS,
    );
    const { made } = await ask(rig, address);
    assert.deepEqual(made, { refused: 'too-many', until: rig.later(HOUR_NS) });
  });
}

const KEY = {
  name: 'a key',
  environment: 'live',
  scopes: ['stream'],
  instruments: null,
  allowedIps: null,
  expiresAt: null,
} as const;

function testLives(adapter: string, start: () => Promise<StoreRig>): void {
  test(`${adapter}: a link, a session and a stream token that a clock ahead has made are over once it is right`, async () => {
    const rig = await start();
    const key = await rig.key((await rig.account()).id);
    const token = rig.secret().hash;
    const { link, begun } = await ahead(rig, async () => {
      const expiresAt = rig.later(MINUTE_NS);
      assert.ok(await rig.store.issueToken(rig.now, { hash: token, keyId: key.id, expiresAt }));
      return { link: (await ask(rig, addressOf(rig))).hash, begun: await signIn(rig) };
    });
    assert.ok('session' in begun);
    assert.equal(await rig.store.consumeToken(rig.now, token), null);
    assert.deepEqual(await rig.store.people.findLink(rig.now, link), { refused: 'expired' });
    const session = { ...rig.secret(), browser: 'B', replaces: null, askedFrom: 'x' };
    const used = await rig.store.people.signIn(rig.now, link, session);
    assert.deepEqual(used, { refused: 'expired' });
    assert.deepEqual(await rig.store.people.sessionsOf(begun.session.accountId, rig.now), []);
    // Links and tokens do not become valid either when the clock catches up.
    await rig.store.sweep(rig.now);
    rig.pass(DAY_NS);
    assert.deepEqual(await rig.store.people.findLink(rig.now, link), { refused: 'unknown' });
  });
}
