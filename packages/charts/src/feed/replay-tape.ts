/**
 * The versions of all topics of all charts in one order: by the tape within a chart, by time between charts. It grows as
 * pages come; what is not yet in order is not there.
 */

import { compareCursors } from '@tapeloom/client/stream';
import type { PublishedBar, PublishedVersion, ReplayTrack } from './replay-track.ts';

/** A stream of the service publishes at most every 20 ms of tape time. */
const FLUSH_MS = 20;
const NS_PER_MS = 1e6;
/** Positions at which the counts of all tracks are noted. */
const COUNTED_EVERY = 1_024;

export type TapeStep = 'trade' | 'flush' | 'bar';

const TRADE = 1;
const FLUSH = 2;
const BAR = 4;

/** The topics of one chart: all of one contract, so that cursors order them. The first are its bars. */
export interface TapeChart {
  readonly tracks: readonly ReplayTrack[];
}

interface Queue {
  readonly track: ReplayTrack;
  readonly number: number;
  waiting: PublishedVersion[];
  next: number;
}

interface ChartQueue {
  readonly queues: readonly Queue[];
  /** Since the open: the time of the last bar's version. */
  ns: number;
  /** Of the last bar's version, to count what it added. */
  id: string;
  delta: number;
  volume: number;
  ready: Ready | null;
}

interface Ready {
  readonly queue: Queue;
  readonly ns: number;
  readonly waiting: PublishedVersion;
}

export class ReplayTape {
  readonly #openNs: bigint;
  readonly #charts: readonly ChartQueue[];
  /** Nanoseconds since the open. */
  readonly #times: number[] = [];
  readonly #tracks: number[] = [];
  readonly #flags: number[] = [];
  /** What a version of the first chart's bars added. */
  readonly #deltas: number[] = [];
  readonly #volumes: number[] = [];
  readonly #counts: number[][] = [];
  readonly #trackCount: number;
  #lastRank = '';
  #lastFlush = -1;
  #now: number[];

  constructor(openNs: bigint, charts: readonly TapeChart[]) {
    this.#openNs = openNs;
    let number = 0;
    this.#charts = charts.map(({ tracks }) => ({
      queues: tracks.map((track) => {
        number += 1;
        return { track, number: number - 1, waiting: [], next: 0 };
      }),
      ...{ ns: 0, id: '', delta: 0, volume: 0, ready: null },
    }));
    this.#trackCount = number;
    this.#now = Array.from({ length: number }, () => 0);
  }

  /** Versions in order. */
  get length(): number {
    return this.#times.length;
  }

  /** Nanoseconds since the open. */
  timeOf(position: number): number {
    return this.#times[position]!;
  }

  deltaOf(position: number): number {
    return this.#deltas[position]!;
  }

  volumeOf(position: number): number {
    return this.#volumes[position]!;
  }

  /** Whether the version is the first of its chart's bars to be final. */
  endsBar(position: number): boolean {
    return (this.#flags[position]! & BAR) !== 0;
  }

  /** How many versions each track has shown before a position, in the order of charts and their tracks. */
  countsAt(position: number): readonly number[] {
    const from = Math.floor(position / COUNTED_EVERY);
    const counts = [...(this.#counts[from] ?? Array.from({ length: this.#trackCount }, () => 0))];
    for (let at = from * COUNTED_EVERY; at < position; at += 1) counts[this.#tracks[at]!]! += 1;
    return counts;
  }

  /** The first position whose time is after `ns` since the open. */
  positionAfter(ns: number): number {
    let [low, high] = [0, this.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#times[middle]! <= ns) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The position after the next step; null: it is not all here. */
  after(position: number, step: TapeStep): number | null {
    if (step === 'bar') {
      for (let at = position; at < this.length; at += 1) if (this.endsBar(at)) return at + 1;
      return null;
    }
    const flag = step === 'trade' ? TRADE : FLUSH;
    for (let at = position + 1; at < this.length; at += 1) {
      if ((this.#flags[at]! & flag) !== 0) return at;
    }
    return position < this.length && this.isWhole ? this.length : null;
  }

  before(position: number, step: TapeStep): number {
    if (step === 'bar') {
      for (let at = position - 2; at >= 0; at -= 1) if (this.endsBar(at)) return at + 1;
      return 0;
    }
    const flag = step === 'trade' ? TRADE : FLUSH;
    for (let at = position - 1; at > 0; at -= 1) if ((this.#flags[at]! & flag) !== 0) return at;
    return 0;
  }

  /** Nothing more will come. */
  get isWhole(): boolean {
    return this.#charts.every((chart) =>
      chart.queues.every((queue) => queue.track.isWhole && isEmpty(queue)),
    );
  }

  /** Orders what has come. Returns the track whose next page is needed; null: none. */
  merge(): ReplayTrack | null {
    for (const { queues } of this.#charts) for (const queue of queues) this.#take(queue);
    for (;;) {
      let first: ChartQueue | null = null;
      for (const chart of this.#charts) {
        if (chart.ready === null) {
          const lacking = this.#next(chart);
          if (lacking !== null) return lacking;
        }
        if (chart.ready === null) continue;
        if (first === null || chart.ready.ns < first.ready!.ns) first = chart;
      }
      if (first === null) return null;
      this.#push(first);
    }
  }

  #take(queue: Queue): void {
    const news = queue.track.takeNews();
    if (news.length === 0) return;
    queue.waiting = [...queue.waiting.slice(queue.next), ...news];
    queue.next = 0;
  }

  /** Puts the chart's next version in place; returns the track that must come first. */
  #next(chart: ChartQueue): ReplayTrack | null {
    let first: Queue | null = null;
    for (const queue of chart.queues) {
      if (isEmpty(queue)) {
        if (!queue.track.isWhole) return queue.track;
        continue;
      }
      const isEarlier =
        first === null || compareCursors(headOf(queue).cursor, headOf(first).cursor) < 0;
      if (isEarlier) first = queue;
    }
    if (first === null) return null;
    const waiting = headOf(first);
    first.next += 1;
    // Only bars know when a trade was; the other topics stand between two versions of them.
    const ns = waiting.bar === null ? chart.ns : Number(waiting.bar.endNs - this.#openNs);
    chart.ns = Math.max(chart.ns, ns);
    chart.ready = { queue: first, ns: chart.ns, waiting };
    return null;
  }

  #push(chart: ChartQueue): void {
    const { queue, ns, waiting } = chart.ready!;
    chart.ready = null;
    const position = this.length;
    if (position % COUNTED_EVERY === 0) this.#counts[position / COUNTED_EVERY] = [...this.#now];
    this.#now[queue.number]! += 1;
    const rank = waiting.cursor.slice(0, waiting.cursor.lastIndexOf('.'));
    const flush = Math.floor(ns / (FLUSH_MS * NS_PER_MS));
    const isFirstChart = chart === this.#charts[0];
    const isEnd = isFirstChart && waiting.bar?.isFinal === true;
    this.#flags.push(
      (rank === this.#lastRank ? 0 : TRADE) |
        (flush === this.#lastFlush ? 0 : FLUSH) |
        (isEnd ? BAR : 0),
    );
    this.#lastRank = rank;
    this.#lastFlush = flush;
    this.#times.push(ns);
    this.#tracks.push(queue.number);
    const added = isFirstChart && waiting.bar !== null ? addedBy(chart, waiting.bar) : NOTHING;
    this.#deltas.push(added.delta);
    this.#volumes.push(added.volume);
  }
}

const NOTHING = { delta: 0, volume: 0 };

function addedBy(chart: ChartQueue, bar: PublishedBar) {
  const isSame = chart.id === bar.id;
  const delta = bar.delta - (isSame ? chart.delta : 0);
  const volume = bar.volume - (isSame ? chart.volume : 0);
  chart.id = bar.id;
  chart.delta = bar.delta;
  chart.volume = bar.volume;
  return { delta, volume };
}

function isEmpty({ waiting, next }: Queue): boolean {
  return next >= waiting.length;
}

function headOf({ waiting, next }: Queue): PublishedVersion {
  return waiting[next]!;
}
