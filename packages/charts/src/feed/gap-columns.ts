/** Gaps of the tape as columns of a chart: those that history lists, and one that begins while the chart is watched. */

import type { HistoryGap } from '@tapeloom/client';
import type { BarSeries } from '../series/bar-series.ts';
import type { GapColumn } from '../series/chart-bar.ts';

/** The end of a gap may lie behind the last heartbeat; a close that is this far ahead is no end. */
const CERTAINLY_AHEAD_NS = 60_000_000_000n;

/** Gaps of history: a gap before the first bar waits until there are bars on its other side. */
export class PastGaps {
  /** Ascending; they do not touch. */
  #waiting: readonly GapColumn[] = [];

  /** `fromNs`: the start of what was loaded. What lies before it is listed again when that is loaded. */
  add(gaps: readonly HistoryGap[], fromNs: bigint): void {
    const found = gaps.flatMap(({ from, to, why }): readonly GapColumn[] => {
      const [startNs, endNs] = [later(BigInt(from), fromNs), BigInt(to)];
      const reason = why === 'damaged' || why === 'partial' ? why : 'missing';
      return startNs < endNs ? [{ kind: 'gap', fromNs: startNs, endNs, why: reason }] : [];
    });
    this.#waiting = merged([...this.#waiting, ...found]);
  }

  /** Puts those that have bars before them. */
  put(bars: BarSeries): void {
    const first = bars.columns.find(({ kind }) => kind === 'bar');
    if (first === undefined || this.#waiting.length === 0) return;
    for (const gap of this.#waiting) if (gap.fromNs > first.fromNs) bars.putGap(gap);
    this.#waiting = this.#waiting.filter(({ fromNs }) => fromNs <= first.fromNs);
  }

  clear(): void {
    this.#waiting = [];
  }
}

/** Two windows of history that meet inside a gap list a part each. */
function merged(gaps: readonly GapColumn[]): readonly GapColumn[] {
  const all: GapColumn[] = [];
  for (const gap of gaps.toSorted((a, b) => (a.fromNs < b.fromNs ? -1 : 1))) {
    const last = all.at(-1);
    if (last === undefined || last.endNs < gap.fromNs) all.push(gap);
    else if (last.endNs < gap.endNs) all[all.length - 1] = { ...last, endNs: gap.endNs };
  }
  return all;
}

/**
 * A gap that begins while the chart is watched: a status says that trades are missing until the close, and once they
 * come again, until when they were.
 */
export class RunningGap {
  #isWatched = false;
  #running: { readonly fromNs: bigint; readonly closeNs: bigint } | null = null;

  /** `tapeNs`: how far the chart has the tape. Returns the gap when it is over. */
  status(partialSince: bigint | null, tapeNs: bigint | null): GapColumn | null {
    const running = this.#running;
    // A gap that was there before the chart began elsewhere; history lists it.
    const isWatched = this.#isWatched;
    this.#isWatched = true;
    if (running === null) {
      const isOpen =
        partialSince !== null && tapeNs !== null && partialSince > tapeNs + CERTAINLY_AHEAD_NS;
      if (isWatched && isOpen) this.#running = { fromNs: tapeNs, closeNs: partialSince };
      return null;
    }
    if (partialSince === running.closeNs) return null;
    this.#running = null;
    const { fromNs } = running;
    if (partialSince === null || partialSince <= fromNs) return null;
    return { kind: 'gap', fromNs, endNs: partialSince, why: 'partial' };
  }

  clear(): void {
    this.#isWatched = false;
    this.#running = null;
  }
}

function later(ns: bigint, other: bigint): bigint {
  return ns > other ? ns : other;
}
