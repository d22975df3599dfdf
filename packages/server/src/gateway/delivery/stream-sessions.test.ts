import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Plan } from '@tapeloom/core/entitlement/plan';
import type { EpochNs } from '@tapeloom/core/numbers';
import { type SignedIn, signIn } from '../../../testing/portal/signed-in.ts';
import { AccountStream } from '../../../testing/stream/account-stream.ts';
import { type StreamClient, subscribe } from '../../../testing/stream/stream-client.ts';
import { digestOf, newTokenText } from '../../accounts/auth/secret.ts';

const MINUTE_NS = 60_000_000_000n;
const DAY_NS = 1_440n * MINUTE_NS;

class Portal implements AsyncDisposable {
  readonly desk: AccountStream;
  readonly accountId: string;

  private constructor(desk: AccountStream, accountId: string) {
    this.desk = desk;
    this.accountId = accountId;
  }

  static async open(plan: Plan = 'live'): Promise<Portal> {
    const desk = await AccountStream.start();
    return new Portal(desk, await desk.accounts.account(plan));
  }

  signIn(): Promise<SignedIn> {
    return signIn(this.desk.accounts.store, this.desk.clock.now(), this.accountId);
  }

  async token({ session }: SignedIn): Promise<string> {
    const text = newTokenText(randomBytes);
    const now = this.desk.clock.now();
    const expiresAt = (now + MINUTE_NS) as EpochNs;
    const token = { hash: digestOf(text).hash, sessionId: session.id, expiresAt };
    const { store } = this.desk.accounts;
    assert.equal(await store.issueSessionToken(now, this.accountId, token), true);
    return text;
  }

  async connect(signedIn: SignedIn): Promise<StreamClient> {
    const client = await this.desk.openWith(await this.token(signedIn));
    await client.answered();
    return client;
  }

  async signOut({ session }: SignedIn): Promise<void> {
    const { store } = this.desk.accounts;
    const call = { now: this.desk.clock.now(), actor: { kind: 'owner' } } as const;
    assert.equal(await store.people.endSession(call, this.accountId, session.id), true);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.desk[Symbol.asyncDispose]();
  }
}

test('a token of a session streams with the rights of the account, and counts at its limits', async () => {
  await using portal = await Portal.open('sandbox');
  const { desk, accountId } = portal;
  const signedIn = await portal.signIn();
  using one = await portal.connect(signedIn);
  one.send(subscribe('a'));
  await one.find('snapshot');
  assert.equal(await desk.held(accountId, 'connection'), 1);
  assert.equal(await desk.held(accountId, 'subscription'), 1);
  // The sandbox has one connection, and the portal's is that one.
  const key = await desk.accounts.key(accountId);
  using other = desk.connect(key);
  assert.equal((await other.closed).code, 4029);
});

test('a second tab never takes the connection of the first: it gets 4029, and later the slot that the first gives back [CLOSE-14] [COUNT-01]', async () => {
  await using portal = await Portal.open('sandbox');
  const { desk, accountId } = portal;
  const [here, elsewhere] = [await portal.signIn(), await portal.signIn()];
  using first = await portal.connect(here);
  first.send(subscribe('a'));
  await first.find('snapshot');
  // Of the same session, of another one, and again and again.
  for (const session of [here, elsewhere, here, here]) {
    using second = await desk.openWith(await portal.token(session));
    assert.equal((await second.closed).code, 4029);
    await first.answered();
    assert.equal(await desk.held(accountId, 'subscription'), 1);
  }
  assert.equal(first.socket.readyState, first.socket.OPEN);
  first.socket.close();
  while ((await desk.held(accountId, 'connection')) > 0) await turn();
  using second = await portal.connect(here);
  assert.equal(second.socket.readyState, second.socket.OPEN);
});

test('a session that ends closes what its tokens opened, at once, and no other stream [KEY-31]', async () => {
  await using portal = await Portal.open();
  const { desk, accountId } = portal;
  const [leaving, staying] = [await portal.signIn(), await portal.signIn()];
  const key = await desk.accounts.key(accountId);
  using ending = await portal.connect(leaving);
  using ofOther = await portal.connect(staying);
  using ofKey = await desk.open(key);
  ending.send(subscribe('a'));
  await ending.find('snapshot');
  const unused = await portal.token(leaving);
  await portal.signOut(leaving);
  assert.deepEqual(await ending.closed, { code: 4003, reason: 'KEY_REVOKED' });
  for (const client of [ofOther, ofKey]) await client.answered();
  while ((await desk.held(accountId, 'connection')) > 2) await turn();
  using late = await desk.openWith(unused);
  assert.equal((await late.closed).code, 4001);
});

test('signing out everywhere else closes the streams of all other sessions', async () => {
  await using portal = await Portal.open();
  const [here, there, elsewhere] = [
    await portal.signIn(),
    await portal.signIn(),
    await portal.signIn(),
  ];
  using kept = await portal.connect(here);
  const others = [await portal.connect(there), await portal.connect(elsewhere)];
  const { store } = portal.desk.accounts;
  const call = { now: portal.desk.clock.now(), actor: { kind: 'owner' } } as const;
  await store.people.endOtherSessions(call, portal.accountId, here.session.id);
  for (const client of others) {
    assert.deepEqual(await client.closed, { code: 4003, reason: 'KEY_REVOKED' });
  }
  await kept.answered();
});

test('a stream ends with the 30 days of its session, within two seconds [PORTAL-06]', async () => {
  await using portal = await Portal.open();
  const { desk } = portal;
  const signedIn = await portal.signIn();
  desk.clock.advanceTo((desk.clock.now() + 30n * DAY_NS - MINUTE_NS) as EpochNs);
  using client = await portal.connect(signedIn);
  desk.clock.advance(59_000);
  await client.answered();
  desk.clock.advance(3_000);
  assert.deepEqual(await client.closed, { code: 4003, reason: 'KEY_REVOKED' });
});

test('a suspended account closes the streams of its sessions', async () => {
  await using portal = await Portal.open();
  const { desk, accountId } = portal;
  using client = await portal.connect(await portal.signIn());
  await desk.accounts.suspend(accountId);
  assert.equal((await client.closed).code, 4003);
});
