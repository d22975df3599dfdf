/** A store authenticator over accounts in memory, with a manual clock and a record of its announcements. */

import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import type { EpochNs } from '@tapeloom/core/numbers';
import { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import type { Authentication, RightsChange } from '../../../src/accounts/auth/authenticator.ts';
import type { Caller } from '../../../src/accounts/auth/caller.ts';
import {
  StoreAuthenticator,
  type StoreAuthenticatorOptions,
} from '../../../src/accounts/auth/store-authenticator.ts';
import { type HandedOutKey, MemoryAccounts } from '../memory-accounts.ts';

export const START = 1_762_300_800_000_000_000n;

export class AuthenticatorDesk implements AsyncDisposable {
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

  static async open(options: Partial<StoreAuthenticatorOptions> = {}): Promise<AuthenticatorDesk> {
    const clock = new ManualClock(START);
    return new AuthenticatorDesk(clock, await MemoryAccounts.open(clock), options);
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

  /** Waits until changes have been read. */
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
