import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Entitlements } from '@tapeloom/core/entitlement/entitlements';
import { SCOPES } from '@tapeloom/core/entitlement/key-rights';
import { PLAN_LIMITS, type Plan } from '@tapeloom/core/entitlement/plan';
import type { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import { MemoryAccounts } from '../../../testing/accounts/memory-accounts.ts';
import { streamClock } from '../../../testing/stream/in-process-stream.ts';
import type { ShareLimits } from '../../platform/sharing/shares.ts';
import type { AccountStore } from '../store/account-store.ts';
import { AddressThrottle } from './address-throttle.ts';
import { AuthThrottle } from './auth-throttle.ts';
import type { Caller } from './caller.ts';
import { newKeyText, newTokenText } from './secret.ts';
import { StoreAuthenticator } from './store-authenticator.ts';

const guess = () => `Bearer ${newKeyText('live', randomBytes)}`;
const address = (index: number) => `203.0.113.${index}`;

/** Runs over accounts in memory; look-ups are recorded, and wait while they are held. */
class Desk implements AsyncDisposable {
  readonly clock: ManualClock = streamClock();
  readonly accounts: MemoryAccounts;
  readonly authThrottle: AuthThrottle;
  readonly #authenticator: StoreAuthenticator;
  lookUps = 0;
  underWay = 0;
  mostUnderWay = 0;
  held: PromiseWithResolvers<void> | null = null;

  private constructor(accounts: MemoryAccounts, clock: ManualClock, lookUps?: ShareLimits) {
    this.accounts = accounts;
    this.clock = clock;
    const { store } = accounts;
    const watched: Pick<AccountStore, 'findKey' | 'consumeToken' | 'findKeyById' | 'onChange'> = {
      findKey: (digest) => this.#look(() => store.findKey(digest)),
      consumeToken: (now, digest) => this.#look(() => store.consumeToken(now, digest)),
      findKeyById: (...of) => store.findKeyById(...of),
      onChange: (listener) => store.onChange(listener),
    };
    this.#authenticator = new StoreAuthenticator({
      store: watched,
      clock,
      onFault: (error) => assert.fail(String(error)),
    });
    this.authThrottle = new AuthThrottle({
      authenticator: this.#authenticator,
      addresses: new AddressThrottle(),
      clock,
      ...(lookUps === undefined ? {} : { lookUps }),
    });
  }

  static async open(lookUps?: ShareLimits): Promise<Desk> {
    const clock = streamClock();
    return new Desk(await MemoryAccounts.open(clock), clock, lookUps);
  }

  async key(plan: Plan = 'live'): Promise<string> {
    return `Bearer ${(await this.accounts.key(await this.accounts.account(plan))).text}`;
  }

  async verdict(from: string, authorization: string): Promise<string> {
    return (await this.authThrottle.byKey(from, authorization)).verdict;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#authenticator[Symbol.dispose]();
    await this.accounts[Symbol.asyncDispose]();
  }

  async #look<Found>(find: () => Promise<Found>): Promise<Found> {
    this.lookUps += 1;
    this.underWay += 1;
    this.mostUnderWay = Math.max(this.mostUnderWay, this.underWay);
    await this.held?.promise;
    await turn();
    this.underWay -= 1;
    return find();
  }
}

test('keys and tokens that fail count at one address together, malformed ones too, and missing ones do not [SEC-07]', async () => {
  await using desk = await Desk.open();
  const { authThrottle } = desk;
  for (let count = 0; count < 10; count += 1) {
    assert.equal(await desk.verdict(address(1), guess()), 'unknown');
    assert.equal(await desk.verdict(address(1), 'Bearer garbage'), 'malformed');
    assert.equal(await desk.verdict(address(1), 'Bearer'), 'missing');
    const token = newTokenText(randomBytes);
    assert.equal((await authThrottle.byToken(address(1), token)).verdict, 'unknown');
  }
  const refused = await authThrottle.byToken(address(1), newTokenText(randomBytes));
  assert.deepEqual(refused, { verdict: 'throttled', retryAfterSeconds: 2 });
  assert.equal(await desk.verdict(address(1), guess()), 'throttled');
  assert.equal(await desk.verdict(address(1), 'Bearer garbage'), 'throttled');
  assert.equal(await desk.verdict(address(2), guess()), 'unknown');
  assert.equal(authThrottle.throttledTotal, 3);
});

test('where others guess a valid key passes: from memory at once, one never seen in its turn, and a token [SEC-07]', async () => {
  await using desk = await Desk.open();
  const seen = await desk.key();
  assert.equal(await desk.verdict(address(9), seen), 'accepted');
  const guesses = Array.from({ length: 100 }, () => desk.verdict(address(1), guess()));
  await Promise.all(guesses);
  desk.held = Promise.withResolvers();
  const waiting = Array.from({ length: 100 }, () => desk.verdict(address(1), guess()));
  assert.equal(await desk.verdict(address(1), seen), 'accepted');
  const unseen = desk.verdict(address(1), await desk.key());
  const key = await desk.accounts.key(await desk.accounts.account('live'));
  const byToken = desk.authThrottle.byToken(address(1), await desk.accounts.token(key));
  desk.held.resolve();
  assert.deepEqual([await unseen, (await byToken).verdict], ['accepted', 'accepted']);
  assert.ok((await Promise.all(waiting)).every((verdict) => verdict === 'throttled'));
});

test('guesses have one look-up at a time for each address, and one for all that failed too often [SEC-07] [SEC-37]', async () => {
  await using desk = await Desk.open();
  const flood = (count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, index) => desk.verdict(address(index % 4), guess())),
    );
  await flood(4 * 31);
  assert.equal(desk.mostUnderWay, 4);
  desk.mostUnderWay = 0;
  desk.held = Promise.withResolvers();
  const flooding = flood(200);
  for (let turns = 0; turns < 5; turns += 1) await turn();
  assert.equal(desk.underWay, 1);
  // An address that has not failed does not wait for them.
  const before = desk.lookUps;
  const other = desk.verdict(address(9), await desk.key());
  assert.equal(desk.lookUps, before + 1);
  desk.held.resolve();
  assert.equal(await other, 'accepted');
  await flooding;
  assert.equal(desk.mostUnderWay, 2);
  assert.equal(desk.authThrottle.lookUps, 0);
});

test('look-ups that wait are limited by address and in all; beyond, nobody says that a key is wrong [SEC-36]', async () => {
  await using desk = await Desk.open({ eachMax: 3, allMax: 6, keptForNew: 2 });
  desk.held = Promise.withResolvers();
  const ask = (index: number) => desk.verdict(address(index), guess());
  const waiting = [ask(1), ask(1), ask(1), ask(2)];
  assert.equal(await ask(1), 'busy');
  assert.equal(await ask(2), 'busy');
  assert.equal(desk.authThrottle.lookUps, 4);
  waiting.push(ask(3), ask(4));
  assert.equal(await ask(5), 'busy');
  desk.held.resolve();
  assert.ok((await Promise.all(waiting)).every((verdict) => verdict === 'unknown'));
  assert.equal(await ask(1), 'unknown');
});

function callerOf(plan: Plan, environment: 'live' | 'test' = 'live'): Caller {
  const rights = { instruments: null, allowedIps: null, expiresAt: null } as const;
  const entitlements = Entitlements.of({ environment, scopes: SCOPES, ...rights }, plan);
  return { accountId: plan, keyId: 'k', isSuspended: false, entitlements };
}

test('an account may open all its connections 60 times in a minute, its test keys theirs, and then in turn [SEC-37]', async () => {
  for (const plan of ['sandbox', 'live', 'history', 'live_history'] as const) {
    await using desk = await Desk.open();
    const { authThrottle, clock } = desk;
    const many = PLAN_LIMITS[plan].maxConnections * 60;
    const connects = (who: Caller) => authThrottle.connects(who).granted;
    for (let count = 0; count < 60; count += 1) assert.ok(connects(callerOf(plan, 'test')));
    assert.equal(connects(callerOf(plan, 'test')), false);
    for (let count = 60; count < many; count += 1) assert.ok(connects(callerOf(plan)));
    const refused = authThrottle.connects(callerOf(plan));
    assert.deepEqual([refused.granted, refused.retryAfterSeconds], [false, 1]);
    clock.advance(1_000);
    assert.ok(connects(callerOf(plan)));
    assert.equal(authThrottle.connecting, 1);
  }
});
