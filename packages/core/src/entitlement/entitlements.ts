/**
 * The one object that answers every question of rights: what a key carries, joined with what its
 * account's plan grants. REST and stream ask it the same questions, so they cannot disagree. It never
 * changes; when the key or the plan does, a new one takes its place.
 */

import type { Contract } from '../instrument/contract.ts';
import type { InstrumentBook } from '../instrument/instrument-book.ts';
import type { EpochNs, UtcDay } from '../numbers.ts';
import { DAY_NS_BIG, SECOND_NS_BIG } from '../units.ts';
import { dayOf, epochNs } from '../utc-day.ts';
import { contains, type IpRange, parseIp, parseIpRange } from './ip-range.ts';
import type { KeyRights, Scope } from './key-rights.ts';
import { PLAN_LIMITS, type Plan, type PlanLimits } from './plan.ts';

/** An instrument as it was asked for, and what the name means for this request. */
export interface InstrumentRequest {
  /** Symbol or alias. */
  readonly name: string;
  /** What the name designates: today for a stream, at `from` for history. */
  readonly contract: Contract;
  readonly book: InstrumentBook;
  /** The tape's UTC day now, also when the request is about the past. */
  readonly today: UtcDay;
  readonly now: EpochNs;
}

/** What is counted, over all keys of an account. */
export type CountedField =
  | 'computeBudget'
  | 'exportBytes'
  | 'restPerMinute'
  | 'maxConnections'
  | 'maxSubscriptions'
  | 'maxCustomConfigs';

/**
 * How much of something there may be. Whatever a key uses counts at its account's limit; what a test key
 * uses counts, in addition, at a limit that all test keys of the account share.
 */
export interface CountedLimit {
  /** Over all keys; null: the plan has none of it, and test keys are held to theirs alone. */
  readonly limit: number | null;
  /** Over all test keys; null: the key that asks is none. */
  readonly testLimit: number | null;
}

export class Entitlements {
  /** The account's plan, also where a test key has the sandbox's limits. */
  readonly plan: Plan;
  /** What the key is told: its plan's, or the sandbox's if it is a test key. */
  readonly limits: PlanLimits;
  readonly isTest: boolean;
  /** How far behind the tape everything this caller sees is. */
  readonly delayNs: bigint;
  /** The instruments a key is restricted to, as one text; null: it is not. */
  readonly restriction: string | null;
  readonly #scopes: ReadonlySet<Scope>;
  readonly #instruments: ReadonlySet<string> | null;
  readonly #ranges: readonly IpRange[] | null;
  /** The address allowed last: a customer seldom has many. */
  #addressAllowed: string | null = null;

  private constructor(rights: KeyRights, plan: Plan) {
    this.plan = plan;
    this.isTest = rights.environment === 'test';
    this.limits = PLAN_LIMITS[this.isTest ? 'sandbox' : plan];
    this.delayNs = BigInt(this.limits.delaySeconds) * SECOND_NS_BIG;
    this.#scopes = new Set(rights.scopes);
    this.#instruments = rights.instruments && new Set(rights.instruments);
    this.restriction = rights.instruments && JSON.stringify(rights.instruments);
    // An entry that cannot be read allows nothing.
    const ranges = rights.allowedIps?.map(parseIpRange).filter((range) => range !== null);
    this.#ranges = ranges ?? null;
  }

  static of(rights: KeyRights, plan: Plan): Entitlements {
    return new Entitlements(rights, plan);
  }

  /** The limits at which this key's use of something counts. */
  counted(field: CountedField): CountedLimit {
    const limit = PLAN_LIMITS[this.plan][field];
    if (!this.isTest) return { limit, testLimit: null };
    return { limit: limit === 0 ? null : limit, testLimit: this.limits[field] };
  }

  hasScope(scope: Scope): boolean {
    return this.#scopes.has(scope);
  }

  allowsAddress(address: string): boolean {
    if (this.#ranges === null || address === this.#addressAllowed) return true;
    const ip = parseIp(address);
    if (ip === null || !this.#ranges.some((range) => contains(range, ip))) return false;
    this.#addressAllowed = address;
    return true;
  }

  /**
   * An alias entry allows the alias, whatever it meant when, and the contract it designates today. A
   * contract entry allows the contract, and the alias where that means this contract for the request. A
   * contract that has expired is allowed, by its symbol, by its own entry only.
   */
  allowsInstrument({ name, contract, book, today, now }: InstrumentRequest): boolean {
    const entries = this.#instruments;
    if (entries === null || entries.has(name)) return true;
    if (name !== contract.symbol) return entries.has(contract.symbol);
    if (contract.expiresAt <= now) return false;
    for (const entry of entries) {
      if (book.resolve(entry, today)?.symbol === contract.symbol) return true;
    }
    return false;
  }

  /** The earliest instant of history that may be seen; null when the plan has no history. */
  historyFrom(now: EpochNs): EpochNs | null {
    const { historyDays } = this.limits;
    if (historyDays === 0) return null;
    const earliest = epochNs(dayOf(now), 0) - BigInt(historyDays) * DAY_NS_BIG;
    return (earliest > 0n ? earliest : 0n) as EpochNs;
  }

  /** The newest instant that may be seen: nothing of it or after it before the delay has passed. */
  visibleUntil(now: EpochNs): EpochNs {
    return (now > this.delayNs ? now - this.delayNs : 0n) as EpochNs;
  }
}
