/**
 * How far back a chart is loaded, and what is at its left edge. A gesture loads by itself while the budget allows it;
 * beyond that the hem says the cost and waits for a reader. Failures are retried with backoff.
 */

import type { ClientClock } from '@tapeloom/client/stream';
import type { LeftEdge } from '../series/chart-content.ts';
import type { HistoryBudget } from './history-budget.ts';
import { isReached } from './past-end.ts';
import { pastFault } from './past-fault.ts';
import type { PastCost, PastLoader, PastPart } from './past-loader.ts';
import {
  isTooSmall,
  partStart,
  sessionOpenBefore,
  type WindowFacts,
  windowStart,
} from './past-window.ts';
import { budgetHem, type HemText, refusedHem, usedUpHem } from './words.ts';

/** Calls closer together than this are one gesture. */
const GESTURE_MS = 1_000;
/** Windows without a bar, such as weeks of holidays, that one gesture crosses. */
const EMPTY_MAX = 8;
/** Estimates of a gesture: free, but each is a request. */
const TRIES_MAX = 5;
/** Of what is allowed: trades are not spread evenly over a session. */
const CAREFUL = 0.8;
const RETRY_MS = [2_000, 4_000, 8_000, 16_000, 32_000] as const;

/** What is at the end of what is loaded. */
export interface ReachFacts extends WindowFacts {
  /** All since then is loaded. */
  readonly endNs: bigint;
  /** The earliest instant that one request can reach: the last roll, or where history begins. */
  readonly earliestNs: bigint | null;
  /** Nothing is before `earliestNs`. */
  readonly startHem: HemText | null;
  /** "footprint" */
  readonly barsName: string;
}

interface PastOffer {
  readonly targetNs: bigint;
  readonly cost: PastCost;
}

export interface PastReachOptions {
  readonly loader: PastLoader;
  readonly budget: HistoryBudget;
  readonly clock: ClientClock;
  readonly signal: AbortSignal;
  /** The bars first. */
  readonly parts: () => readonly PastPart[];
  /** Null: nothing is known yet. */
  readonly facts: () => Promise<ReachFacts | null>;
  /** What begins where there is no history for this account. */
  readonly startHem: () => HemText;
  readonly onChange: () => void;
  /** `retryInMs`: null: not by itself any more. An empty message: it has worked. */
  readonly onFailed: (message: string, retryInMs: number | null) => void;
}

export class PastReach {
  readonly #options: PastReachOptions;
  #hem: HemText | null = null;
  /** How far the hem's offer reaches. */
  #offeredNs: bigint | null = null;
  #isBusy = false;
  #isBarsOnly = false;
  #gesture = { spent: 0, atMs: Number.NEGATIVE_INFINITY };
  #failures = 0;
  #retry: { cancel(): void } | null = null;
  readonly #waiting: (() => void)[] = [];

  constructor(options: PastReachOptions) {
    this.#options = options;
    options.signal.addEventListener('abort', () => this.#retry?.cancel(), { once: true });
  }

  get hem(): HemText | null {
    return this.#hem;
  }

  get edge(): LeftEdge {
    if (this.#isBusy) return { t: 'loading' };
    return this.#hem === null ? { t: 'more' } : { t: 'hem', why: this.#hem.why };
  }

  /** Nothing older can be loaded; null: it can again. */
  block(hem: HemText | null): void {
    this.#hem = hem;
    this.#options.onChange();
  }

  /** A gesture wants older bars. */
  back(): void {
    const isBlocked = this.#hem !== null && !this.#mayGoOn(this.#hem);
    if (this.#isBusy || isBlocked || this.#retry !== null) return;
    const now = this.#options.clock.now();
    const isNew = now - this.#gesture.atMs > GESTURE_MS;
    // At the hem the gesture is over; the next one may spend again.
    if (!isNew && this.#hem !== null) {
      this.#gesture.atMs = now;
      return;
    }
    this.#gesture = { spent: isNew ? 0 : this.#gesture.spent, atMs: now };
    void this.#while(
      () => this.#back(),
      () => this.back(),
    );
  }

  /** Loads these up to an instant, if that needs no asking. */
  async fill(targetNs: bigint, parts: () => readonly PastPart[]): Promise<void> {
    while (this.#isBusy) await this.#idle();
    if (this.#options.signal.aborted) return;
    this.#gesture = { spent: 0, atMs: this.#options.clock.now() };
    await this.#while(
      () => this.#loadIfAllowed(parts(), targetNs),
      () => void this.fill(targetNs, parts),
    );
  }

  /** A reader has read the cost. */
  permit(choice: 'all' | 'bars'): void {
    const targetNs = this.#offeredNs;
    if (this.#isBusy || targetNs === null || this.#hem?.why !== 'budget') return;
    this.#isBarsOnly = choice === 'bars';
    void this.#while(
      async () => {
        const parts = this.#parts();
        const cost = await this.#options.loader.cost(parts, targetNs);
        if (cost.units > (cost.remaining ?? 0)) {
          this.#hem = usedUpHem(this.#options.budget.nowMs);
          return;
        }
        this.#hem = null;
        this.#offeredNs = null;
        await this.#load(parts, targetNs, cost.units);
      },
      () => this.permit(choice),
    );
  }

  /** After failures that ended the retries. */
  again(): void {
    this.#failures = 0;
    this.#retry?.cancel();
    this.#retry = null;
    this.#gesture.atMs = Number.NEGATIVE_INFINITY;
    this.back();
  }

  /** What is loaded has become void. */
  reset(): void {
    this.#hem = null;
    this.#offeredNs = null;
    this.#failures = 0;
    this.#retry?.cancel();
    this.#retry = null;
  }

  /** There is more to spend tomorrow; and a layer may not have what the bars have. */
  #mayGoOn({ why }: HemText): boolean {
    if (why === 'budget') return true;
    const [bars, ...layers] = this.#parts();
    const end = bars?.sink.end ?? null;
    if (why !== 'start' || end === null || 'cursor' in end) return false;
    return layers.some(({ sink }) => !isReached(sink.end, end.ns));
  }

  #idle(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async #while(job: () => Promise<void>, retry: () => void): Promise<void> {
    const { signal, onChange } = this.#options;
    this.#isBusy = true;
    onChange();
    try {
      await job();
      if (this.#failures > 0) this.#options.onFailed('', null);
      this.#failures = 0;
    } catch (error) {
      if (!signal.aborted) this.#failed(error, retry);
    } finally {
      this.#isBusy = false;
      this.#gesture.atMs = this.#options.clock.now();
      for (const resolve of this.#waiting.splice(0)) resolve();
      if (!signal.aborted) onChange();
    }
  }

  async #back(): Promise<void> {
    for (let empty = 0; empty < EMPTY_MAX; empty += 1) {
      const facts = await this.#options.facts();
      if (facts === null) return;
      const { endNs, earliestNs, bars } = facts;
      if (earliestNs !== null && endNs <= earliestNs) {
        await this.#loadIfAllowed(this.#parts().slice(1), endNs);
        this.#hem = facts.startHem;
        return;
      }
      if (!(await this.#byItself(facts))) return;
      this.#hem = null;
      const now = await this.#options.facts();
      if (now === null || now.bars > bars) return;
    }
  }

  /** False: it would cost more than a gesture may, and the hem says so. */
  async #byItself(facts: ReachFacts): Promise<boolean> {
    const startNs = later(windowStart(facts.endNs, facts), facts.earliestNs);
    const parts = this.#parts();
    const whole = await this.#options.loader.cost(parts, startNs);
    const part = await this.#affordable(facts, parts, { targetNs: startNs, cost: whole });
    if (part === null) {
      await this.#offer(facts, { startNs, whole });
      return false;
    }
    await this.#load(parts, part.targetNs, part.cost.units);
    return true;
  }

  /** The window, or as much of it as may be spent; null: not even a part that has a trade. */
  async #affordable(
    facts: ReachFacts,
    parts: readonly PastPart[],
    whole: PastOffer,
  ): Promise<PastOffer | null> {
    const { endNs } = facts;
    const { loader } = this.#options;
    const most = this.#most(whole.cost);
    if (whole.cost.units <= most) return whole;
    // Trades are not spread evenly, so the part is looked for between one that is too little and one that is too much.
    let [good, bad]: [PastOffer | null, PastOffer] = [null, whole];
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const share: number = good === null ? (most / bad.cost.units) * CAREFUL : 0.5;
      const targetNs = partStart(good?.targetNs ?? endNs, bad.targetNs, share);
      const isLittle = isTooSmall((good?.targetNs ?? endNs) - targetNs, facts);
      if (isLittle) break;
      const tried = { targetNs, cost: await loader.cost(parts, targetNs) };
      if (tried.cost.units > most) bad = tried;
      else good = tried;
      if (good !== null && good.cost.units * 2 >= most) break;
    }
    return good !== null && good.cost.units > 0 ? good : null;
  }

  #most({ remaining }: PastCost): number {
    return Math.min(this.#options.budget.allowance(this.#gesture.spent), remaining ?? 0);
  }

  /** Says what the rest of the session costs. */
  async #offer(
    facts: ReachFacts,
    { startNs, whole }: { readonly startNs: bigint; readonly whole: PastCost },
  ): Promise<void> {
    const { loader, budget } = this.#options;
    const openNs = sessionOpenBefore(facts.endNs, facts.spans);
    const targetNs = openNs === null ? startNs : later(openNs, facts.earliestNs);
    const cost = targetNs === startNs ? whole : await loader.cost(this.#parts(), targetNs);
    const remaining = cost.remaining ?? 0;
    if (cost.firstUnits > remaining) {
      this.#hem = usedUpHem(budget.nowMs);
      return;
    }
    this.#offeredNs = targetNs;
    const isInside = facts.spans.some(
      (span) => span.openNs < facts.endNs && facts.endNs < span.closeNs,
    );
    const session = isInside ? 'The rest of this session' : 'The session before';
    this.#hem = budgetHem({
      units: cost.units,
      barsUnits: cost.firstUnits,
      indicators: cost.indicators,
      unitsPerMonth: budget.unitsPerMonth,
      remaining,
      barsName: facts.barsName,
      what: openNs === null ? 'The part before' : session,
      nowMs: budget.nowMs,
    });
  }

  async #loadIfAllowed(parts: readonly PastPart[], targetNs: bigint): Promise<void> {
    const cost = await this.#options.loader.cost(parts, targetNs);
    if (cost.units <= this.#most(cost)) await this.#load(parts, targetNs, cost.units);
  }

  #load(parts: readonly PastPart[], targetNs: bigint, units: number): Promise<void> {
    return this.#options.loader.load(parts, targetNs, units, (charged) => {
      this.#gesture.spent += charged;
    });
  }

  #parts(): readonly PastPart[] {
    const parts = this.#options.parts();
    return this.#isBarsOnly ? parts.slice(0, 1) : parts;
  }

  #failed(error: unknown, retry: () => void): void {
    const { clock, budget, startHem, onFailed } = this.#options;
    const fault = pastFault(error);
    switch (fault.t) {
      case 'start':
        this.#hem = startHem();
        return;
      case 'used-up':
        this.#hem = usedUpHem(budget.nowMs);
        return;
      case 'refused':
        this.#hem = refusedHem(fault.message);
        return;
      case 'passing': {
        const waitMs = RETRY_MS[this.#failures];
        this.#failures += 1;
        if (waitMs === undefined) {
          onFailed(fault.message, null);
          return;
        }
        const ms = Math.max(waitMs, fault.atLeastMs);
        onFailed(fault.message, ms);
        this.#retry = clock.after(ms, () => {
          this.#retry = null;
          retry();
        });
        return;
      }
      default:
        fault satisfies never;
    }
  }
}

function later(ns: bigint, other: bigint | null): bigint {
  return other !== null && other > ns ? other : ns;
}
