/**
 * The one object that answers every question of rights: what a key carries, joined with what its
 * account's plan grants. REST and stream ask it the same questions, so they cannot disagree. It never
 * changes; when the key or the plan does, a new one takes its place.
 */

import type { Contract } from '../instrument/contract.ts';
import type { InstrumentBook } from '../instrument/instrument-book.ts';
import type { EpochNs, UtcDay } from '../numbers.ts';
import { dayOf, epochNs } from '../utc-day.ts';
import { contains, type IpRange, parseIp, parseIpRange } from './ip-range.ts';
import type { KeyRights, Scope } from './key-rights.ts';
import { PLAN_LIMITS, type Plan, type PlanLimits } from './plan.ts';

const SECOND_NS = 1_000_000_000n;
const DAY_NS = 86_400n * SECOND_NS;

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

export class Entitlements {
  /** The account's plan, also where a test key has the sandbox's limits. */
  readonly plan: Plan;
  readonly limits: PlanLimits;
  /** How far behind the tape everything this caller sees is. */
  readonly delayNs: bigint;
  readonly #scopes: ReadonlySet<Scope>;
  readonly #instruments: ReadonlySet<string> | null;
  readonly #ranges: readonly IpRange[] | null;

  private constructor(rights: KeyRights, plan: Plan) {
    this.plan = plan;
    this.limits = PLAN_LIMITS[rights.environment === 'test' ? 'sandbox' : plan];
    this.delayNs = BigInt(this.limits.delaySeconds) * SECOND_NS;
    this.#scopes = new Set(rights.scopes);
    this.#instruments = rights.instruments && new Set(rights.instruments);
    // An entry that cannot be read allows nothing.
    const ranges = rights.allowedIps?.map(parseIpRange).filter((range) => range !== null);
    this.#ranges = ranges ?? null;
  }

  static of(rights: KeyRights, plan: Plan): Entitlements {
    return new Entitlements(rights, plan);
  }

  hasScope(scope: Scope): boolean {
    return this.#scopes.has(scope);
  }

  allowsAddress(address: string): boolean {
    if (this.#ranges === null) return true;
    const ip = parseIp(address);
    return ip !== null && this.#ranges.some((range) => contains(range, ip));
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
    const earliest = epochNs(dayOf(now), 0) - BigInt(historyDays) * DAY_NS;
    return (earliest > 0n ? earliest : 0n) as EpochNs;
  }

  /** The newest instant that may be seen: nothing of it or after it before the delay has passed. */
  visibleUntil(now: EpochNs): EpochNs {
    return (now > this.delayNs ? now - this.delayNs : 0n) as EpochNs;
  }
}
