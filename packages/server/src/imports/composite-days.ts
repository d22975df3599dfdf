/**
 * The finished days of composites, made again out of the finished days of their members: when files have repaired a
 * member's day, when a member was left out although its trades came later, and when the members have days that the
 * composite lacks. They are days of an import (0126): read instead of the sealed ones, in effect with one manifest.
 */

import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EpochNs, Rank, UtcDay } from '@tapeloom/core/numbers';
import { allocateBatch, type TradeBatch } from '@tapeloom/core/trade-batch';
import { DAY_NS, MS_NS_BIG } from '@tapeloom/core/units';
import { addDays, dayOf, epochNs } from '@tapeloom/core/utc-day';
import { byDataset } from '../markets/composite/composite-feed.ts';
import { MergedRows, mergeRows, type RowQueue } from '../markets/composite/merge-rows.ts';
import type {
  CompositeMember,
  ListedDataset,
  NamedContract,
} from '../markets/instruments/instruments-file.ts';
import type { Disk } from '../platform/disk/disk.ts';
import { removeNamelessDays, writeImportedDay } from '../tape/imported/imported-files.ts';
import {
  type ImportedDay,
  type ImportedManifest,
  readImported,
  writeImported,
} from '../tape/imported/imported-manifest.ts';
import type { DaySpan, Tape, TapeDay } from '../tape/tape.ts';
import { TapeDamagedError } from '../tape/tape-errors.ts';
import { manifestPath } from '../tape/tape-paths.ts';
import { digestOf } from '../tape/write/seal/encode-day.ts';
import { SessionStore } from '../tape/write/session-store.ts';
import { SealedLiveDays } from './live-days.ts';
import { countIn } from './merge-day.ts';
import { SessionHours } from './session-hours.ts';
import { differenceOf, isSameSpans, unionOf } from './spans.ts';

const WHOLE_DAY: readonly DaySpan[] = [[0, DAY_NS]];

export interface CompositeDaysPlace {
  readonly disk: Disk;
  readonly tapeRoot: string;
  readonly dataset: ListedDataset;
  /** By dataset: the members' tapes with the repairs of their days. */
  readonly tapes: ReadonlyMap<string, Pick<Tape, 'days' | 'read'>>;
  readonly now: EpochNs;
  /** Earlier days are not made. */
  readonly oldest: UtcDay;
  /** Null while an import into the dataset runs. */
  readonly lock: () => Disposable | null;
  readonly signal: AbortSignal;
  /** A day of a member cannot be read: that of the composite stays as it is. */
  readonly onDamage: (error: Error) => void;
}

/** Days that were found to need nothing, by contract and day; valid as long as their members' days are the same. */
export type SettledComposites = Map<string, string>;

interface DueDay {
  readonly named: NamedContract;
  readonly day: UtcDay;
  readonly members: readonly CompositeMember[];
  readonly days: readonly TapeDay[];
  readonly sources: readonly string[];
}

/** Resolves to whether nothing is left to do. The newest days come first. */
export async function makeCompositeDays(
  place: CompositeDaysPlace,
  settled: SettledComposites,
): Promise<boolean> {
  const { disk, tapeRoot, dataset, now, signal } = place;
  const { name } = dataset;
  // Until it has begun, its first day is unknown.
  if ((await disk.stat(manifestPath(tapeRoot, name))) === null) return false;
  const live = await SealedLiveDays.open({ disk, tapeRoot, dataset: name, today: dayOf(now) });
  const due = (await Promise.all(dataset.contracts.map((one) => finishedDays(place, live, one))))
    .flat()
    .sort((a, b) => b.day - a.day);
  for (const one of due) {
    if (signal.aborted) return false;
    const key = `${one.named.contract.symbol} ${one.day}`;
    const version = one.sources.join();
    if (settled.get(key) === version) continue;
    try {
      if ((await isDue(place, live, one)) && !(await make(place, live, one))) return false;
    } catch (error) {
      if (!(error instanceof TapeDamagedError)) throw error;
      place.onDamage(error);
    }
    settled.set(key, version);
  }
  return true;
}

/** The days that every member of the composite has finished, with what they are made of. */
async function finishedDays(
  { tapes, oldest }: CompositeDaysPlace,
  live: SealedLiveDays,
  named: NamedContract,
): Promise<readonly DueDay[]> {
  const members = (named.members ?? []).toSorted(byDataset);
  const known = await Promise.all(
    members.map(async ({ symbol, dataset }) => {
      const days = (await tapes.get(dataset)?.days(symbol)) ?? [];
      return new Map(days.map((one) => [one.day, one]));
    }),
  );
  const all = new Set(known.flatMap((days) => [...days.keys()]));
  return [...all].flatMap((day): DueDay[] => {
    if (day < oldest || !live.isFinished(named.contract.symbol, day)) return [];
    // A contract that has expired has no such day.
    const there = members.flatMap((member, index) => {
      return member.expiresAt <= epochNs(day, 0) ? [] : [[member, known[index]!.get(day)] as const];
    });
    const days = there.flatMap(([, one]) => (one !== undefined && isFinished(one) ? [one] : []));
    if (days.length < there.length || days.length === 0) return [];
    const present = there.map(([member]) => member);
    const sources = present.map(({ symbol }, index) => `${symbol} ${versionOf(days[index]!)}`);
    return [{ named, day, members: present, days, sources }];
  });
}

function isFinished({ state }: TapeDay): boolean {
  return state === 'sealed' || state === 'partial';
}

async function isDue(
  { disk, tapeRoot, dataset }: CompositeDaysPlace,
  live: SealedLiveDays,
  { named, day, days, sources }: DueDay,
): Promise<boolean> {
  const { symbol } = named.contract;
  const manifest = await readImported(disk, tapeRoot, dataset.name);
  const imported = manifest?.days.get(symbol)?.get(day);
  if (imported !== undefined) {
    // What was made of other members stays as it is.
    const isOfThese = isSame(imported.sources.map(symbolIn), sources.map(symbolIn));
    return isOfThese && !isSame(imported.sources, sources);
  }
  const sealed = await live.find(symbol, day);
  if (sealed === null) return true;
  const isRepaired = days.some(({ origin }) => origin !== undefined);
  return isRepaired || !isSameSpans(sealed.gaps, gapsOf(days));
}

/** False: an import has the lock. */
async function make(
  { disk, tapeRoot, dataset, tapes, now, lock }: CompositeDaysPlace,
  live: SealedLiveDays,
  { named, day, members, days, sources }: DueDay,
): Promise<boolean> {
  const { contract } = named;
  const { symbol } = contract;
  const place = { dataset: dataset.name, symbol, day };
  const { trades, tooLarge } = await mergedDay(members, tapes, day);
  const store = new SessionStore(disk, tapeRoot, dataset.name);
  const hours = new SessionHours({ store, dataset, isLive: true, now });
  const open = await hours.openOn(contract, day);
  const missing = unionOf(gapsOf(days), tooLarge);
  const covered = differenceOf(WHOLE_DAY, missing);
  const gaps = differenceOf(open, covered);
  const digest = await digestOf([trades], place);
  using held = lock();
  if (held === null) return false;
  const manifest: ImportedManifest = (await readImported(disk, tapeRoot, dataset.name)) ?? {
    dataset: dataset.name,
    revision: 0,
    days: new Map(),
  };
  const before = manifest.days.get(symbol)?.get(day) ?? (await live.find(symbol, day));
  if (before?.digest === digest && isSameSpans(before.gaps, gaps) && before.sources.length === 0) {
    return true;
  }
  if (trades.count === 0 && open.length === 0) return true;
  const outside = trades.count - countIn(trades, open);
  const imported: ImportedDay = {
    ...{ digest, trades: trades.count, volume: volumeOf(trades), covered, gaps, sources },
    origin: before === null ? 'imported' : 'replaced',
    at: new Date(Number(now / MS_NS_BIG)).toISOString(),
    sideRule: null,
    ...(outside > 0 && { outside }),
  };
  await removeNamelessDays(disk, tapeRoot, manifest);
  await writeImportedDay(disk, tapeRoot, place, trades, digest);
  await hours.save();
  const all = new Map([...manifest.days].map(([one, of]) => [one, new Map(of)]));
  all.set(symbol, (all.get(symbol) ?? new Map()).set(day, imported));
  const revision = manifest.revision + 1;
  await writeImported(disk, tapeRoot, { dataset: dataset.name, revision, days: all });
  return true;
}

/** Trades of one member and day. */
class DayQueue implements RowQueue {
  readonly ticks: number;
  readonly lots: number;
  readonly #reading: AsyncIterator<TradeBatch>;
  batch: TradeBatch | null = null;
  row = 0;
  isDrained = false;

  constructor({ ticks, lots }: CompositeMember, reading: AsyncIterable<TradeBatch>) {
    this.ticks = ticks;
    this.lots = lots;
    this.#reading = reading[Symbol.asyncIterator]();
  }

  async fill(): Promise<void> {
    const { done, value } = await this.#reading.next();
    this.isDrained = done === true;
    if (done === true) return;
    this.batch = value;
    this.row = 0;
  }
}

async function mergedDay(
  members: readonly CompositeMember[],
  tapes: CompositeDaysPlace['tapes'],
  day: UtcDay,
): Promise<{ readonly trades: TradeBatch; readonly tooLarge: readonly DaySpan[] }> {
  const [from, to] = [day, addDays(day, 1)].map((one) => ({ day: one, rank: 0 as Rank }));
  const queues = members.map((member) => {
    return new DayQueue(member, tapes.get(member.dataset)!.read(member.symbol, from!, to));
  });
  const rows = new MergedRows(day);
  const rowsMax = Number.POSITIVE_INFINITY;
  for (;;) {
    const result = mergeRows(queues, { day, fromNs: 0, untilNs: DAY_NS, rowsMax }, rows);
    if (result.kind !== 'hungry') break;
    await queues[result.queue]!.fill();
    // Live trades must not wait for a day of the past.
    await nextTurn();
  }
  const { count, ts, price, size, side } = rows.batch('', 1);
  const trades = allocateBatch(day, 1 as Rank, count);
  trades.ts.set(ts);
  trades.price.set(price);
  trades.size.set(size);
  trades.side.set(side);
  trades.count = count;
  return {
    trades,
    tooLarge: unionOf(
      rows.tooLarge.map((at) => [at, at + 1]),
      [],
    ),
  };
}

function gapsOf(days: readonly TapeDay[]): readonly DaySpan[] {
  return days.reduce<readonly DaySpan[]>((all, { gaps = [] }) => unionOf(all, gaps), []);
}

/** Changes with the trades and the gaps of a member's day. */
function versionOf({ digest = '', version = digest }: TapeDay): string {
  return createHash('sha256').update(version).digest('hex').slice(0, 16);
}

function symbolIn(source: string): string {
  return source.slice(0, source.indexOf(' '));
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((one, index) => one === b[index]);
}

function volumeOf({ size, count }: TradeBatch): number {
  let volume = 0;
  for (let row = 0; row < count; row += 1) volume += size[row]!;
  return volume;
}
