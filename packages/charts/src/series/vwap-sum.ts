/** The VWAP of one session with its bands, bar by bar. A newer version of the newest bar adds only its difference. */

import { WeightedMoments } from '@tapeloom/core/studies/weighted-moments';
import type { VwapData } from '@tapeloom/protocol/indicators';
import type { ChartBar } from './chart-bar.ts';
import { visitAdded } from './level-changes.ts';
import type { ObjectSeries } from './object-series.ts';

const MILLION = 1_000_000;
/** As the indicator `vwap`: the average itself, then its bands. */
const MULTIPLES = [0n, 1n, -1n, 2n, -2n, 3n, -3n] as const;

export class VwapSum {
  readonly #series: ObjectSeries<'vwap'>;
  readonly #moments = new WeightedMoments();

  constructor(series: ObjectSeries<'vwap'>) {
    this.#series = series;
  }

  put(bar: ChartBar, before: ChartBar | null): void {
    visitAdded(bar, before, (price, bid, ask, unknown) => {
      this.#moments.add(price, bid + ask + unknown);
    });
    const { id, isFinal, fromNs } = bar;
    this.#series.put({ id, final: isFinal, ts: fromNs, data: vwapData(this.#moments) });
  }

  /** Takes the objects of all its bars back and begins again. */
  drop(bars: readonly ChartBar[]): void {
    for (const { id } of bars) this.#series.drop(id);
    this.#moments.clear();
  }
}

function vwapData(moments: WeightedMoments): VwapData {
  const { deviation, bands } = moments.millionths(MULTIPLES);
  const [vwap, upper1, lower1, upper2, lower2, upper3, lower3] = bands.map(inTicks) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const volume = moments.lots;
  return {
    ...{ vwap, deviation: inTicks(deviation), volume },
    ...{ upper1, lower1, upper2, lower2, upper3, lower3 },
  };
}

function inTicks(millionths: bigint): number {
  return Number(millionths) / MILLION;
}
