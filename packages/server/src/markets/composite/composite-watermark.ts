/**
 * How far the members of a composite are complete together: the least watermark of their datasets. A dataset that
 * stands still while another one moves is left out after a while, and taken in again when it has nearly caught up.
 * Pure: `now` is the time of a clock that never jumps, and is used for durations only.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { MS_NS_BIG } from '@tapeloom/core/units';
import { dayOf, earlier, epochNs, later } from '@tapeloom/core/utc-day';
import type { TapeNote } from '../../tape/write/tape-note.ts';

/** A dataset that moves and is no further behind is waited for. */
const RETURN_NS = 10_000_000_000n;
const STALE_NS = 5_000_000_000n;
const DOWN_NS = 60_000_000_000n;
/** No market opens later. */
const NEVER = 4_133_980_800_000_000_000n as EpochNs;

export interface CompositeWatermarkOptions {
  /** The names of the members' datasets. */
  readonly datasets: readonly string[];
  readonly leaveOutAfterMs: number;
  /** The first instant from `at` on at which a member of the dataset may trade; null: never again. */
  readonly openFrom: (dataset: string, at: EpochNs) => EpochNs | null;
  /** The durable watermark of the composite; null on an empty tape. */
  readonly start: EpochNs | null;
  /** The notes on the tape. */
  readonly position: (key: string) => string | null;
  readonly now: bigint;
}

interface MemberDataset {
  readonly name: string;
  watermark: EpochNs | null;
  /** Since when it was complete and then left out; null: it is in. */
  outSince: EpochNs | null;
  /** Whether it has moved since it was left out. */
  hasMoved: boolean;
  /** While its market is closed, it is complete up to here although it says nothing. */
  closedTo: EpochNs;
  /** Since when the others wait for it; null: they do not. */
  awaitedSince: bigint | null;
  /** What the tape has of `outSince`. */
  noted: string;
}

export class CompositeWatermark {
  readonly #options: CompositeWatermarkOptions;
  readonly #datasets: readonly MemberDataset[];
  readonly #leaveOutAfterNs: bigint;
  #watermark: EpochNs | null;

  constructor(options: CompositeWatermarkOptions) {
    this.#options = options;
    this.#leaveOutAfterNs = BigInt(options.leaveOutAfterMs) * MS_NS_BIG;
    this.#watermark = options.start;
    this.#datasets = options.datasets.map((name) => {
      const noted = options.position(outKey(name)) ?? '';
      const outSince = noted === '' ? null : (BigInt(noted) as EpochNs);
      const closedTo = 0n as EpochNs;
      return {
        ...{ name, watermark: null, outSince, hasMoved: false, closedTo, noted },
        awaitedSince: null,
      };
    });
    // The others may have left the list of members.
    if (this.#present.length === 0) for (const one of this.#datasets) one.outSince = null;
  }

  /** Everything before it is merged; on an empty tape the midnight of its first day; null: nothing is known. */
  get watermark(): EpochNs | null {
    return this.#watermark;
  }

  /** Up to here everything may be merged. */
  get target(): EpochNs | null {
    if (this.#watermark === null) return null;
    let least: EpochNs | null = null;
    for (const one of this.#present) {
      const reach = reachOf(one) ?? this.#watermark;
      least = earlier(least ?? reach, reach);
    }
    const newest = this.#newest;
    return least === null || newest === null ? this.#watermark : earlier(least, newest);
  }

  isOut(dataset: string): boolean {
    return this.#datasets.some(({ name, outSince }) => name === dataset && outSince !== null);
  }

  state(now: bigint): 'live' | 'stale' | 'down' {
    let longest = 0n;
    for (const { awaitedSince } of this.#present) {
      if (awaitedSince !== null && now - awaitedSince > longest) longest = now - awaitedSince;
    }
    if (longest < STALE_NS) return 'live';
    return longest < DOWN_NS ? 'stale' : 'down';
  }

  /** The watermark of a member's dataset, as often as it is looked at. */
  heard(dataset: string, watermark: EpochNs | null): void {
    const one = this.#datasets.find(({ name }) => name === dataset)!;
    if (watermark === one.watermark) return;
    // The first look after a start is no movement.
    one.hasMoved ||= one.watermark !== null;
    one.watermark = watermark;
    one.awaitedSince = null;
  }

  /** Begins, leaves datasets out and takes them in again. What it decides holds from the watermark on. */
  decide(now: bigint): void {
    if (this.#watermark === null) this.#begin(now);
    const watermark = this.#watermark;
    if (watermark === null) return;
    for (const one of this.#datasets) {
      if (one.outSince !== null) takeIn(one, watermark);
      else this.#await(one, watermark, now);
    }
  }

  /** Everything before `to` was merged and is offered to the tape. */
  advance(to: EpochNs): void {
    this.#watermark = to;
  }

  /** What has changed since the last call. */
  takeNotes(): readonly TapeNote[] {
    const notes: TapeNote[] = [];
    for (const one of this.#datasets) {
      const text = one.outSince === null ? '' : `${one.outSince}`;
      if (text === one.noted) continue;
      one.noted = text;
      notes.push({ kind: 'position', key: outKey(one.name), text });
    }
    return notes;
  }

  get #present(): readonly MemberDataset[] {
    return this.#datasets.filter(({ outSince }) => outSince === null);
  }

  get #newest(): EpochNs | null {
    let newest: EpochNs | null = null;
    for (const { watermark } of this.#present) {
      if (watermark !== null) newest = later(newest ?? watermark, watermark);
    }
    return newest;
  }

  /** An empty tape begins on the first day on which all are there, or those that are there in time. */
  #begin(now: bigint): void {
    let least: EpochNs | null = null;
    for (const { watermark } of this.#datasets) {
      if (watermark !== null) least = earlier(least ?? watermark, watermark);
    }
    const isLate = now - this.#options.now >= this.#leaveOutAfterNs;
    const areAllThere = this.#datasets.every(({ watermark }) => watermark !== null);
    if (least === null || !(areAllThere || isLate)) return;
    const begin = epochNs(dayOf(least), 0);
    this.#watermark = begin;
    for (const one of this.#datasets) if (one.watermark === null) leaveOut(one, begin);
  }

  #await(one: MemberDataset, watermark: EpochNs, now: bigint): void {
    const reach = reachOf(one) ?? watermark;
    const isAwaited =
      reach <= watermark &&
      this.#present.some((other) => other !== one && (other.watermark ?? 0n) > watermark);
    if (!isAwaited) {
      one.awaitedSince = null;
      return;
    }
    const open = this.#options.openFrom(one.name, watermark) ?? NEVER;
    one.awaitedSince ??= now;
    // Of a dataset whose members have all expired nothing more is to come.
    if (open !== NEVER && now - one.awaitedSince < this.#leaveOutAfterNs) return;
    one.awaitedSince = null;
    if (open === watermark) leaveOut(one, watermark);
    else one.closedTo = open;
  }
}

function leaveOut(one: MemberDataset, since: EpochNs): void {
  one.outSince = since;
  one.hasMoved = false;
}

function takeIn(one: MemberDataset, watermark: EpochNs): void {
  if (!one.hasMoved || one.watermark === null) return;
  if (one.watermark + RETURN_NS >= watermark) one.outSince = null;
}

function reachOf({ watermark, closedTo }: MemberDataset): EpochNs | null {
  return watermark === null ? null : later(watermark, closedTo);
}

function outKey(dataset: string): string {
  return `out:${dataset}`;
}
