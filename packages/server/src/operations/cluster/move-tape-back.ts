/**
 * Copies the tape of a cluster into a directory for a single machine. It works like a node that joins with an empty
 * directory, but fetches every listed day and never appends. The result is compared with the book.
 */

import { setTimeout } from 'node:timers/promises';
import type { UtcDay } from '@tapeloom/core/numbers';
import { createClock } from '../../platform/system-clock.ts';
import { zstdAside } from '../../platform/zstd-aside.ts';
import { markPath } from '../../tape/shared/log/log-mark.ts';
import { SharedTape } from '../../tape/shared/shared-tape.ts';
import type { TapeBook } from '../../tape/stream/tape-book.ts';
import { TapeManifest } from '../../tape/tape-manifest.ts';
import { dayOfFile, logDirectory, sharedDirectory } from '../../tape/tape-paths.ts';
import { openTape } from '../../tape/write/open-tape.ts';
import type { DayProof, MovedTape, TapePlace } from './move-tape-in.ts';
import type { ClusterTape } from './open-cluster-tape.ts';

const LOOK_EVERY_MS = 100;

export interface BroughtTape extends MovedTape {
  readonly floors: string | null;
}

/** The directory must be locked, without a tape of its own, and no node may append meanwhile. */
export async function moveTapeBack(
  place: Omit<TapePlace, 'floors'>,
  tape: ClusterTape,
): Promise<BroughtTape> {
  const book = await follow(place, tape);
  await standAlone(place);
  const { disk, tapeRoot, dataset, listed } = place;
  const clock = createClock({ kind: 'system' });
  let failure: Error | null = null;
  await using opened = await openTape({
    ...{ disk, tapeRoot, dataset, listed, now: () => clock.now() },
    onFailure: (error) => {
      failure ??= error;
    },
  });
  if (failure !== null) throw failure;
  const days = listedDays(book);
  for (const { symbol, day, digest } of days) {
    if (opened.manifest.digestOf(symbol, day) === digest) continue;
    throw new Error(`${symbol} ${day} has other trades than the cluster's book records`);
  }
  const log = opened.report.logs.find(({ ended }) => !ended);
  const open = log === undefined ? null : { day: log.day, trades: log.trades };
  return { days, open, floors: book.floors };
}

/** Follows until the end of the stream is reached and every listed day is here. */
async function follow(place: Omit<TapePlace, 'floors'>, tape: ClusterTape): Promise<TapeBook> {
  const { disk, tapeRoot, dataset, listed, onProgress } = place;
  const { stream, objects, clusterId } = tape;
  const clock = createClock({ kind: 'system' });
  let fault: unknown = null;
  await using copy = await SharedTape.open({
    ...{ disk, tapeRoot, dataset, listed, stream, objects, clock, cluster: clusterId },
    ...{
      packing: zstdAside,
      node: 'migrate',
      mayLead: false,
      random: () => 0,
      now: () => clock.now(),
    },
    handler: {
      book: () => {},
      dayFetched: () => {},
      dayRemoved: () => {},
      lead: async () => {},
      state: () => {},
      fault: (_what, error) => {
        fault ??= error;
      },
    },
  });
  const running = copy.run();
  const over = running.then(() => {
    throw new Error('the stream ended');
  });
  await Promise.race([copy.caughtUp, over]);
  const { last } = await stream.ends();
  for (;;) {
    const days = listedDays(copy.book);
    const missing = days.filter(({ symbol, day }) => copy.manifest.isMissing(symbol, day));
    onProgress('days', days.length - missing.length, days.length);
    if (missing.length === 0 && copy.report.sequence >= last) break;
    if (fault !== null) throw fault;
    await Promise.race([setTimeout(LOOK_EVERY_MS), over]);
  }
  over.catch(() => {});
  const more = (await stream.ends()).last - copy.report.sequence;
  if (more > 0) throw new Error(`${more} messages arrived meanwhile: is a node running?`);
  return copy.book;
}

/** Removes all traces of the cluster from the directory. */
async function standAlone(place: Omit<TapePlace, 'floors'>): Promise<void> {
  const { disk, tapeRoot, dataset } = place;
  const logs = logDirectory(tapeRoot, dataset);
  const days: UtcDay[] = [];
  for (const name of await disk.list(logs)) {
    const day = dayOfFile(name, 'log');
    if (day === null) {
      await disk.remove(`${logs}/${name}`);
      continue;
    }
    days.push(day);
    const mark = markPath(tapeRoot, dataset, day);
    if ((await disk.stat(mark)) !== null) await disk.remove(mark);
  }
  await (await TapeManifest.open(disk, tapeRoot, dataset)).nameLogs(days);
  const shared = sharedDirectory(tapeRoot, dataset);
  for (const name of await disk.list(shared)) await disk.remove(`${shared}/${name}`);
}

function listedDays(book: TapeBook): readonly DayProof[] {
  return Object.entries(book.days).flatMap(([symbol, days]) =>
    Object.entries(days).map(([day, { digest }]) => ({
      symbol,
      day: Number(day) as UtcDay,
      digest,
    })),
  );
}
