/** The account store's contract: stream tokens of sessions. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { signIn } from '../../portal/signed-in.ts';
import { DAY_NS, SECOND_NS, type StoreRig } from '../store/account-store-rig.ts';

export function testSessionTokens(adapter: string, start: () => Promise<StoreRig>): void {
  const begun = async () => {
    const rig = await start();
    const account = await rig.account([{ plan: 'live', until: null }]);
    const { session } = await signIn(rig.store, rig.now, account.id);
    const token = (sessionId = session.id) => ({
      hash: rig.secret().hash,
      sessionId,
      expiresAt: rig.later(60n * SECOND_NS),
    });
    const issue = (of: ReturnType<typeof token>) =>
      rig.store.issueSessionToken(rig.now, account.id, of);
    return { rig, account, session, token, issue };
  };

  test(`${adapter}: who comes with the token of a session is a key that may stream and ends with it`, async () => {
    const { rig, account, session, token, issue } = await begun();
    const given = token();
    assert.equal(await issue(given), true);
    const found = await rig.other.consumeToken(rig.now, given.hash);
    const key = {
      id: session.id,
      accountId: account.id,
      name: 'portal',
      environment: 'live',
      scopes: ['stream'],
      instruments: null,
      allowedIps: null,
      createdAt: session.createdAt,
      expiresAt: session.expiresAt,
      lastUsedAt: null,
      revokedAt: null,
      rotatedTo: null,
      hint: '',
    };
    assert.deepEqual(found, { key, account });
    assert.equal(await rig.store.consumeToken(rig.now, given.hash), null, 'once');
    assert.deepEqual(await rig.store.findKeyById(null, session.id), { key, account });
    // Only the service itself sees it as a key.
    assert.equal(await rig.store.findKeyById(account.id, session.id), null);
    const revoked = await rig.store.revokeKey(rig.operator, account.id, session.id);
    assert.deepEqual(revoked, { refused: 'not-found' });
    assert.deepEqual(await rig.store.listKeys(rig.now, account.id), []);
    assert.equal(await rig.store.issueToken(rig.now, { ...token(), keyId: session.id }), false);
  });

  test(`${adapter}: a token of a session is good for its time, and while the session goes on`, async () => {
    const { rig, account, session, token, issue } = await begun();
    const [late, ended] = [token(), token()];
    for (const given of [late, ended]) assert.equal(await issue(given), true);
    assert.equal(await rig.store.consumeToken(rig.later(60n * SECOND_NS), late.hash), null);
    const owner = { now: rig.now, actor: { kind: 'owner' } } as const;
    assert.equal(await rig.other.people.endSession(owner, account.id, session.id), true);
    assert.equal(await rig.store.consumeToken(rig.now, ended.hash), null);
    assert.equal(await issue(token()), false);
    assert.equal(await issue(token('session_none')), false);
    assert.equal(await rig.store.findKeyById(null, session.id), null);
  });

  test(`${adapter}: a session of 30 days issues no more tokens, and sweeping takes expired ones`, async () => {
    const { rig, session, token, issue } = await begun();
    const forgotten = token();
    await issue(forgotten);
    await rig.store.sweep(rig.later(61n * SECOND_NS));
    assert.equal(await rig.store.consumeToken(rig.now, forgotten.hash), null);
    rig.now = (session.expiresAt - 1n) as EpochNs;
    assert.equal(await issue(token()), true);
    rig.now = session.expiresAt;
    assert.equal(await issue(token()), false);
    assert.equal(session.expiresAt - session.createdAt, 30n * DAY_NS);
  });
}
