import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { EpochNs } from '@tapeloom/core/numbers';
import {
  type HandedOutKey,
  MemoryAccounts,
} from '../../../../../simulation/accounts/memory-accounts.ts';
import { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import type { Authentication, RightsChange } from './authenticator.ts';
import type { Caller } from './caller.ts';
import { digestOf, isSoundText, newKeyText, newTokenText } from './secret.ts';
import { StoreAuthenticator, type StoreAuthenticatorOptions } from './store-authenticator.ts';

const START = 1_762_300_800_000_000_000n;
const SECOND_NS = 1_000_000_000n;

class Desk implements AsyncDisposable {
  readonly clock: ManualClock;
  readonly accounts: MemoryAccounts;
  readonly authenticator: StoreAuthenticator;
  readonly heard: RightsChange[] = [];
  readonly faults: unknown[] = [];

  private constructor(
    clock: ManualClock,
    accounts: MemoryAccounts,
    options: Partial<StoreAuthenticatorOptions>,
  ) {
    this.clock = clock;
    this.accounts = accounts;
    this.authenticator = new StoreAuthenticator({
      store: accounts.store,
      clock,
      onFault: (error) => this.faults.push(error),
      ...options,
    });
    this.authenticator.onRightsChange((change) => this.heard.push(change));
  }

  static async open(options: Partial<StoreAuthenticatorOptions> = {}): Promise<Desk> {
    const clock = new ManualClock(START);
    return new Desk(clock, await MemoryAccounts.open(clock), options);
  }

  at(seconds: number): EpochNs {
    return (START + BigInt(Math.round(seconds * 1_000)) * 1_000_000n) as EpochNs;
  }

  authenticate({ text }: { readonly text: string }): Promise<Authentication> {
    return this.authenticator.authenticate(`Bearer ${text}`);
  }

  async caller(key: HandedOutKey): Promise<Caller> {
    const authentication = await this.authenticate(key);
    assert.ok(authentication.verdict === 'accepted', authentication.verdict);
    return authentication.caller;
  }

  async verdict(key: HandedOutKey): Promise<string> {
    return (await this.authenticate(key)).verdict;
  }

  async watch(key: HandedOutKey): Promise<Disposable> {
    return this.authenticator.watch(await this.caller(key));
  }

  /** Until changes have been read. */
  async settled(done: () => boolean): Promise<void> {
    for (let turns = 0; !done(); turns += 1) {
      assert.ok(turns < 10_000, `never: ${done}`);
      await turn();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.authenticator[Symbol.dispose]();
    assert.equal(this.clock.timerCount, 0);
    await this.accounts[Symbol.asyncDispose]();
  }
}

test('a key is recognised behind the word Bearer in any case, with its account and rights', async () => {
  await using desk = await Desk.open();
  const accountId = await desk.accounts.account('live');
  const { text, record } = await desk.accounts.key(accountId, { scopes: ['stream'] });
  for (const word of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) {
    const found = await desk.authenticator.authenticate(`${word} ${text}`);
    assert.ok(found.verdict === 'accepted');
    const { caller } = found;
    assert.deepEqual(
      [caller.accountId, caller.keyId, caller.isSuspended, caller.entitlements.plan],
      [accountId, record.id, false, 'live'],
    );
    assert.ok(caller.entitlements.hasScope('stream') && !caller.entitlements.hasScope('keys'));
  }
});

test('a missing header, a malformed one and an unknown key are told apart; only the last is looked up', async () => {
  await using desk = await Desk.open();
  const { text } = await desk.accounts.key(await desk.accounts.account());
  const before = desk.accounts.callCount();
  const wrongSum = text.slice(0, -1) + (text.endsWith('0') ? '1' : '0');
  for (const header of [
    text,
    `Bearer  ${text}`,
    `Bearer ${text} `,
    `Basic ${text}`,
    'Bearer svc_live_short',
    `Bearer ${text}!`,
    `Bearer ${text}, Bearer ${text}`,
    `Bearer ${wrongSum}`,
    `Bearer ${text.replace('live', 'test')}`,
    `Bearer ${newTokenText(randomBytes)}`,
  ]) {
    const { verdict } = await desk.authenticator.authenticate(header);
    assert.equal(verdict, 'malformed', JSON.stringify(header));
  }
  for (const header of [undefined, '', 'Bearer', 'bearer ']) {
    assert.equal(
      (await desk.authenticator.authenticate(header)).verdict,
      'missing',
      String(header),
    );
  }
  assert.equal(desk.accounts.callCount(), before);
  const invented = { text: newKeyText('live', randomBytes) };
  assert.equal((await desk.authenticate(invented)).verdict, 'unknown');
  assert.equal(desk.accounts.callCount(), before + 1);
});

test('a key is recognised by its digest, and no secret is on disk [SEC-01]', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tapeloom-secrets-'));
  const clock = new ManualClock(START);
  const accounts = await MemoryAccounts.open(clock, join(folder, 'accounts.db'));
  const key = await accounts.key(await accounts.account());
  const token = await accounts.token(key);
  {
    using authenticator = new StoreAuthenticator({ store: accounts.store, clock, onFault() {} });
    const found = await authenticator.authenticate(`Bearer ${key.text}`);
    assert.equal(found.verdict, 'accepted');
  }
  const filesHold = async (text: string) => {
    const files = await readdir(folder);
    const contents = await Promise.all(files.map((file) => readFile(join(folder, file))));
    return contents.some((bytes) => bytes.includes(text));
  };
  assert.ok(await filesHold(digestOf(key.text).hash));
  for (const secret of [key.text, token]) {
    assert.ok(isSoundText(secret));
    // 27 characters of base 62 hold 160 bits.
    const random = secret.slice(-33, -6);
    assert.equal(await filesHold(random), false);
  }
  await accounts[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

test('a key seen before costs no call to the store, and parallel first look-ups share one', async () => {
  await using desk = await Desk.open();
  const key = await desk.accounts.key(await desk.accounts.account());
  const first = await Promise.all(Array.from({ length: 50 }, () => desk.verdict(key)));
  assert.deepEqual(new Set(first), new Set(['accepted']));
  assert.equal(desk.accounts.callCount('findKey'), 1);
  const before = desk.accounts.callCount();
  for (let call = 0; call < 1_000; call += 1) assert.equal(await desk.verdict(key), 'accepted');
  assert.equal(desk.accounts.callCount(), before);
});

test('the key unused for longest is forgotten first, and guesses push nobody out', async () => {
  await using desk = await Desk.open({ validKeysRememberedMax: 2 });
  const accountId = await desk.accounts.account();
  const [a, b, c] = [
    await desk.accounts.key(accountId),
    await desk.accounts.key(accountId),
    await desk.accounts.key(accountId),
  ];
  const lookUps = () => desk.accounts.callCount('findKey');
  for (const key of [a, b, a, c]) await desk.verdict(key);
  assert.equal(lookUps(), 3);
  for (let guess = 0; guess < 100; guess += 1) {
    await desk.authenticate({ text: newKeyText('live', randomBytes) });
  }
  assert.equal(lookUps(), 103);
  for (const key of [a, c]) await desk.verdict(key);
  assert.equal(lookUps(), 103);
  await desk.verdict(b);
  assert.equal(lookUps(), 104);
});

test('keys that have ended push no valid one out of the memory, and are remembered up to a limit [SEC-36][SEC-37]', async () => {
  await using desk = await Desk.open({ validKeysRememberedMax: 2, endedKeysRememberedMax: 3 });
  const valid = await desk.accounts.key(await desk.accounts.account());
  await desk.verdict(valid);
  const accountId = await desk.accounts.account();
  for (let made = 0; made < 5; made += 1) {
    const expiring = await desk.accounts.key(accountId, { expiresAt: desk.at(made + 1) });
    await desk.verdict(expiring);
    desk.clock.advanceTo(desk.at(made + 1));
    assert.equal(await desk.verdict(expiring), 'expired');
    const revoked = await desk.accounts.key(accountId);
    await desk.accounts.revoke(revoked);
    assert.equal(await desk.verdict(revoked), 'revoked');
  }
  assert.ok(desk.authenticator.size <= 1 + 3, `${desk.authenticator.size} remembered`);
  const before = desk.accounts.callCount();
  assert.equal(await desk.verdict(valid), 'accepted');
  assert.equal(desk.accounts.callCount(), before);
});

test('a revoked key is refused from the moment the revocation has resolved', async () => {
  await using desk = await Desk.open();
  const accountId = await desk.accounts.account();
  const [key, other] = [await desk.accounts.key(accountId), await desk.accounts.key(accountId)];
  await desk.verdict(key);
  await desk.accounts.revoke(key);
  assert.equal(await desk.verdict(key), 'revoked');
  assert.equal(await desk.verdict(other), 'accepted');
  const before = desk.accounts.callCount();
  assert.equal(await desk.verdict(key), 'revoked');
  assert.equal(desk.accounts.callCount(), before);
});

test('expiry is judged by the clock at every call, without a look-up', async () => {
  await using desk = await Desk.open();
  const accountId = await desk.accounts.account();
  const key = await desk.accounts.key(accountId, { expiresAt: desk.at(60) });
  assert.equal(await desk.verdict(key), 'accepted');
  desk.clock.advanceTo(desk.at(60) - 1n);
  assert.equal(await desk.verdict(key), 'accepted');
  desk.clock.advanceTo(desk.at(60));
  assert.equal(await desk.verdict(key), 'expired');
  assert.equal(desk.accounts.callCount('findKey'), 1);
});

test('a grant that runs out changes the rights of the next call', async () => {
  await using desk = await Desk.open();
  const key = await desk.accounts.key(await desk.accounts.account('live', desk.at(60)));
  assert.equal((await desk.caller(key)).entitlements.limits.delaySeconds, 0);
  desk.clock.advanceTo(desk.at(60));
  assert.equal((await desk.caller(key)).entitlements.limits.delaySeconds, 600);
  assert.equal(desk.accounts.callCount('findKey'), 1);
});

test('a change that meets a look-up under way is not overlooked', async () => {
  await using desk = await Desk.open();
  for (let round = 0; round < 20; round += 1) {
    const key = await desk.accounts.key(await desk.accounts.account());
    const looking = desk.verdict(key);
    const revoking = desk.accounts.revoke(key);
    for (let turns = 0; turns < round % 4; turns += 1) await turn();
    await Promise.all([looking, revoking]);
    assert.equal(await desk.verdict(key), 'revoked');
  }
});

test('a token is good once, for the rights of its key, and not after a minute', async () => {
  await using desk = await Desk.open();
  const accountId = await desk.accounts.account('live');
  const key = await desk.accounts.key(accountId, { scopes: ['stream'] });
  const consume = (token: string) => desk.authenticator.consumeToken(token);
  const token = await desk.accounts.token(key);
  const used = await consume(token);
  assert.ok(used.verdict === 'accepted' && used.caller.keyId === key.record.id);
  assert.equal((await consume(token)).verdict, 'unknown');
  const late = await desk.accounts.token(key);
  desk.clock.advance(60_000);
  assert.equal((await consume(late)).verdict, 'unknown');
  const before = desk.accounts.callCount();
  for (const text of ['', 'bad', key.text, `${late}0`, late.toUpperCase()]) {
    assert.equal((await consume(text)).verdict, 'malformed', text);
  }
  assert.equal(desk.accounts.callCount(), before);
});

test('a watched key is announced as ended when it is revoked, before the revocation resolves', async () => {
  await using desk = await Desk.open();
  const key = await desk.accounts.key(await desk.accounts.account());
  using watching = await desk.watch(key);
  await desk.accounts.revoke(key);
  assert.deepEqual(desk.heard, [{ t: 'key-ended', keyId: key.record.id }]);
  assert.equal(await desk.authenticator.refresh(key.record.id), null);
  watching[Symbol.dispose]();
});

test('a watched key is announced as ended within two seconds of its expiry, and once', async () => {
  await using desk = await Desk.open();
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
  await using desk = await Desk.open();
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
  await using desk = await Desk.open();
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
  await using desk = await Desk.open();
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
  await using desk = await Desk.open();
  const key = await desk.accounts.key(await desk.accounts.account());
  const used = await desk.authenticator.consumeToken(await desk.accounts.token(key));
  assert.ok(used.verdict === 'accepted');
  await desk.accounts.revoke(key);
  assert.deepEqual(desk.heard, []);
  using _ = desk.authenticator.watch(used.caller);
  await desk.settled(() => desk.heard.length > 0);
  assert.deepEqual(desk.heard, [{ t: 'key-ended', keyId: key.record.id }]);
});

test('a read that fails is tried again until the change is known', async () => {
  await using desk = await Desk.open();
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
