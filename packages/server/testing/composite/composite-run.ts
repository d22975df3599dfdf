/**
 * Composites over three simulated datasets with different ticks and lots. The members' tapes are fed by a script; the
 * machine that writes the composite's tape crashes. What must be on it is merged here independently of the source.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { dayOf, epochNs, utcDay } from '@tapeloom/core/utc-day';
import { seededRandom } from '../../../../simulation/clock/seeded-random.ts';
import { type Fault, SimDisk } from '../../../../simulation/disk/sim-disk.ts';
import { CompositeFeed } from '../../src/markets/composite/composite-feed.ts';
import type { MemberTape } from '../../src/markets/composite/member-tape.ts';
import type {
  ListedDataset,
  NamedContract,
} from '../../src/markets/instruments/instruments-file.ts';
import { readInstruments } from '../../src/markets/instruments/read-instruments.ts';
import type { OpenHours } from '../../src/markets/live/watermark/open-hours.ts';
import type { Disk } from '../../src/platform/disk/disk.ts';
import { TapeReader } from '../../src/tape/read/tape-reader.ts';
import type { TapeGap } from '../../src/tape/tape-gap.ts';
import type { IntakeBatch } from '../../src/tape/write/intake.ts';
import { type OpenTape, openTape } from '../../src/tape/write/open-tape.ts';
import type { TapeNote } from '../../src/tape/write/tape-note.ts';
import { intakeBatch } from '../tape/feed-rows.ts';
import { TAPE_ROOT, type TapeRow, tapeRows } from '../tape/tape-on-sim-disk.ts';

const DAY = utcDay(20_260_105);
const DAY_NS = 86_400_000_000_000;
/** Two minutes before midnight. */
export const START = epochNs(DAY, DAY_NS - 120_000_000_000);
const LONG_AFTER = 4_000_000_000_000_000_000n as EpochNs;
export const MEMBERS = ['BIN', 'OKX', 'BYB'] as const;
export type Member = (typeof MEMBERS)[number];
export const COMPOSITE = 'BTC.all';

/** BTC, and ETH without Bybit. One OKX contract is 0.01 BTC. XBT is listed later. */
const FILE = JSON.stringify({
  datasets: {
    BIN: live({ 'BTC.bin': ['0.5', '0.003', '1'], 'ETH.bin': ['0.02', '0.01', '1'] }),
    OKX: live({ 'BTC.okx': ['0.2', '0.1', '0.01'], 'ETH.okx': ['0.01', '1', '0.1'] }),
    BYB: live({ 'BTC.byb': ['0.1', '0.002', '1'] }),
    ALL: {
      live: { source: 'composite', leaveOutAfterMinutes: 10 },
      products: {
        BTC: composite(['BTC.bin', 'BTC.okx', 'BTC.byb']),
        ETH: composite(['ETH.okx', 'ETH.bin']),
        XBT: composite(['BTC.byb', 'BTC.bin']),
      },
    },
  },
});

function live(products: Readonly<Record<string, readonly [string, string, string]>>) {
  return {
    live: { source: 'push' },
    products: Object.fromEntries(
      Object.entries(products).map(([root, [tick, lot, pointValue]]) => [
        root,
        { extends: 'crypto-perpetual', name: root, tick, lot, pointValue },
      ]),
    ),
  };
}

function composite(members: readonly string[]) {
  return { extends: 'crypto-perpetual', name: 'all', symbol: '{root}.all', members };
}

const DATASETS: readonly ListedDataset[] = readInstruments(FILE).datasets;
const listedOf = (name: string) => DATASETS.find((one) => one.name === name)!;
const symbolsOf = (name: string) => listedOf(name).contracts.map((one) => one.contract.symbol);
export const contractOf = (symbol: string) =>
  DATASETS.flatMap(({ contracts }) => contracts).find((one) => one.contract.symbol === symbol)!;

function open(
  disk: Disk,
  dataset: string,
  listed: () => readonly string[] = () => symbolsOf(dataset),
): Promise<OpenTape> {
  return openTape({
    disk,
    tapeRoot: TAPE_ROOT,
    dataset,
    listed,
    now: () => LONG_AFTER,
    onFailure: () => undefined,
  });
}

/** What is listed at first: by composite, its members. */
export const LISTED_FIRST: Listing = {
  'BTC.all': ['BTC.bin', 'BTC.okx', 'BTC.byb'],
  'ETH.all': ['ETH.okx', 'ETH.bin'],
};
export type Listing = Readonly<Record<string, readonly string[]>>;

export async function openMember(disk: Disk, dataset: Member): Promise<OpenTape> {
  return await open(disk, dataset);
}

export function memberTape(disk: Disk, dataset: Member, { publisher }: OpenTape): MemberTape {
  const reader = new TapeReader(disk, TAPE_ROOT, dataset, publisher);
  return {
    get promise() {
      return publisher.promise;
    },
    liveColumns: (symbol) => publisher.liveColumns(symbol),
    liveGaps: (symbol, day) => publisher.liveGaps(symbol, day),
    days: (symbol) => reader.days(symbol),
    read: (...of) => reader.read(...of),
  };
}

/** A row in the units of the coin. */
export function rowOf(symbol: string, [day, rank, ns, price, size, side]: TapeRow): Row {
  const { dataset, tickSizeNanos, lotSizeNanos, pointValueNanos } = contractOf(symbol).contract;
  return {
    ...{ symbol, dataset, rank, side },
    at: epochNs(day, ns),
    price: BigInt(price) * BigInt(tickSizeNanos),
    size: BigInt(size) * BigInt(lotSizeNanos) * BigInt(pointValueNanos),
  };
}

export interface Crash {
  /** The operation of the disk that does not return. */
  readonly operation: number;
  readonly fault: Fault;
  readonly end: 'kill' | 'power' | 'torn';
}

interface OpenMember {
  readonly tape: OpenTape;
  readonly lastIds: Map<string, number>;
}

export class CompositeRun {
  readonly #random: () => number;
  readonly #members = new Map<Member, OpenMember>();
  readonly #tapes = new Map<string, MemberTape>();
  readonly #machine = new SimDisk();
  readonly #leaveOutAfterMs: number;
  readonly #hours: (symbol: string) => OpenHours;
  #composite: OpenTape | null = null;
  #feed: CompositeFeed | null = null;
  #listing = LISTED_FIRST;
  /** Since when which composites are listed, ascending; of equal times the last one counts. */
  readonly listings: { readonly from: EpochNs | null; readonly listing: Listing }[] = [];
  /** Of members that expire. */
  readonly expiry = new Map<string, EpochNs>();
  /** Nanoseconds of the machine's clock. */
  now = 0n;
  crashes = 0;

  private constructor(seed: number, leaveOutAfterMs: number, hours: (symbol: string) => OpenHours) {
    this.#random = seededRandom(seed);
    this.#leaveOutAfterMs = leaveOutAfterMs;
    this.#hours = hours;
  }

  static async begin(
    seed: number,
    {
      leaveOutAfterMs = 1e12,
      hours = () => null,
    }: {
      readonly leaveOutAfterMs?: number;
      readonly hours?: (symbol: string) => OpenHours;
    } = {},
  ): Promise<CompositeRun> {
    const run = new CompositeRun(seed, leaveOutAfterMs, hours);
    for (const name of MEMBERS) {
      const disk = new SimDisk().boot();
      const tape = await open(disk, name);
      run.#members.set(name, { tape, lastIds: new Map() });
      run.#tapes.set(name, memberTape(disk, name, tape));
    }
    return run;
  }

  promiseOf(member: Member): EpochNs | null {
    return this.#members.get(member)!.tape.publisher.promise;
  }

  get promise(): EpochNs | null {
    return this.#composite?.intake.promise ?? null;
  }

  get feed(): CompositeFeed | null {
    return this.#feed;
  }

  /** A member trades until its watermark is there; it may have trades ahead of it. Some trades are at the watermark, and many share their time. */
  async trade(
    member: Member,
    to: EpochNs,
    perSecond: number,
    notes: TapeNote[] = [],
    ahead: EpochNs = to,
  ): Promise<void> {
    const { tape, lastIds } = this.#members.get(member)!;
    const from = tape.publisher.promise ?? START;
    if (to < from) return;
    const batches = memberBatches(this.#random, lastIds, member, { from, to: ahead, perSecond });
    await tape.intake.offer(batches, to, notes);
  }

  /** Offers everything that can be merged now, unless the machine stops before. False: it did. */
  async merge(crash: Crash | null = null, stepsMax = 10_000): Promise<boolean> {
    let left = crash?.operation ?? -1;
    this.#machine.faults = () => (left-- === 0 ? crash!.fault : null);
    const merged = this.#merge(stepsMax).catch((error: unknown) => {
      if (left >= 0 || crash === null) throw error;
      return false;
    });
    const isMerged = await Promise.race([merged, this.#machine.halted.then(() => false)]);
    // A fault that a background task met stops the tape a little later.
    const isDone = isMerged && (crash === null || left >= 0);
    this.#machine.faults = () => null;
    if (!isDone) this.#stop(crash!.end);
    return isDone;
  }

  /** Other composites and members from now on, as at a reload. */
  async relist(listing: Listing): Promise<void> {
    await this.#feed?.close();
    this.#feed = null;
    this.#listing = listing;
  }

  async close(): Promise<void> {
    await this.#feed?.close();
    await this.#composite?.[Symbol.asyncDispose]();
    for (const { tape } of this.#members.values()) await tape[Symbol.asyncDispose]();
  }

  /** The rows of a contract in the units of the coin: time, price and size in 1e-18, side. */
  async rows(symbol: string): Promise<readonly Row[]> {
    const { contract } = contractOf(symbol);
    const tape =
      contract.dataset === 'ALL'
        ? this.#composite!.tape
        : this.#members.get(contract.dataset as Member)!.tape.tape;
    return (await tapeRows(tape, symbol)).map((row) => rowOf(symbol, row));
  }

  /** The gaps of a contract on its two days, as instants. */
  async gaps(symbol: string): Promise<readonly (readonly [EpochNs, EpochNs])[]> {
    const { dataset } = contractOf(symbol).contract;
    const tape =
      dataset === 'ALL' ? this.#composite!.tape : this.#members.get(dataset as Member)!.tape.tape;
    const days = await tape.days(symbol);
    return days.flatMap(({ day, gaps = [] }) =>
      gaps.map(
        ([from, to]) =>
          [
            (epochNs(day, 0) + BigInt(from)) as EpochNs,
            (epochNs(day, 0) + BigInt(to)) as EpochNs,
          ] as const,
      ),
    );
  }

  get notedGaps(): readonly TapeGap[] {
    return this.#composite!.intake.gaps;
  }

  async #merge(stepsMax: number): Promise<boolean> {
    this.#composite ??= await open(this.#machine.boot(), 'ALL', () => Object.keys(this.#listing));
    const { intake } = this.#composite;
    if (this.#feed === null) {
      this.listings.push({ from: intake.promise, listing: this.#listing });
    }
    this.#feed ??= new CompositeFeed({
      contracts: this.#contracts,
      tapes: new Map(
        [...this.#tapes].filter(([dataset]) =>
          this.#contracts.some(({ members }) => members!.some((one) => one.dataset === dataset)),
        ),
      ),
      leaveOutAfterMs: this.#leaveOutAfterMs,
      intake,
      hoursOf: () => null,
      memberHours: ({ symbol }) => this.#hours(symbol),
      now: this.now,
      rowsMax: 5,
    });
    for (let step = 0; step < stepsMax; step += 1) {
      const offer = await this.#feed.next(this.now, false);
      if (offer === null) return true;
      const counts = await intake.offer(offer.batches, offer.promise, offer.notes);
      const wrong = counts.duplicate + counts.late + counts.rejected + counts.tooOld;
      if (wrong > 0) throw new Error(`of an offer ${JSON.stringify(counts)}`);
    }
    return true;
  }

  get #contracts(): readonly NamedContract[] {
    return Object.entries(this.#listing).map(([symbol, names]) => {
      const composite = contractOf(symbol);
      const members = composite
        .members!.filter((member) => names.includes(member.symbol))
        .map((member) => ({
          ...member,
          expiresAt: this.expiry.get(member.symbol) ?? member.expiresAt,
        }));
      return { ...composite, members };
    });
  }

  #stop(end: Crash['end']): void {
    this.crashes += 1;
    if (end === 'kill') this.#machine.kill();
    else this.#machine.crash(end === 'torn' ? this.#random : null);
    this.#composite = null;
    this.#feed = null;
  }
}

/** Random trades of all contracts of a member. */
export function memberBatches(
  random: () => number,
  lastIds: Map<string, number>,
  member: Member,
  {
    from,
    to,
    perSecond,
  }: { readonly from: EpochNs; readonly to: EpochNs; readonly perSecond: number },
): readonly IntakeBatch[] {
  // The tape turns its day at midnight, and trades of two days are two batches.
  return symbolsOf(member).flatMap((symbol) => {
    const count = Math.floor(random() * 2 * perSecond * (Number(to - from) / 1e9));
    const times = Array.from({ length: count }, () => randomTime(random, from, to)).sort();
    let last = lastIds.get(symbol) ?? 0;
    return Object.values(Object.groupBy(times, (time) => dayOf(time as EpochNs))).map((some) => {
      const day = dayOf(some![0] as EpochNs);
      const rows = some!.map((time) => {
        last += 1;
        lastIds.set(symbol, last);
        const ns = Number(time - epochNs(day, 0));
        const size = 1 + Math.floor(random() * 5);
        return [last, ns, 1_000 + last, size, Math.floor(random() * 3) - 1] as const;
      });
      return intakeBatch(symbol, day, rows);
    });
  });
}

function randomTime(random: () => number, from: EpochNs, to: EpochNs): bigint {
  // In steps of 50 ms, so that times are shared; now and then at the watermark.
  if (random() < 0.1) return random() < 0.5 ? from : to;
  const ns = BigInt(Math.floor(random() * Number(to - from)));
  const time = ((from + ns) / 50_000_000n) * 50_000_000n;
  return time < from ? from : time;
}

export interface Row {
  readonly symbol: string;
  readonly dataset: string;
  readonly rank: number;
  readonly at: EpochNs;
  readonly price: bigint;
  readonly size: bigint;
  readonly side: number;
}

/** All trades of these contracts before a time, by time, dataset and rank. */
export function mergedRows(rows: readonly Row[], before: EpochNs): readonly Row[] {
  return rows
    .filter(({ at }) => at < before)
    .sort((a, b) => {
      if (a.at !== b.at) return a.at < b.at ? -1 : 1;
      if (a.dataset !== b.dataset) return a.dataset < b.dataset ? -1 : 1;
      return a.rank - b.rank;
    });
}
