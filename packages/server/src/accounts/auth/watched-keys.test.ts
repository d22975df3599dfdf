/** The announcements of an authenticator for the keys it watches. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { AuthenticatorDesk } from '../../../testing/accounts/auth/authenticator-desk.ts';
import type { RightsChange } from './authenticator.ts';
import { StoreAuthenticator } from './store-authenticator.ts';

const SECOND_NS = 1_000_000_000n;

test('a watched key is announced as ended when it is revoked, before the revocation resolves', async () => {
  await using desk = await AuthenticatorDesk.open();
  const key = await desk.accounts.key(await desk.accounts.account());
  using watching = await desk.watch(key);
  await desk.accounts.revoke(key);
  assert.deepEqual(desk.heard, [{ t: 'key-ended', keyId: key.record.id }]);
  assert.equal(await desk.authenticator.refresh(key.record.id), null);
  watching[Symbol.dispose]();
});

test('a watched key is announced as ended within two seconds of its expiry, and once', async () => {
  await using desk = await AuthenticatorDesk.open();
  const accountId = await desk.accounts.account();
  const key = await desk.accounts.key(accountId, { expiresAt: desk.at(60.5) });
  using _ = await desk.watch(key);
  desk.clock.advanceTo(desk.at(60.4));
  assert.deepEqual(desk.heard, []);
  desk.clock.advanceTo(desk.at(60.5) + 2n * SECOND_NS);
  assert.deepEqual(desk.heard, [{ t: 'key-ended', keyId: key.record.id }]);
  desk.clock.advance(10_000);
  assert.equal(desk.heard.length, 1);
});

test('a rotation ends a watched key at once or after its grace period', async () => {
  await using desk = await AuthenticatorDesk.open();
  const accountId = await desk.accounts.account();
  const [soon, late] = [await desk.accounts.key(accountId), await desk.accounts.key(accountId)];
  using _soon = await desk.watch(soon);
  using _late = await desk.watch(late);
  await desk.accounts.rotate(soon, 0);
  await desk.settled(() => desk.heard.length > 0);
  assert.deepEqual(desk.heard, [{ t: 'key-ended', keyId: soon.record.id }]);
  await desk.accounts.rotate(late, 30);
  await desk.settled(() => desk.accounts.callCount('findKeyById') >= 2);
  await turn();
  desk.clock.advanceTo(desk.at(29.9));
  assert.equal(desk.heard.length, 1);
  desk.clock.advanceTo(desk.at(32));
  assert.deepEqual(desk.heard[1], { t: 'key-ended', keyId: late.record.id });
});

test('plan, suspension and the end of a grant are announced, and refreshed rights show them', async () => {
  await using desk = await AuthenticatorDesk.open();
  const accountId = await desk.accounts.account('live', desk.at(100));
  const key = await desk.accounts.key(accountId);
  using _ = await desk.watch(key);
  const refreshed = async () => {
    const caller = await desk.authenticator.refresh(key.record.id);
    return [caller?.entitlements.plan, caller?.isSuspended];
  };
  desk.clock.advanceTo(desk.at(102));
  assert.deepEqual(desk.heard, [{ t: 'account-changed', accountId }]);
  assert.deepEqual(await refreshed(), ['sandbox', false]);
  await desk.accounts.setPlan(accountId, 'live_history');
  await desk.settled(() => desk.heard.length > 1);
  assert.deepEqual(await refreshed(), ['live_history', false]);
  await desk.accounts.suspend(accountId);
  await desk.settled(() => desk.heard.length > 2);
  assert.deepEqual(await refreshed(), ['live_history', true]);
  assert.equal((await desk.caller(key)).isSuspended, true);
  await desk.accounts.suspend(accountId, false);
  await desk.settled(() => desk.heard.length > 3);
  assert.deepEqual(await refreshed(), ['live_history', false]);
  assert.deepEqual(new Set(desk.heard.map((change) => change.t)), new Set(['account-changed']));
});

test('what concerns other accounts, or changes no right, is not announced', async () => {
  await using desk = await AuthenticatorDesk.open();
  const accountId = await desk.accounts.account('live');
  const [key, other] = [await desk.accounts.key(accountId), await desk.accounts.key(accountId)];
  using _ = await desk.watch(key);
  await desk.accounts.suspend(await desk.accounts.account());
  await desk.accounts.key(accountId);
  await desk.accounts.revoke(other);
  await desk.settled(() => desk.accounts.callCount('findKeyById') > 0);
  await turn();
  assert.deepEqual(desk.heard, []);
});

test('a key revoked between its token and its watch is announced all the same', async () => {
  await using desk = await AuthenticatorDesk.open();
  const key = await desk.accounts.key(await desk.accounts.account());
  const used = await desk.authenticator.consumeToken(await desk.accounts.token(key));
  assert.ok(used.verdict === 'accepted');
  await desk.accounts.revoke(key);
  assert.deepEqual(desk.heard, []);
  using _ = desk.authenticator.watch(used.caller);
  await desk.settled(() => desk.heard.length > 0);
  assert.deepEqual(desk.heard, [{ t: 'key-ended', keyId: key.record.id }]);
});

for (const kind of ['suspension', 'plan'] as const) {
  test(`a watcher that found the account as it was before a change of its ${kind} is told, though others know it already`, async () => {
    await using desk = await AuthenticatorDesk.open();
    const accountId = await desk.accounts.account('live');
    const key = await desk.accounts.key(accountId);
    using _first = await desk.watch(key);
    // Both were read before the change, one by a token and one by its key; neither is watched yet.
    const token = await desk.authenticator.consumeToken(await desk.accounts.token(key));
    const byKey = await desk.caller(key);
    assert.ok(token.verdict === 'accepted');
    if (kind === 'plan') await desk.accounts.setPlan(accountId, 'live_history');
    else await desk.accounts.suspend(accountId);
    await desk.settled(() => desk.heard.length === 1);
    for (const [index, late] of [token.caller, byKey].entries()) {
      using _late = desk.authenticator.watch(late);
      await desk.settled(() => desk.heard.length === index + 2);
      assert.deepEqual(desk.heard.at(-1), { t: 'account-changed', accountId });
      const now = await desk.authenticator.refresh(key.record.id);
      assert.equal(now?.isSuspended, kind === 'suspension');
      assert.equal(now?.entitlements.plan, kind === 'plan' ? 'live_history' : 'live');
    }
    using _fresh = await desk.watch(key);
    desk.clock.advance(5_000);
    for (let turns = 0; turns < 20; turns += 1) await turn();
    assert.equal(desk.heard.length, 3);
  });
}

test('a read that fails is tried again until the change is known', async () => {
  await using desk = await AuthenticatorDesk.open();
  const accountId = await desk.accounts.account('live');
  const key = await desk.accounts.key(accountId);
  let failures = 2;
  const failing = new Proxy(desk.accounts.store, {
    get(target, name) {
      if (name === 'findKeyById' && failures > 0) {
        failures -= 1;
        return () => Promise.reject(new Error('the disk is away'));
      }
      return Reflect.get(target, name);
    },
  });
  const faults: unknown[] = [];
  using authenticator = new StoreAuthenticator({
    store: failing,
    clock: desk.clock,
    onFault: (error) => faults.push(error),
  });
  const heard: RightsChange[] = [];
  authenticator.onRightsChange((change) => heard.push(change));
  const found = await authenticator.authenticate(`Bearer ${key.text}`);
  assert.ok(found.verdict === 'accepted');
  using _ = authenticator.watch(found.caller);
  await desk.accounts.suspend(accountId);
  await desk.settled(() => faults.length === 1);
  await turn();
  assert.deepEqual(heard, []);
  desk.clock.advance(1_000);
  await desk.settled(() => faults.length === 2);
  await turn();
  desk.clock.advance(1_000);
  await desk.settled(() => heard.length > 0);
  assert.deepEqual(heard, [{ t: 'account-changed', accountId }]);
});
