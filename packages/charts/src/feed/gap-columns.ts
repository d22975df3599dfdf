/** Gaps of the tape as columns of a chart: those that history lists, and one that begins while the chart is watched. */

import type { HistoryGap } from '@tapeloom/client';
import type { BarSeries } from '../series/bar-series.ts';
import type { GapColumn } from '../series/chart-bar.ts';

/** `fromNs`: the start of what was loaded; what lies before is shown when that is loaded. */
export function putGaps(bars: BarSeries, gaps: readonly HistoryGap[], fromNs: bigint): void {
  for (const { from, to, why } of gaps) {
    const [startNs, endNs] = [BigInt(from), BigInt(to)];
    if (endNs <= fromNs || endNs <= startNs) continue;
    const reason: GapColumn['why'] = why === 'damaged' || why === 'partial' ? why : 'missing';
    bars.putGap({ kind: 'gap', fromNs: startNs < fromNs ? fromNs : startNs, endNs, why: reason });
  }
}

/**
 * A gap that begins while the chart is watched: a status says that trades are missing until the close, and once they
 * come again, until when they were.
 */
export class RunningGap {
  #isWatched = false;
  #fromNs: bigint | null = null;

  /** `tapeNs`: how far the chart has the tape. Returns the gap when it is over. */
  status(partialSince: bigint | null, tapeNs: bigint | null): GapColumn | null {
    const isRunning = partialSince !== null && (tapeNs === null || partialSince > tapeNs);
    const fromNs = this.#fromNs;
    if (isRunning) {
      // A gap that was there before the chart began elsewhere; history lists it.
      if (this.#isWatched) this.#fromNs ??= tapeNs;
      this.#isWatched = true;
      return null;
    }
    this.#isWatched = true;
    this.#fromNs = null;
    if (fromNs === null || partialSince === null || partialSince <= fromNs) return null;
    return { kind: 'gap', fromNs, endNs: partialSince, why: 'partial' };
  }

  clear(): void {
    this.#isWatched = false;
    this.#fromNs = null;
  }
}
