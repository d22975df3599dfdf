/**
 * How history is asked for at this door: from the words of a request to a range that is there and that the
 * caller may have, or to a refusal. History, estimates and exports go through here.
 */

import type { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { indicatorNamed } from '@tapeloom/core/studies/catalogue';
import { addDays, dayOf, earlier, later } from '@tapeloom/core/utc-day';
import type { Caller } from '../../accounts/auth/caller.ts';
import type { Charges } from '../../accounts/limits/charges.ts';
import type { AccountStore } from '../../accounts/store/account-store.ts';
import { type CoveredQuery, type CoverSources, coverQuery } from '../../history/covered-query.ts';
import type { HistoryOperation } from '../../history/history-fields.ts';
import type { HistorySources } from '../../history/history-pages.ts';
import { type HistoryQuery, readHistoryQueries } from '../../history/history-query.ts';
import type { ServedDays } from '../../history/tape-revision.ts';
import { isRefused, Refusal } from '../../platform/refusal.ts';
import type { SharedSlots } from '../../platform/sharing/shared-slots.ts';
import type { RouteError } from '../server/route.ts';

/** What the routes of history know of the running service. */
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
  /** What was done for requests with an idempotency key. */
  readonly requests: Pick<AccountStore, 'findOnce'>;
  /** How far the tape has come; null while that is not known. */
  tapeTime(): EpochNs | null;
  /** Real time passes. */
  pause(ms: number): Promise<unknown>;
  /** Asks the source how far the tape is now. */
  requestWatermark(): void;
  /** Requests that wait for a cursor, by account. */
  readonly awaited: SharedSlots;
  /** Whether others are known to have more of the tape than there is here; left out where nobody else has it. */
  readonly isBehind?: () => boolean;
  /** Whether days are here that others have, after some waiting; left out where nobody else has any. */
  readonly daysHere?: (contract: string, first: UtcDay, last: UtcDay) => Promise<boolean>;
  /** The compute threads. */
  readonly sources: HistorySources & CoverSources;
  readonly engineFingerprint: string;
  /** Of the service. */
  readonly version: string;
}

/** Days before a range in which a look-back over sessions ends at the latest: holidays, and how far sessions lie apart. */
const DAYS_AROUND = 10;
const DAYS_OF_SESSION = 2;

/** Days that are found damaged by one request; with more it fails, and the next one goes on. */
const DAMAGED_MAX = 8;

/** What a route of history may refuse with, beyond what every route with a key may. */
export const HISTORY_ERRORS: readonly RouteError[] = [
  { code: 'NOT_COVERED', status: 402 },
  { code: 'UNKNOWN_INDICATOR', status: 404 },
  { code: 'UNKNOWN_INSTRUMENT', status: 404 },
  { code: 'WARMING', status: 409 },
  { code: 'CURSOR_EXPIRED', status: 410 },
];

export interface HistoryQuestion {
  /** The query of the request, as it came. */
  readonly raw: Readonly<Record<string, unknown>>;
  readonly operation: HistoryOperation;
  readonly caller: Caller;
}

/** Of a page, which has one study. */
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
    visible: visibleTo(caller, facts),
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

/** All of them, or a refusal. */
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
  const moment = {
    visible: () => visibleTo(caller, facts),
    // Streams may have told what the tape has, whatever a slow clock says.
    arrived: caller.entitlements.visibleUntil(later(facts.tapeTime() ?? now, now)),
    isReady: () => facts.tapeTime() !== null,
    contractOn: (day: UtcDay) => book.resolve(instrument, day)?.symbol ?? null,
    isTapeAhead: () => (facts.tapeTime() ?? now) > facts.now(),
    enterWait: () => facts.awaited.enter(caller.accountId),
    requestWatermark: () => facts.requestWatermark(),
    ...(facts.isBehind !== undefined && { isBehind: facts.isBehind }),
    pause: async (ms: number) => {
      await facts.pause(ms);
      // Nobody is there any more to be answered.
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

/** Without a day that others have, this node would refuse what they answer, or answer otherwise. */
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
 * Damage of a sealed day is found by reading it, and the day counts as missing from then on. What it was found by is
 * done once more: it is refused with the day's name, or given without it where gaps are allowed or only the look-back
 * becomes shorter.
 */
export async function passingDamage<T>(
  /** Told how many days were found. */
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

/** What they cost together. */
export function unitsOf(covered: readonly CoveredQuery[]): number {
  return covered.reduce((sum, { computeUnits }) => sum + computeUnits, 0);
}

/**
 * How far this caller sees the tape: it has come so far, and the delay has passed on it since. A clock that is fast shows nothing
 * sooner by that, here or on another machine.
 */
export function visibleTo({ entitlements }: Caller, facts: HistoryFacts): EpochNs {
  return entitlements.visibleUntil(earlier(facts.tapeTime() ?? facts.now(), facts.now()));
}
