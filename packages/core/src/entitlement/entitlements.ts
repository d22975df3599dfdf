/**
 * Answers every question of rights: the rights of a key, joined with the grants of its account's plan. REST and streams
 * use the same object, so they cannot disagree. It is immutable; a change of the key or the plan makes a new one.
 */

import type { Contract } from '../instrument/contract.ts';
import type { InstrumentBook } from '../instrument/instrument-book.ts';
import type { EpochNs, UtcDay } from '../numbers.ts';
import { DAY_NS_BIG, SECOND_NS_BIG } from '../units.ts';
import { dayOf, epochNs } from '../utc-day.ts';
import { contains, type IpRange, parseIp, parseIpRange } from './ip-range.ts';
import type { KeyRights, Scope } from './key-rights.ts';
import { PLAN_LIMITS, type Plan, type PlanLimits } from './plan.ts';

/** An instrument as requested, and the contract it stands for in this request. */
export interface InstrumentRequest {
  /** Symbol or alias. */
  readonly name: string;
  /** The contract of the name: today's for a stream, the one at `from` for history. */
  readonly contract: Contract;
  readonly book: InstrumentBook;
  /** The tape's current UTC day, also for requests about the past. */
  readonly today: UtcDay;
  readonly now: EpochNs;
}

/** What is counted over all keys of an account. */
export type CountedField =
  | 'computeBudget'
  | 'exportBytes'
  | 'restPerMinute'
  | 'maxConnections'
  | 'maxSubscriptions'
  | 'maxCustomConfigs';

/**
 * The limits of one thing that is counted. All use counts towards the account's limit. The use of test keys also counts
 * towards a limit that all test keys of the account share.
 */
export interface CountedLimit {
  /** Over all keys. Null: the plan does not include it, so only the test limit applies to test keys. */
  readonly limit: number | null;
  /** Over all test keys; null if this is no test key. */
  readonly testLimit: number | null;
}

export class Entitlements {
  /** The account's plan, even if a test key has the sandbox's limits. */
  readonly plan: Plan;
  /** The limits reported to the key: its plan's, or the sandbox's for a test key. */
  readonly limits: PlanLimits;
  readonly isTest: boolean;
  /** How far behind the tape the caller's data is. */
  readonly delayNs: bigint;
  /** The instruments that the key is restricted to, as one text; null: all. */
  readonly restriction: string | null;
  readonly #scopes: ReadonlySet<Scope>;
  readonly #instruments: ReadonlySet<string> | null;
  readonly #ranges: readonly IpRange[] | null;
  /** The last address that was allowed: a customer seldom has many. */
  #addressAllowed: string | null = null;

  private constructor(rights: KeyRights, plan: Plan) {
    this.plan = plan;
    this.isTest = rights.environment === 'test';
    this.limits = PLAN_LIMITS[this.isTest ? 'sandbox' : plan];
    this.delayNs = BigInt(this.limits.delaySeconds) * SECOND_NS_BIG;
    this.#scopes = new Set(rights.scopes);
    this.#instruments = rights.instruments && new Set(rights.instruments);
    this.restriction = rights.instruments && JSON.stringify(rights.instruments);
    // An entry that cannot be parsed allows nothing.
    const ranges = rights.allowedIps?.map(parseIpRange).filter((range) => range !== null);
    this.#ranges = ranges ?? null;
  }

  static of(rights: KeyRights, plan: Plan): Entitlements {
    return new Entitlements(rights, plan);
  }

  /** The limits that apply to this key's use of something. */
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
   * An alias entry allows the alias, whatever contract it means, and the contract it means today. A contract entry
   * allows the contract, and the alias if it means this contract in the request. An expired contract, requested by its
   * symbol, is allowed only by its own entry.
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

  /** The earliest visible instant of history; null if the plan has no history. */
  historyFrom(now: EpochNs): EpochNs | null {
    const { historyDays } = this.limits;
    if (historyDays === 0) return null;
    const earliest = epochNs(dayOf(now), 0) - BigInt(historyDays) * DAY_NS_BIG;
    return (earliest > 0n ? earliest : 0n) as EpochNs;
  }

  /** The end of the visible range, exclusive: the delay must have passed. */
  visibleUntil(now: EpochNs): EpochNs {
    return (now > this.delayNs ? now - this.delayNs : 0n) as EpochNs;
  }
}
