/** A stream over real accounts: SQLite in memory, the authenticator, leases, and one manual clock for all. */

import { setImmediate as turn } from 'node:timers/promises';
import type { KeyRights } from '@tapeloom/core/entitlement/key-rights';
import type { Plan } from '@tapeloom/core/entitlement/plan';
import { periodOf } from '@tapeloom/core/quota/month';
import type { ManualClock } from '../../../../simulation/clock/manual-clock.ts';
import { StoreAuthenticator } from '../../src/accounts/auth/store-authenticator.ts';
import { Charges } from '../../src/accounts/limits/charges.ts';
import type { LeaseKind } from '../../src/accounts/limits/leases.ts';
import { MemoryLeases } from '../../src/accounts/limits/memory-leases.ts';
import { type HandedOutKey, MemoryAccounts } from '../accounts/memory-accounts.ts';
import { InProcessStream, type InProcessStreamOptions, streamClock } from './in-process-stream.ts';
import { StreamClient } from './stream-client.ts';

export class AccountStream implements AsyncDisposable {
  readonly clock: ManualClock;
  readonly accounts: MemoryAccounts;
  readonly leases = new MemoryLeases();
  /** Keys of admitted connections, in order. */
  readonly usedKeys: string[] = [];
  /** Accounts of connections that were sent an object, in order. */
  readonly streamedAccounts: string[] = [];
  readonly #authenticator: StoreAuthenticator;
  #stream!: InProcessStream;

  private constructor(clock: ManualClock, accounts: MemoryAccounts) {
    this.clock = clock;
    this.accounts = accounts;
    const onFault = (error: unknown) => this.stream.faults.push(error);
    this.#authenticator = new StoreAuthenticator({ store: accounts.store, clock, onFault });
  }

  static async start(options: InProcessStreamOptions = {}): Promise<AccountStream> {
    const clock = streamClock();
    const made = new AccountStream(clock, await MemoryAccounts.open(clock));
    made.#stream = await InProcessStream.start({
      clock,
      authenticator: made.#authenticator,
      leases: made.leases,
      charges: new Charges(made.accounts.store, clock),
      noteKeyUse: (keyId) => made.usedKeys.push(keyId),
      noteStreamed: (accountId) => made.streamedAccounts.push(accountId),
      ...options,
    });
    return made;
  }

  get stream(): InProcessStream {
    return this.#stream;
  }

  get watchedKeys(): number {
    return this.#authenticator.watchedCount;
  }

  /** A key of a new account with this plan. */
  async key(plan: Plan, rights: Partial<KeyRights> = {}): Promise<HandedOutKey> {
    return this.accounts.key(await this.accounts.account(plan), rights);
  }

  /** A connection with the key in its header. */
  connect({ text }: HandedOutKey, headers?: Readonly<Record<string, string>>): StreamClient {
    return new StreamClient(this.stream.url, `Bearer ${text}`, headers);
  }

  /** The same, once admitted. */
  async open(key: HandedOutKey): Promise<StreamClient> {
    const client = await this.connect(key).opened();
    await client.answered();
    return client;
  }

  /** A connection without a header that sends this token first. */
  async openWith(token: string): Promise<StreamClient> {
    const client = await new StreamClient(this.stream.url).opened();
    client.send({ t: 'auth', token });
    return client;
  }

  /** Ends a connection; resolves when its account has all slots back. */
  async end(client: StreamClient, { record }: HandedOutKey): Promise<void> {
    const before = await this.held(record.accountId, 'connection');
    client.socket.close();
    await client.closed;
    while ((await this.held(record.accountId, 'connection')) >= before) await turn();
  }

  held(accountId: string, kind: LeaseKind): Promise<number> {
    return this.leases.count(this.clock.now(), accountId, kind);
  }

  /** Compute units that the account used this month and has reserved. */
  async units({ record }: HandedOutKey): Promise<{ used: number; reserved: number }> {
    const now = this.clock.now();
    const { store } = this.accounts;
    const usage = await store.usageOf(now, record.accountId, periodOf(now));
    return { used: usage.used.computeUnits, reserved: usage.reserved.computeUnits };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stream[Symbol.asyncDispose]();
    this.#authenticator[Symbol.dispose]();
    await this.accounts[Symbol.asyncDispose]();
  }
}
