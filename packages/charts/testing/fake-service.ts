/**
 * A service for tests of feeds, over `fake-tape.ts`: streams with snapshots that are cut, resumes and resets, history in
 * pages with a cost, sessions, and rolls of an alias. The test moves its time and breaks what it likes.
 */

import type {
  Estimate,
  HistoryEntry,
  HistoryPage,
  HistoryRequest,
  Instrument,
  StudiesRequest,
  SubscribeRequest,
  Usage,
} from '@tapeloom/client';
import {
  type ConnectionChange,
  type ConnectionState,
  compareCursors,
  nsOf,
  TapeloomError,
} from '@tapeloom/client/stream';
import { PLAN_LIMITS, type Plan, type PlanLimits } from '@tapeloom/core/entitlement/plan';
import { StandingClock } from '../../client/testing/stream-stage.ts';
import type { FeedSources, FeedSubscription, SessionsAnswer } from '../src/feed/sources.ts';
import { ALIAS, FakeSubscription } from './fake-subscription.ts';
import {
  asEntry,
  DAY_NS,
  dayNumber,
  FakeStudy,
  type FakeTrade,
  sessionClose,
  sessionOpen,
  stateOf,
} from './fake-tape.ts';

export { ALIAS } from './fake-subscription.ts';

const NS_PER_MS = 1_000_000n;
/** Monday, 16 November 2026, 22:00 UTC. */
export const START_NS = BigInt(Date.UTC(2026, 10, 16, 22)) * NS_PER_MS;

export interface FakeServiceOptions {
  readonly plan?: Plan;
  readonly limits?: Partial<PlanLimits>;
  /** Objects that fit into a snapshot: when more exist, each is as large as that. */
  readonly depth?: number;
  /** Results of a page, whatever is asked. */
  readonly pageMax?: number;
  /** Compute units of a trade. */
  readonly unitsPerTrade?: number;
  readonly hasSessions?: boolean;
}

interface Gap {
  readonly from: bigint;
  readonly to: bigint;
}

export class FakeService implements FeedSources {
  readonly clock = new StandingClock();
  readonly plan: Plan;
  limits: PlanLimits;
  readonly depth: number;
  pageMax: number;
  readonly #unitsPerTrade: number;
  readonly #startMs = this.clock.now();
  readonly trades = new Map<string, FakeTrade[]>();
  readonly #subscriptions = new Set<FakeSubscription>();
  readonly #studies = new Map<string, { readonly study: FakeStudy; trades: number }>();
  readonly #hears = new Set<(change: ConnectionChange) => void>();
  /** Ascending; the first is the alias's first contract. */
  rolls: { readonly from: bigint; readonly symbol: string }[] = [
    { from: START_NS - 100n * DAY_NS, symbol: 'ESZ6' },
  ];
  firstDayNs = START_NS;
  gaps: readonly Gap[] = [];
  connection: ConnectionState = 'open';
  remaining: number;
  /** Thrown by the next requests for history, one each. */
  readonly faults: Error[] = [];
  /** History of these indicators fails. */
  readonly lacking = new Map<string, TapeloomError>();
  /** Refuses subscriptions of these indicators. */
  readonly refused = new Map<string, TapeloomError>();
  readonly estimates: object[] = [];
  readonly pagesAsked: object[] = [];
  charged = 0;
  readonly sessions?: NonNullable<FeedSources['sessions']>;

  constructor(options: FakeServiceOptions = {}) {
    const { plan = 'live_history', depth = 500, pageMax = 5_000, unitsPerTrade = 1 } = options;
    this.plan = plan;
    this.limits = { ...PLAN_LIMITS[plan], ...options.limits };
    this.depth = depth;
    this.pageMax = pageMax;
    this.#unitsPerTrade = unitsPerTrade;
    this.remaining = this.limits.computeBudget;
    if (options.hasSessions !== false) this.sessions = (it) => Promise.resolve(this.#sessions(it));
  }

  get nowNs(): bigint {
    return START_NS + BigInt(Math.round(this.clock.now() - this.#startMs)) * NS_PER_MS;
  }

  get nowMs(): number {
    return Number(this.nowNs / NS_PER_MS);
  }

  get contract(): string {
    return this.contractAt(this.nowNs);
  }

  contractAt(ns: bigint): string {
    return this.rolls.findLast(({ from }) => from <= ns)!.symbol;
  }

  get subscriptions(): readonly FakeSubscription[] {
    return [...this.#subscriptions];
  }

  /** A trade now, of the alias's contract or of another. */
  trade(price: number, size = 1, side: -1 | 1 = 1, symbol = this.contract): void {
    const list = this.trades.getOrInsertComputed(symbol, () => []);
    list.push({ ns: this.nowNs, price, size, side });
    this.flush();
  }

  pass(ms: number): void {
    this.clock.pass(ms);
    this.flush();
  }

  /** Sends what is new. */
  flush(): void {
    if (this.connection !== 'open') return;
    for (const subscription of this.#subscriptions) subscription.flush();
  }

  /** The connection is lost. */
  cut(): void {
    this.#connect('waiting');
  }

  /** Back: each stream resumes at its cursor, or is reset. */
  heal(reset: string | null = null): void {
    this.#connect('open');
    for (const subscription of this.#subscriptions) {
      if (reset === null) subscription.flush();
      else subscription.reset(reset);
    }
  }

  resetAll(reason: string): void {
    for (const subscription of this.#subscriptions) subscription.reset(reason);
  }

  status(state: string, partialSince: bigint | null = null): void {
    for (const subscription of this.#subscriptions) subscription.sayStatus(state, partialSince);
  }

  subscribe(request: SubscribeRequest<string>): FeedSubscription {
    const subscription = new FakeSubscription(this, request, () =>
      this.#subscriptions.delete(subscription),
    );
    const refusal = this.refused.get(request.indicator);
    if (refusal === undefined) this.#subscriptions.add(subscription);
    queueMicrotask(() => {
      if (refusal !== undefined) subscription.end(refusal);
      else if (this.connection === 'open') subscription.start();
    });
    return subscription;
  }

  /** All updates of a topic up to now. */
  logOf(
    symbol: string,
    { indicator, params }: Pick<SubscribeRequest<string>, 'indicator' | 'params'>,
  ) {
    const { size = 3 } = (params ?? {}) as { readonly size?: number };
    const key = JSON.stringify([symbol, indicator, size]);
    const known = this.#studies.getOrInsertComputed(key, () => ({
      study: new FakeStudy(indicator, size),
      trades: 0,
    }));
    const { study } = known;
    const trades = this.trades.get(symbol) ?? [];
    for (; known.trades < trades.length; known.trades += 1) study.trade(trades[known.trades]!);
    study.pass(this.nowNs);
    return study.log;
  }

  history(request: HistoryRequest<string>): { pages(): AsyncIterable<HistoryPage<string>> } {
    return { pages: () => this.#pages(request) };
  }

  async estimate(request: HistoryRequest<string> | StudiesRequest): Promise<Estimate> {
    this.estimates.push(request);
    await null;
    this.#mayHistory(nsOf(request.from));
    const count = 'studies' in request ? request.studies.length : 1;
    const trades = this.#tradesOf(request).length;
    const units = trades * this.#unitsPerTrade;
    const studies = 'studies' in request ? request.studies : [];
    return {
      ...{ instrument: ALIAS, contract: this.contractAt(nsOf(request.from)), trades, days: 1 },
      ...{ missingDays: [], missingDaysTotal: 0, lookBackFrom: null },
      computeUnits: units * count,
      remainingComputeUnits: this.remaining,
      studies: studies.map(({ indicator }) => ({
        indicator,
        computeUnits: units,
        lookBackFrom: null,
      })),
    };
  }

  async usage(): Promise<Usage> {
    return {
      ...{ period: '2026-11', resetsAt: '0', plan: this.plan, limits: this.limits },
      used: { computeUnits: 0, historyItems: 0, exportBytes: 0, restRequests: 0 },
      remaining: { computeUnits: this.remaining, exportBytes: 0 },
    };
  }

  async instruments(): Promise<readonly Instrument[]> {
    const rolls = this.rolls.map(({ from, symbol }) => ({ from: String(from), symbol }));
    const symbols = [...new Set(this.rolls.map(({ symbol }) => symbol))];
    const firstDay = new Date(Number(this.firstDayNs / NS_PER_MS)).toISOString().slice(0, 10);
    const history = { firstDay, lastDay: firstDay, missingDays: [], missingDaysTotal: 0 };
    return symbols.map((symbol) => ({
      ...{ symbol, alias: symbol === this.contract ? ALIAS : null, tickSizeNanos: 250_000_000 },
      ...{ status: 'open', updatedAt: '0', dataset: 'sim', name: `E-mini ${symbol}` },
      ...{ exchange: 'SIM', currency: 'USD', lotSizeNanos: 1, pointValueNanos: 1 },
      ...{ calendar: 'sim', expiresAt: '0', streamed: true, aliases: [], rolls },
      history: this.limits.historyDays === 0 ? null : history,
    }));
  }

  on(_kind: 'connection', hear: (change: ConnectionChange) => void): () => void {
    this.#hears.add(hear);
    return () => this.#hears.delete(hear);
  }

  #connect(state: ConnectionState): void {
    this.connection = state;
    for (const hear of this.#hears) hear({ state, retryInMs: null, cause: null });
  }

  async *#pages(
    asked: HistoryRequest<string>,
  ): AsyncGenerator<HistoryPage<string>, void, undefined> {
    const entries = this.#entriesOf(asked);
    const trades = this.#tradesOf(asked).length;
    const start = asked.cursor === undefined ? 0 : Number(asked.cursor) + this.pageMax;
    for (let at = start; ; at += this.pageMax) {
      this.pagesAsked.push(asked);
      await null;
      const fault = this.faults.shift();
      const lacking = this.lacking.get(asked.indicator);
      if (fault !== undefined || lacking !== undefined) throw fault ?? lacking;
      this.#mayHistory(nsOf(asked.from));
      const isLast = at + this.pageMax >= entries.length;
      // The whole cost with the first page, to see that it is noted even if a later page fails.
      const units = at === 0 ? trades * this.#unitsPerTrade : 0;
      if (units > this.remaining) throw new TapeloomError('QUOTA_EXCEEDED', 'used up');
      this.remaining -= units;
      this.charged += units;
      yield {
        ...{
          instrument: ALIAS,
          contract: this.contractAt(nsOf(asked.from)),
          engineFingerprint: '',
        },
        ...{ tickSizeNanos: 250_000_000, lookBackFrom: null, computeUnits: units },
        items: entries.slice(at, at + this.pageMax),
        next: isLast ? null : String(at),
        gaps: this.gaps
          .filter(({ to }) => to > nsOf(asked.from))
          .map(({ from, to }) => ({ from: String(from), to: String(to), why: 'missing' as const })),
      };
      if (isLast) return;
    }
  }

  #entriesOf(asked: HistoryRequest<string>): readonly HistoryEntry<string>[] {
    const { untilCursor } = asked;
    const [from, to] = rangeOf(asked);
    const log = this.logOf(this.contractAt(from), asked);
    const inRange = log.filter(({ ns, isDue, cursor }) => {
      const isAfter = isDue ? ns > from : ns >= from;
      const isBefore = to === null || (isDue ? ns <= to : ns < to);
      return (
        isAfter &&
        isBefore &&
        (untilCursor === undefined || compareCursors(cursor, untilCursor) <= 0)
      );
    });
    if (asked.snapshot === true) {
      const objects = [...stateOf(log.filter(({ ns }) => ns < from)).values()];
      const cursor = `${dayNumber(from)}.0.0`;
      const opening = { t: 'snapshot' as const, cursor, objects: objects.map((it) => it.object) };
      return [opening, ...inRange.map(asEntry)];
    }
    const settled = inRange.filter(({ t, object }) => t === 'remove' || object.final);
    const before = log.filter(({ ns, isDue }) => to === null || (isDue ? ns <= to : ns < to));
    const tail =
      untilCursor === undefined
        ? [...stateOf(before).values()].filter((it) => !it.object.final)
        : [];
    return [...settled, ...tail].map(asEntry);
  }

  #tradesOf(asked: HistoryRequest<string> | StudiesRequest): readonly FakeTrade[] {
    const [from, to] = rangeOf(asked);
    const list = this.trades.get(this.contractAt(from)) ?? [];
    return list.filter(({ ns }) => ns >= from && (to === null || ns < to));
  }

  #mayHistory(from: bigint): void {
    const { historyDays } = this.limits;
    const earliest = (this.nowNs / DAY_NS - BigInt(historyDays)) * DAY_NS;
    if (historyDays === 0 || from < earliest) throw new TapeloomError('FORBIDDEN', 'No history.');
  }

  #sessions({
    instrument,
    from,
    to,
  }: {
    instrument: string;
    from: string;
    to: string;
  }): SessionsAnswer {
    const sessions: SessionsAnswer['sessions'][number][] = [];
    for (let ms = Date.parse(from); ms <= Date.parse(to); ms += 86_400_000) {
      const open = sessionOpen(BigInt(ms) * NS_PER_MS);
      const date = Number(dayNumber(open + DAY_NS / 2n));
      sessions.push({ date, open: String(open), close: String(sessionClose(open)), regular: null });
    }
    return { instrument, contract: this.contract, timeZone: 'UTC', sessions };
  }
}

function rangeOf({ from, to }: { from: unknown; to?: unknown }): [bigint, bigint | null] {
  return [nsOf(from as bigint), to === undefined ? null : nsOf(to as bigint)];
}
