/**
 * Authenticates keys and tokens for REST and stream alike, and keeps guessing cheap: a failure counts for its address,
 * over either endpoint. Cached keys and malformed texts are judged at once. Only look-ups in the accounts wait, in a
 * bounded queue: one at a time per address, and all addresses with too many failures share one slot. So a valid key
 * passes even where others guess, and guesses never hold more than one slot of the accounts' queue. It also limits how
 * often an account connects; reconnecting with everything that a plan allows, repeatedly, is within the limit.
 */

import type { CountedLimit } from '@tapeloom/core/entitlement/entitlements';
import type { AllowanceVerdict } from '@tapeloom/core/quota/allowance';
import type { Clock } from '../../platform/clock.ts';
import { SharedSlots } from '../../platform/sharing/shared-slots.ts';
import type { ShareLimits } from '../../platform/sharing/shares.ts';
import { SerialQueues } from '../../platform/waiting/serial-queue.ts';
import { MemoryAllowances } from '../limits/memory-allowances.ts';
import { type AddressThrottle, neighbourhood } from './address-throttle.ts';
import type { Authentication, Authenticator } from './authenticator.ts';
import type { Caller } from './caller.ts';

/** After a restart, an address with many customers behind it requests many look-ups at once. */
const LOOK_UPS_LIMITS: ShareLimits = { eachMax: 256, allMax: 4_096, keptForNew: 1_024 };
/** How often each connection that a plan allows may be opened in a minute. */
export const CONNECTS_PER_MINUTE = 60;
/** The queue that all addresses with too many failures share. */
const GUESSERS = '';

/** `throttled`: it failed, and its address has too many failures. `busy`: there is no slot for a look-up now. */
export type AuthRefusal =
  | { readonly verdict: 'throttled'; readonly retryAfterSeconds: number }
  | { readonly verdict: 'busy' };

export type AuthVerdict = Authentication | AuthRefusal;

/** Every verdict but `accepted` and `missing` is a failure. */
interface Judged {
  readonly verdict: string;
}

export interface AuthThrottleOptions {
  readonly authenticator: Pick<Authenticator, 'recall' | 'authenticate' | 'consumeToken'>;
  readonly addresses: AddressThrottle;
  /** The accounts' clock. */
  readonly clock: Pick<Clock, 'now'>;
  readonly lookUps?: ShareLimits;
}

export class AuthThrottle {
  readonly #options: AuthThrottleOptions;
  readonly #lookUps: SharedSlots;
  readonly #byAddress = new SerialQueues();
  readonly #guessers = new SerialQueues();
  readonly #connects = new MemoryAllowances();
  #throttledTotal = 0;

  constructor(options: AuthThrottleOptions) {
    this.#options = options;
    this.#lookUps = new SharedSlots(options.lookUps ?? LOOK_UPS_LIMITS);
  }

  /** Look-ups under way or queued. */
  get lookUps(): number {
    return this.#lookUps.count;
  }

  /** Accounts that connected lately. */
  get connecting(): number {
    return this.#connects.size;
  }

  /** Failures beyond the allowance of their address. */
  get throttledTotal(): number {
    return this.#throttledTotal;
  }

  async byKey(address: string, authorization: string | undefined): Promise<AuthVerdict> {
    const { authenticator } = this.#options;
    const known = authenticator.recall(authorization);
    if (known !== null) return this.#count(address, known);
    return this.#lookUp(address, () => authenticator.authenticate(authorization));
  }

  /** Uses the token up, if it is one. */
  byToken(address: string, token: string): Promise<AuthVerdict> {
    return this.#lookUp(address, () => this.#options.authenticator.consumeToken(token));
  }

  /** Judges any other secret: a session, a link. `known` is the verdict when it needs no look-up. */
  async judge<V extends Judged>(
    address: string,
    known: V | null,
    look: () => Promise<V>,
  ): Promise<V | AuthRefusal> {
    return known === null ? await this.#lookUp(address, look) : this.#count(address, known);
  }

  /** Counts one more connection of this account. If it is not granted, the account connects too often. */
  connects({ accountId, entitlements }: Caller): AllowanceVerdict {
    const { limit, testLimit } = entitlements.counted('maxConnections');
    const perMinute: CountedLimit = {
      limit: limit && limit * CONNECTS_PER_MINUTE,
      testLimit: testLimit && testLimit * CONNECTS_PER_MINUTE,
    };
    return this.#connects.take(this.#options.clock.now(), accountId, perMinute);
  }

  async #lookUp<V extends Judged>(
    address: string,
    look: () => Promise<V>,
  ): Promise<V | AuthRefusal> {
    const who = neighbourhood(address);
    using slot = this.#lookUps.enter(who);
    if (slot === null) return { verdict: 'busy' };
    const verdict = await this.#byAddress.run(who, () => {
      const { addresses, clock } = this.#options;
      const mayFail = addresses.mayFail(clock.now(), address);
      return mayFail ? look() : this.#guessers.run(GUESSERS, look);
    });
    return this.#count(address, verdict);
  }

  #count<V extends Judged>(address: string, judged: V): V | AuthRefusal {
    const { verdict } = judged;
    // A request without a key is no attempt at guessing.
    if (verdict === 'accepted' || verdict === 'missing') return judged;
    const { addresses, clock } = this.#options;
    const counted = addresses.failedAuthentication(clock.now(), address);
    if (counted.granted) return judged;
    this.#throttledTotal += 1;
    return { verdict: 'throttled', retryAfterSeconds: counted.retryAfterSeconds };
  }
}
