import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { parseInstant } from '@tapeloom/core/instant-text';
import type { EpochNs } from '@tapeloom/core/numbers';
import { periodOf } from '@tapeloom/core/quota/month';
import type { RightsChange } from '@tapeloom/server/accounts/auth/authenticator';
import { digestOf, newKeyText, newTokenText } from '@tapeloom/server/accounts/auth/secret';
import { StoreAuthenticator } from '@tapeloom/server/accounts/auth/store-authenticator';
import type { KeyRecord } from '@tapeloom/server/accounts/keys/keys-store';
import { MemoryAllowances } from '@tapeloom/server/accounts/limits/memory-allowances';
import { MemoryLeases } from '@tapeloom/server/accounts/limits/memory-leases';
import type { AccountStore } from '@tapeloom/server/accounts/store/account-store';
import { openSqliteAccountStore } from '@tapeloom/server/accounts/store/sqlite/sqlite-account-store';
import { JumpingClock } from '../simulation/clock/jumping-clock.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const MINUTE_NS = 60_000_000_000n;
const START = parseInstant('2026-11-30T23:30:00Z')!;
const JUMPS = [HOUR_MS, -HOUR_MS];
const RIGHTS = {
  name: 'key',
  environment: 'live',
  scopes: ['stream'],
  instruments: null,
  allowedIps: null,
} as const;

interface Key {
  readonly record: KeyRecord;
  readonly header: string;
}

/** The components of the service that use the accounts' clock. */
class Pieces implements AsyncDisposable {
  readonly clock: JumpingClock;
  readonly store: AccountStore;
  readonly authenticator: StoreAuthenticator;
  readonly faults: unknown[] = [];

  private constructor(store: AccountStore, clock: JumpingClock) {
    this.clock = clock;
    this.store = store;
    const onFault = (error: unknown) => this.faults.push(error);
    this.authenticator = new StoreAuthenticator({ store, clock, onFault });
  }

  static async start(): Promise<Pieces> {
    return new Pieces(await openSqliteAccountStore(':memory:'), new JumpingClock(START));
  }

  get call() {
    return { now: this.clock.now(), actor: { kind: 'operator' } } as const;
  }

  async account(name = 'acme'): Promise<string> {
    const grants = [{ plan: 'live', until: null } as const];
    const account = await this.store.createAccount(this.call, { name, grants });
    if ('refused' in account) return assert.fail(account.refused);
    return account.id;
  }

  async key(accountId: string, expiresAt: EpochNs | null = null): Promise<Key> {
    const secret = newKeyText('live', randomBytes);
    const wanted = { ...RIGHTS, expiresAt };
    const record = await this.store.createKey(this.call, accountId, wanted, digestOf(secret));
    if ('refused' in record) return assert.fail(record.refused);
    return { record, header: `Bearer ${secret}` };
  }

  async verdict({ header }: Key): Promise<string> {
    return (await this.authenticator.authenticate(header)).verdict;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.authenticator[Symbol.dispose]();
    await this.store[Symbol.asyncDispose]();
    assert.deepEqual(this.faults, []);
  }
}

const inMinutes = (now: EpochNs, minutes: number) => (now + BigInt(minutes) * MINUTE_NS) as EpochNs;

test('a clock that jumps an hour ends no key before its time and revives none [SEC-35]', async () => {
  for (const jump of JUMPS) {
    await using pieces = await Pieces.start();
    const accountId = await pieces.account();
    const now = pieces.clock.now();
    const lasting = await pieces.key(accountId);
    const later = await pieces.key(accountId, inMinutes(now, 120));
    const soon = await pieces.key(accountId, inMinutes(now, 1));
    const revoked = await pieces.key(accountId);
    await pieces.store.revokeKey(pieces.call, accountId, revoked.record.id);
    pieces.clock.pass(MINUTE_MS);
    assert.equal(await pieces.verdict(soon), 'expired');

    pieces.clock.jump(jump);
    for (const minutes of [0, 1, 30]) {
      pieces.clock.pass(minutes * MINUTE_MS);
      assert.equal(await pieces.verdict(lasting), 'accepted');
      assert.equal(await pieces.verdict(later), 'accepted');
      assert.equal(await pieces.verdict(soon), 'expired');
      assert.equal(await pieces.verdict(revoked), 'revoked');
    }
  }
});

test('a clock that jumps an hour closes no connection whose key lasts [SEC-35]', async () => {
  for (const jump of JUMPS) {
    await using pieces = await Pieces.start();
    const accountId = await pieces.account();
    const key = await pieces.key(accountId, inMinutes(pieces.clock.now(), 24 * 60));
    const accepted = await pieces.authenticator.authenticate(key.header);
    if (accepted.verdict !== 'accepted') return assert.fail(accepted.verdict);
    const heard: RightsChange[] = [];
    using _listener = pieces.authenticator.onRightsChange((change) => heard.push(change));
    using _watched = pieces.authenticator.watch(accepted.caller);
    for (let minute = 0; minute < 5; minute += 1) {
      pieces.clock.jump(minute === 2 ? jump : 0);
      pieces.clock.pass(MINUTE_MS);
      await turn();
    }
    assert.deepEqual(heard, []);
    await pieces.store.revokeKey(pieces.call, accountId, key.record.id);
    assert.deepEqual(heard, [{ t: 'key-ended', keyId: key.record.id }]);
  }
});

test('a token is used once and lives a minute at most on the clock shown, whatever jumps [SEC-35]', async () => {
  for (const jump of JUMPS) {
    await using pieces = await Pieces.start();
    const accountId = await pieces.account();
    const { record } = await pieces.key(accountId);
    const issue = async () => {
      const token = newTokenText(randomBytes);
      const now = pieces.clock.now();
      const issued = { hash: digestOf(token).hash, keyId: record.id, expiresAt: inMinutes(now, 1) };
      assert.ok(await pieces.store.issueToken(now, issued));
      return token;
    };
    const consume = async (token: string) =>
      (await pieces.authenticator.consumeToken(token)).verdict;
    const [used, unused] = [await issue(), await issue()];
    assert.equal(await consume(used), 'accepted');
    pieces.clock.jump(jump);
    assert.equal(await consume(used), 'unknown', 'not a second time');
    // After a jump back our clock runs at half speed, so a minute takes at most two.
    pieces.clock.pass(2 * MINUTE_MS);
    assert.equal(await consume(unused), 'unknown', 'too old');
    const fresh = await issue();
    assert.equal(await consume(fresh), 'accepted');
    assert.equal(await consume(fresh), 'unknown');
  }
});

test('an allowance gives one full minute at most, and locks nobody out for longer [SEC-35]', async () => {
  for (const jump of JUMPS) {
    const clock = new JumpingClock(START);
    const allowances = new MemoryAllowances();
    const taken = async () => {
      let count = 0;
      while ((await allowances.take(clock.now(), 'acme', { limit: 60, testLimit: null })).granted)
        count += 1;
      return count;
    };
    assert.equal(await taken(), 60);
    clock.jump(jump);
    assert.equal(await taken(), jump > 0 ? 60 : 0);
    clock.pass(2 * MINUTE_MS);
    assert.equal(await taken(), 60);
    clock.jump(-jump);
    assert.ok((await taken()) <= 60);
    clock.pass(2 * MINUTE_MS);
    assert.equal(await taken(), 60);
  }
});

test('a budget is freed once, and charged in the month that reserved it [SEC-35] [SEC-27]', async () => {
  for (const jump of JUMPS) {
    await using pieces = await Pieces.start();
    const accountId = await pieces.account();
    // On the other side of the month's edge, so that the jump crosses it.
    pieces.clock.pass(jump > 0 ? 0 : HOUR_MS);
    const period = periodOf(pieces.clock.now());
    const reserve = (id: string, amount: number, month = period) => {
      const now = pieces.clock.now();
      const request = { id, accountId, budget: 'computeUnits', amount, limit: 100 } as const;
      return pieces.store.reserve(now, {
        ...request,
        keyId: 'any',
        testLimit: null,
        period: month,
        expiresAt: inMinutes(now, 10),
      });
    };
    const usage = async (month = period) => {
      const { used, reserved } = await pieces.store.usageOf(pieces.clock.now(), accountId, month);
      return [used.computeUnits, reserved.computeUnits];
    };
    for (const id of ['settled', 'voided', 'lost']) {
      assert.deepEqual(await reserve(id, 30), { granted: true });
    }
    assert.deepEqual(await reserve('over', 11), { granted: false, remaining: 10 });

    pieces.clock.jump(jump);
    const settle = (id: string, amount: number) =>
      pieces.store.settle(pieces.clock.now(), id, { amount });
    assert.equal(await settle('settled', 25), true);
    assert.equal(await settle('settled', 25), false, 'charged once');
    assert.equal(await pieces.store.voidReservation(pieces.clock.now(), 'settled'), false);
    assert.equal(await pieces.store.voidReservation(pieces.clock.now(), 'voided'), true);
    assert.equal(await pieces.store.voidReservation(pieces.clock.now(), 'voided'), false);
    pieces.clock.pass(30 * MINUTE_MS);
    pieces.clock.jump(-jump);
    pieces.clock.pass(30 * MINUTE_MS);
    assert.deepEqual(await usage(), [25, 0], 'what was lost was given back, once');
    const elsewhere = jump > 0 ? '2026-12' : '2026-11';
    assert.notEqual(elsewhere, period);
    assert.deepEqual(await usage(elsewhere), [0, 0]);
    assert.deepEqual(await reserve('rest', 76), { granted: false, remaining: 75 });
    assert.deepEqual(await reserve('rest again', 75), { granted: true });
  }
});

test('what is open stays counted over a jump, and what was lost is free after 90 s [SEC-35]', async () => {
  for (const jump of JUMPS) {
    const clock = new JumpingClock(START);
    const leases = new MemoryLeases();
    const take = (holder: string) =>
      leases.take(clock.now(), {
        accountId: 'acme',
        kind: 'connection',
        holder,
        thing: holder,
        limit: 1,
        testLimit: null,
      });
    assert.equal(await take('open'), true);
    const renewing = clock.every(30_000, () => void leases.renew(clock.now()));
    clock.pass(MINUTE_MS);
    clock.jump(jump);
    assert.equal(await take('other'), false);
    clock.pass(5 * MINUTE_MS);
    assert.equal(await take('other'), false, 'the connection is still open');
    // The lost process renews no lease. Our clock may run at half speed for a while.
    renewing[Symbol.dispose]();
    clock.jump(-jump);
    for (let second = 0; second < 180; second += 1) {
      clock.pass(1_000);
      await leases.count(clock.now(), 'acme', 'connection');
    }
    assert.equal(await take('other'), true);
  }
});
