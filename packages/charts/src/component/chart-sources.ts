/** Where a chart on a page gets its data: a client of the page or one of its own, and what the plan allows. */

import { type PlanLimits, TapeloomClient } from '@tapeloom/client';
import type { ClientClock } from '@tapeloom/client/stream';
import { HistoryBudget, type TextStore } from '../feed/history-budget.ts';
import { PlanRoom } from '../feed/plan-room.ts';
import type { FeedSources, SessionsAnswer, SessionsRequest } from '../feed/sources.ts';
import type { ChartClient, ChartSource } from './chart-options.ts';

/** A chart does not wait longer for the limits of a plan. */
const USAGE_MS = 3000;
const DAY_MS = 86_400_000;

export type HistoryMode = 'none' | 'scroll' | 'ask';

export interface SourcePorts {
  readonly clock: ClientClock;
  readonly store: TextStore;
  readonly wallMs: () => number;
}

export interface ChartSources {
  readonly sources: FeedSources;
  readonly mode: HistoryMode;
  /** Resolves to what the plan allows; never rejects. */
  readonly plan: Promise<{ readonly room: PlanRoom; readonly budget: HistoryBudget }>;
  close(): void;
}

export function chartSources(options: ChartSource, ports: SourcePorts): ChartSources {
  const { client, fetch: ask } = options;
  const own = client === undefined ? ownClient(options) : null;
  const mode = options.history ?? (client === undefined && ask === undefined ? 'none' : 'scroll');
  const from: ChartClient = own ?? client!;
  const sources: FeedSources = {
    subscribe: (request) => from.subscribe(request),
    history: (request) => from.history(request),
    estimate: (request) => from.estimate(request),
    usage: (call) => from.usage(call),
    // Without a back end for requests, the service would refuse them all.
    instruments: (request) => (mode === 'none' ? Promise.resolve([]) : from.instruments(request)),
    ...sessionsOf(from, mode),
    get connection() {
      return from.connection;
    },
    on: (kind, hear) => from.on(kind, hear),
  };
  return {
    ...{ sources, mode },
    plan: planOf(sources, mode, options, ports),
    close() {
      void own?.close();
    },
  };
}

function ownClient({ url, token, fetch: ask }: ChartSource): TapeloomClient {
  if (token === undefined) {
    throw new Error('A chart needs the option "client", or "token" and "url".');
  }
  return new TapeloomClient({ url, token, ...(ask !== undefined && { fetch: ask }) });
}

/** A chart asks for days and means the last one too; the service ends before it. */
function sessionsOf(client: ChartClient, mode: HistoryMode): Pick<FeedSources, 'sessions'> {
  if (client.sessions === undefined || mode === 'none') return {};
  return {
    async sessions({ instrument, from, to, signal }: SessionsRequest): Promise<SessionsAnswer> {
      const end = new Date(Date.parse(to) + DAY_MS).toISOString().slice(0, 10);
      const asked = { instrument, from, to: end, ...(signal !== undefined && { signal }) };
      const answer = await client.sessions!(asked);
      const sessions = answer.sessions.map((session) => ({
        ...session,
        date: Number(session.date.replaceAll('-', '')),
      }));
      const { contract, timeZone } = answer;
      return { instrument, contract, timeZone, sessions };
    },
  };
}

/** What the service would refuse is not known here: it says so itself. */
const UNKNOWN_LIMITS: PlanLimits = {
  ...{ computeBudget: 0, exportBytes: 0, restPerMinute: 60, historyDays: 0, delaySeconds: 0 },
  ...{ maxConnections: 1, maxSubscriptions: 1000, maxCustomConfigs: 1000, realtime: true },
};

async function planOf(
  sources: FeedSources,
  mode: HistoryMode,
  { historyUnits }: ChartSource,
  { clock, store, wallMs }: SourcePorts,
): Promise<{ readonly room: PlanRoom; readonly budget: HistoryBudget }> {
  const usage = mode === 'none' ? null : await inTime(clock, sources.usage());
  const limits = usage?.limits ?? UNKNOWN_LIMITS;
  const unitsPerMonth = Math.min(historyUnits ?? Number.POSITIVE_INFINITY, limits.computeBudget);
  return {
    room: new PlanRoom(usage?.plan ?? 'live', limits),
    budget: new HistoryBudget({ unitsPerMonth, store, wallMs }),
  };
}

async function inTime<T>(clock: ClientClock, answer: Promise<T>): Promise<T | null> {
  const late = Promise.withResolvers<null>();
  const timer = clock.after(USAGE_MS, () => late.resolve(null));
  try {
    return await Promise.race([answer.catch(() => null), late.promise]);
  } finally {
    timer.cancel();
  }
}
