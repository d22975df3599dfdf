/**
 * Writes simulated days straight as sealed days, on a few worker threads. Only whole past days without a log are
 * written, so it never touches the ingest's files. It can be stopped or killed at any moment and repeated. A day counts
 * as made once the manifest names it. A day that existed with other trades stays missing, because its cursors would
 * change meaning. A fill starts after `openTape`, which removes unfinished files.
 */

import { Worker } from 'node:worker_threads';
import type { UtcDay } from '@tapeloom/core/numbers';
import { addDays } from '@tapeloom/core/utc-day';
import type { Disk } from '../../platform/disk/disk.ts';
import { Thread, type ThreadShape } from '../../platform/threads/thread.ts';
import type { TapeManifest } from '../../tape/tape-manifest.ts';
import {
  contractDirectory,
  dayOfFile,
  daysDirectory,
  isSafeName,
  logDirectory,
} from '../../tape/tape-paths.ts';
import { FillError, type FillItem } from '../market.ts';
import type { FillState } from './fill-plan.ts';
import { SIM_DATASET } from './sim-universe.ts';
import type { SimOptions } from './trades/sim-market.ts';

const WORKERS_MAX = 2;
/** Of a contract and day, roughly. */
const PRINTS_PER_DAY = 150_000;
/** One more worker for each such number of prints: starting one takes about a fifth of a second of a processor. */
const PRINTS_PER_WORKER = 500_000;

/** The settings of a fill worker; `today` only selects the range of known contracts. */
export interface FillSetting {
  readonly tapeRoot: string;
  readonly sim: SimOptions;
  readonly today: UtcDay;
  /** Threads that make days; the default depends on the amount of work. */
  readonly workers?: number;
}

export interface FillRequest extends FillItem {
  /** The digest that the day must have, if it existed before. */
  readonly expected: string | null;
}

/** A fill worker's response: the day's digest, or the conflict. */
export type FillDone =
  | { readonly trades: number; readonly digest: string }
  | { readonly conflict: string };

export interface FillShape extends ThreadShape {
  readonly calls: { make(item: FillRequest): FillDone };
  readonly orders: never;
  readonly news: never;
  readonly refusal: never;
}

export interface FillProgress {
  /** The item that was sealed last. */
  readonly item: FillItem;
  readonly itemTrades: number;
  readonly days: number;
  readonly daysTotal: number;
  readonly trades: number;
}

export interface FillResult {
  readonly days: number;
  readonly trades: number;
  /** False when it was aborted before the last item, or when some items have conflicts. */
  readonly isComplete: boolean;
  /** Why some items were not made. */
  readonly conflicts: readonly string[];
}

export async function readFillState(disk: Disk, tapeRoot: string): Promise<FillState> {
  const logs = (await disk.list(logDirectory(tapeRoot, SIM_DATASET))).flatMap(
    (name) => dayOfFile(name, 'log') ?? [],
  );
  const sealed = new Set<string>();
  for (const symbol of await disk.list(daysDirectory(tapeRoot, SIM_DATASET))) {
    if (!isSafeName(symbol)) continue;
    for (const name of await disk.list(contractDirectory(tapeRoot, SIM_DATASET, symbol))) {
      const day = dayOfFile(name, 'json');
      if (day !== null) sealed.add(`${symbol} ${day}`);
    }
  }
  const newestLog = logs.at(-1);
  return {
    isDone: (symbol, day) => logs.includes(day) || sealed.has(`${symbol} ${day}`),
    missedFrom: newestLog === undefined ? null : addDays(newestLog, 1),
  };
}

/** Makes and seals the items, roughly in order. Without a manifest the tape's next opening names them. */
export async function runFill(
  setting: FillSetting,
  items: readonly FillItem[],
  onProgress: (progress: FillProgress) => void,
  signal: AbortSignal,
  manifest: TapeManifest | null = null,
): Promise<FillResult> {
  const conflicts: string[] = [];
  let next = 0;
  let days = 0;
  let trades = 0;
  const take = () => (signal.aborted ? undefined : items[next++]);
  const aborted = Promise.withResolvers<null>();
  const abort = () => aborted.resolve(null);
  signal.addEventListener('abort', abort);
  const work = async (): Promise<void> => {
    await using thread = startFillThread(setting);
    for (let item = take(); item !== undefined; item = take()) {
      const { symbol, day } = item;
      const request = { ...item, expected: manifest?.digestOf(symbol, day) ?? null };
      const made = thread.call('make', request).catch((cause: unknown) => {
        throw new FillError(request, cause);
      });
      const done = await Promise.race([made, aborted.promise]);
      if (done === null) return;
      if ('conflict' in done) {
        conflicts.push(done.conflict);
        continue;
      }
      await manifest?.sealed([{ symbol, day, digest: done.digest }]);
      days += 1;
      trades += done.trades;
      onProgress({ item, itemTrades: done.trades, days, daysTotal: items.length, trades });
    }
  };
  // When one worker fails the others continue: a new fill may start only after all of them have ended.
  const { workers: count = workersWorth(setting.sim, items.length) } = setting;
  const workers = Array.from({ length: Math.min(count, items.length) }, work);
  const failed = (await Promise.allSettled(workers)).find(({ status }) => status === 'rejected');
  signal.removeEventListener('abort', abort);
  if (failed?.status === 'rejected') throw failed.reason;
  return { days, trades, isComplete: days === items.length, conflicts };
}

export function workersWorth({ printsScale }: SimOptions, items: number): number {
  const prints = items * PRINTS_PER_DAY * printsScale;
  return Math.min(WORKERS_MAX, 1 + Math.floor(prints / PRINTS_PER_WORKER));
}

function startFillThread(workerData: FillSetting): Thread<FillShape> {
  const worker = new Worker(new URL('./fill-worker.ts', import.meta.url), { workerData });
  return new Thread(worker, { name: 'the thread' });
}
