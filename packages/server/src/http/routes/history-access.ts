/** The front end of history, estimates and exports: from a request to a range that the caller may read, or an error. */

import type { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { indicatorNamed } from '@tapeloom/core/studies/catalogue';
import { addDays, dayOf, earlier, later } from '@tapeloom/core/utc-day';
import type { Caller } from '../../accounts/auth/caller.ts';
import type { Charges } from '../../accounts/limits/charges.ts';
import type { AccountStore } from '../../accounts/store/account-store.ts';
import type { CoverSources } from '../../history/awaited-cover.ts';
import { type CoveredQuery, coverQuery } from '../../history/covered-query.ts';
import type { HistoryOperation } from '../../history/history-fields.ts';
import type { HistorySources } from '../../history/history-pages.ts';
import { type HistoryQuery, readHistoryQueries } from '../../history/history-query.ts';
import type { ServedDays } from '../../history/tape-revision.ts';
import { isRefused, Refusal } from '../../platform/refusal.ts';
import type { SharedSlots } from '../../platform/sharing/shared-slots.ts';
import type { RouteError } from '../server/route.ts';

/** The state of the running service that history routes read. */
export interface HistoryFacts {
  book(): InstrumentBook;
  /** Whether a contract is streamed in real time. */
  isStreamed(symbol: string): boolean;
  /** The imported days that are served now. */
  servedDays(): ServedDays;
  /** The service's time. */
  now(): EpochNs;
  /** The accounts' time. */
  accountsNow(): EpochNs;
  readonly charges: Charges;
  /** Results remembered for requests with an idempotency key. */
  readonly requests: Pick<AccountStore, 'findOnce'>;
  /** The watermark of an instrument's tape; null while it is not known. */
  tapeTime(instrument: string): EpochNs | null;
  /** Waits in real time. */
  pause(ms: number): Promise<unknown>;
  /** Requests the current watermark of an instrument from its source. */
  requestWatermark(instrument: string): void;
  /** Requests that wait for a cursor, by account. */
  readonly awaited: SharedSlots;
  /** Whether other nodes are known to have more of the tape; absent on a single node. */
  readonly isBehind?: () => boolean;
  /** Whether this node has all days that other nodes have, after some waiting; absent on a single node. */
  readonly daysHere?: (contract: string, first: UtcDay, last: UtcDay) => Promise<boolean>;
  /** The compute threads. */
  readonly sources: HistorySources & CoverSources;
  readonly engineFingerprint: string;
  readonly version: string;
}

/** Slack in days for the start of a look-back over sessions: holidays, and the distance between sessions. */
const DAYS_AROUND = 10;
const DAYS_OF_SESSION = 2;

/** Damaged days that one request may find. With more it fails, and the next request continues. */
const DAMAGED_MAX = 8;

/** Possible errors of a history route, beyond those of every route with a key. */
export const HISTORY_ERRORS: readonly RouteError[] = [
  { code: 'NOT_COVERED', status: 402 },
  { code: 'UNKNOWN_INDICATOR', status: 404 },
  { code: 'UNKNOWN_INSTRUMENT', status: 404 },
  { code: 'WARMING', status: 409 },
  { code: 'CURSOR_EXPIRED', status: 410 },
];

export interface HistoryQuestion {
  /** The raw query of the request. */
  readonly raw: Readonly<Record<string, unknown>>;
  readonly operation: HistoryOperation;
  readonly caller: Caller;
}

/** For a page, which has one study. */
export function askedQuery(facts: HistoryFacts, question: HistoryQuestion): HistoryQuery {
  return askedQueries(facts, question)[0]!;
}

/** One for each study. */
export function askedQueries(
  facts: HistoryFacts,
  question: HistoryQuestion,
): readonly HistoryQuery[] {
  const { raw, operation, caller } = question;
  const { entitlements } = caller;
  const now = facts.now();
  return readHistoryQueries(raw, operation, {
    entitlements,
    book: facts.book(),
    isStreamed: (symbol) => facts.isStreamed(symbol),
    servedDays: facts.servedDays(),
    now,
    visibleOf: (instrument) => visibleTo(caller, facts, instrument),
  });
}

export async function coveredQuery(
  facts: HistoryFacts,
  query: HistoryQuery,
  caller: Caller,
  signal: AbortSignal,
): Promise<CoveredQuery> {
  return (await coveredQueries(facts, [query], caller, signal))[0]!;
}

export async function coveredQueries(
  facts: HistoryFacts,
  queries: readonly HistoryQuery[],
  caller: Caller,
  signal: AbortSignal,
): Promise<readonly CoveredQuery[]> {
  const { instrument } = queries[0]!;
  const unitsPerTrade = queries.reduce((sum, query) => sum + query.computeUnitsPerTrade, 0);
  const book = facts.book();
  const now = facts.now();
  const tapeTime = () => facts.tapeTime(instrument);
  const moment = {
    visible: () => visibleTo(caller, facts, instrument),
    // Streams may have published these trades already, whatever a slow clock shows.
    arrived: caller.entitlements.visibleUntil(later(tapeTime() ?? now, now)),
    isReady: () => tapeTime() !== null,
    contractOn: (day: UtcDay) => book.resolve(instrument, day)?.symbol ?? null,
    isTapeAhead: () => (tapeTime() ?? now) > facts.now(),
    enterWait: () => facts.awaited.enter(caller.accountId),
    requestWatermark: () => facts.requestWatermark(instrument),
    ...(facts.isBehind !== undefined && { isBehind: facts.isBehind }),
    pause: async (ms: number) => {
      await facts.pause(ms);
      // The client has gone: no answer is needed.
      signal.throwIfAborted();
    },
  };
  const covered: CoveredQuery[] = [];
  for (const query of queries) {
    const cover = async () => {
      await requireDays(facts, query);
      signal.throwIfAborted();
      return await coverQuery(query, facts.sources, moment, unitsPerTrade);
    };
    covered.push(await passingDamage(cover));
  }
  return covered;
}

/** Without a day that other nodes have, this node would reject queries that they answer, or answer differently. */
async function requireDays({ daysHere }: HistoryFacts, query: HistoryQuery): Promise<void> {
  if (daysHere === undefined) return;
  const { contract, indicator, params, from, to } = query;
  const sessions = indicatorNamed(indicator)?.lookBackSessionsMax(params) ?? 0;
  const before = DAYS_AROUND + DAYS_OF_SESSION * sessions;
  if (await daysHere(contract, addDays(dayOf(from), -before), dayOf(to))) return;
  const detail = 'This server is still fetching days that the query needs. Try again soon.';
  throw Refusal.ofQuestion({ code: 'WARMING', detail });
}

/**
 * Reading finds damage of a sealed day, and from then on the day counts as missing. So the work runs once more: it
 * fails with the day's name, or succeeds without the day where gaps are allowed or only the look-back becomes shorter.
 */
export async function passingDamage<T>(
  /** Called with the number of days found so far. */
  work: (found: number) => Promise<T>,
): Promise<T> {
  for (let found = 0; ; found += 1) {
    try {
      return await work(found);
    } catch (error) {
      if (found >= DAMAGED_MAX || !isRefused(error, 'day-damaged')) throw error;
    }
  }
}

export function unitsOf(covered: readonly CoveredQuery[]): number {
  return covered.reduce((sum, { computeUnits }) => sum + computeUnits, 0);
}

/** The tape's watermark less the caller's delay. A fast clock, here or on another node, shows nothing sooner. */
export function visibleTo(
  { entitlements }: Caller,
  facts: HistoryFacts,
  instrument: string,
): EpochNs {
  return entitlements.visibleUntil(earlier(facts.tapeTime(instrument) ?? facts.now(), facts.now()));
}
