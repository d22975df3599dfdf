/**
 * Looks at keys and tokens for REST and the stream alike, and keeps guessing cheap. What failed counts at the
 * address it came from, over whichever door. A key in memory is recognised at once, wherever it comes from and
 * whatever was guessed there before; so is a text that could not be a key refused.
 *
 * Only what must be looked up in the accounts waits: one look-up at a time for each address, and all addresses
 * that failed too often share a single turn. So a valid key is looked up and passes also where others guess,
 * while guesses never have more than one place in the accounts' queue. What waits is limited.
 *
 * It also counts how often an account connects, so that nobody can keep the service busy with comings and
 * goings. Coming back with everything a plan allows, again and again, is within it.
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

/** An address behind which many customers sit asks for many at once after a restart. */
const LOOK_UPS_LIMITS: ShareLimits = { eachMax: 256, allMax: 4_096, keptForNew: 1_024 };
/** How often each connection that a plan allows may be opened in a minute. */
export const CONNECTS_PER_MINUTE = 60;
/** The turn that all share who have failed too often. */
const GUESSERS = '';

/** `throttled`: it failed, and too much has failed from there. `busy`: nobody can look at it now. */
export type DoorRefusal =
  | { readonly verdict: 'throttled'; readonly retryAfterSeconds: number }
  | { readonly verdict: 'busy' };

export type DoorVerdict = Authentication | DoorRefusal;

/** Whatever is neither `accepted` nor `missing` has failed. */
interface Judged {
  readonly verdict: string;
}

export interface DoorkeeperOptions {
  readonly authenticator: Pick<Authenticator, 'recall' | 'authenticate' | 'consumeToken'>;
  readonly addresses: AddressThrottle;
  /** The clock of accounts. */
  readonly clock: Pick<Clock, 'now'>;
  readonly lookUps?: ShareLimits;
}

export class Doorkeeper {
  readonly #options: DoorkeeperOptions;
  readonly #lookUps: SharedSlots;
  readonly #byAddress = new SerialQueues();
  readonly #guessers = new SerialQueues();
  readonly #connects = new MemoryAllowances();
  #throttledTotal = 0;

  constructor(options: DoorkeeperOptions) {
    this.#options = options;
    this.#lookUps = new SharedSlots(options.lookUps ?? LOOK_UPS_LIMITS);
  }

  /** Look-ups that are under way or wait. */
  get lookUps(): number {
    return this.#lookUps.count;
  }

  /** Accounts that connected of late. */
  get connecting(): number {
    return this.#connects.size;
  }

  /** Failures beyond what an address may have. */
  get throttledTotal(): number {
    return this.#throttledTotal;
  }

  /** Judges what came in `Authorization`. */
  async byKey(address: string, authorization: string | undefined): Promise<DoorVerdict> {
    const { authenticator } = this.#options;
    const known = authenticator.recall(authorization);
    if (known !== null) return this.#count(address, known);
    return this.#lookUp(address, () => authenticator.authenticate(authorization));
  }

  /** Uses the token up, if it is one. */
  byToken(address: string, token: string): Promise<DoorVerdict> {
    return this.#lookUp(address, () => this.#options.authenticator.consumeToken(token));
  }

  /** Judges anything else that only who has it can know: a session, a link. `known` needs no look-up. */
  async judge<V extends Judged>(
    address: string,
    known: V | null,
    look: () => Promise<V>,
  ): Promise<V | DoorRefusal> {
    return known === null ? await this.#lookUp(address, look) : this.#count(address, known);
  }

  /** One more connection of this account; not granted: it connects too often. */
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
  ): Promise<V | DoorRefusal> {
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

  #count<V extends Judged>(address: string, judged: V): V | DoorRefusal {
    const { verdict } = judged;
    // Sending nothing is no attempt at guessing.
    if (verdict === 'accepted' || verdict === 'missing') return judged;
    const { addresses, clock } = this.#options;
    const counted = addresses.failedAuthentication(clock.now(), address);
    if (counted.granted) return judged;
    this.#throttledTotal += 1;
    return { verdict: 'throttled', retryAfterSeconds: counted.retryAfterSeconds };
  }
}
