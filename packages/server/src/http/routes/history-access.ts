/**
 * How history is asked for at this door: from the words of a request to a range that is there and that the
 * caller may have, or to a refusal. History, estimates and exports go through here.
 */

import type { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { Caller } from '../../accounts/auth/caller.ts';
import type { Charges } from '../../accounts/limits/charges.ts';
import { type CoveredQuery, type CoverSources, coverQuery } from '../../history/covered-query.ts';
import type { HistoryOperation } from '../../history/history-fields.ts';
import type { HistorySources } from '../../history/history-pages.ts';
import { type HistoryQuery, readHistoryQuery } from '../../history/history-query.ts';
import type { SharedPlaces } from '../../platform/shared-places.ts';
import type { RouteError } from '../server/route.ts';

/** What the routes of history know of the running service. */
export interface HistoryFacts {
  book(): InstrumentBook;
  /** Whether a contract is streamed in real time. */
  isStreamed(symbol: string): boolean;
  /** The service's time. */
  now(): EpochNs;
  /** The accounts' time. */
  accountsNow(): EpochNs;
  readonly charges: Charges;
  /** How far the tape has come; null while that is not known. */
  tapeTime(): EpochNs | null;
  /** Real time passes. */
  pause(ms: number): Promise<unknown>;
  /** Requests that wait for a cursor, by account. */
  readonly awaited: SharedPlaces;
  /** The compute threads. */
  readonly sources: HistorySources & CoverSources;
  readonly engineFingerprint: string;
  /** Of the service. */
  readonly version: string;
}

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

export function askedQuery(facts: HistoryFacts, question: HistoryQuestion): HistoryQuery {
  const { raw, operation, caller } = question;
  const { entitlements } = caller;
  const now = facts.now();
  return readHistoryQuery(raw, operation, {
    entitlements,
    book: facts.book(),
    isStreamed: (symbol) => facts.isStreamed(symbol),
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
  const book = facts.book();
  return await coverQuery(query, facts.sources, {
    visible: () => visibleTo(caller, facts),
    arrived: caller.entitlements.visibleUntil(facts.now()),
    isReady: () => facts.tapeTime() !== null,
    contractOn: (day) => book.resolve(query.instrument, day)?.symbol ?? null,
    enterWait: () => facts.awaited.enter(caller.accountId),
    pause: async (ms) => {
      await facts.pause(ms);
      // Nobody is there any more to be answered.
      signal.throwIfAborted();
    },
  });
}

/** How far this caller sees the tape: the delay has passed, and the tape has come so far. */
export function visibleTo({ entitlements }: Caller, facts: HistoryFacts): EpochNs {
  const allowed = entitlements.visibleUntil(facts.now());
  const tape = facts.tapeTime();
  return tape !== null && tape < allowed ? tape : allowed;
}
