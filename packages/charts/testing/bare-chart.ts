/** Bare lightweight-charts with candles, as its own documentation begins: the peer of the bench. */

import {
  CandlestickSeries,
  createChart,
  type IChartApi,
  type UTCTimestamp,
} from 'lightweight-charts';
import type { Footprint } from './made-market.ts';

const TICK = 0.25;

export class BareChart {
  readonly #chart: IChartApi;

  constructor(place: HTMLElement, bars: readonly Footprint[], barSpacing: number) {
    this.#chart = createChart(place, {
      autoSize: true,
      layout: { attributionLogo: false },
      timeScale: { timeVisible: true, barSpacing, minBarSpacing: 0.1 },
    });
    const candles = this.#chart.addSeries(CandlestickSeries);
    candles.setData(
      bars.map(({ ts, data }) => ({
        time: Number(ts / 1_000_000_000n) as UTCTimestamp,
        open: data.open * TICK,
        high: data.high * TICK,
        low: data.low * TICK,
        close: data.close * TICK,
      })),
    );
  }

  remove(): void {
    this.#chart.remove();
  }
}
