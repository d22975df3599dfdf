/** `delta`: candles of the session's cumulative delta. */

import type { TradeBatch } from '../trade-batch.ts';
import {
  BAR_PARAMETERS,
  BAR_RULES,
  DEPTH_PARAMETER,
  SESSION_PARAMETER,
  sessionKind,
} from './bar-parameters.ts';
import { BarStudy } from './bar-study.ts';
import type { BarContent } from './current-bar.ts';
import { barCutter } from './cutters/bar-kinds.ts';
import { closedObject, type Indicator } from './indicator.ts';

const lots = (description: string) => ({ type: 'integer', description });

const DATA_PROPERTIES = {
  open: lots('Cumulative delta before the bar'),
  high: lots('Highest cumulative delta, open included'),
  low: lots('Lowest cumulative delta, open included'),
  close: lots('Cumulative delta after the last trade of the bar'),
  volume: { type: 'integer', minimum: 0, description: 'All lots of the bar' },
};

export const delta: Indicator = {
  id: 'delta',
  version: 1,
  name: 'Cumulative delta',
  description:
    'Candles of cumulative delta. The cumulative delta is 0 at the open of the session. A trade of a ' +
    'buying aggressor adds its lots, a trade of a selling aggressor subtracts its lots, and a trade ' +
    'without a known side changes nothing. open is the value before the first trade of the bar, close ' +
    'the value after the last trade so far. high and low are the extremes of open and of the value ' +
    'after each trade of the bar, or after each part of a split trade. volume is all lots of the bar, ' +
    'including those of an unknown side. An empty renko brick has volume 0 and the same value in the ' +
    `other four fields. ${BAR_RULES}`,
  parameters: [...BAR_PARAMETERS, SESSION_PARAMETER, DEPTH_PARAMETER],
  data: closedObject(DATA_PROPERTIES),
  computeUnitsPerTrade: 1,
  presets: [
    { id: 'one-minute', name: '1 minute', params: { bar: 'time', size: 60 } },
    { id: 'five-minutes', name: '5 minutes', params: { bar: 'time', size: 300 } },
    { id: 'regular-hours', name: '1 minute, regular hours', params: { session: 'rth' } },
    { id: 'five-hundred-lots', name: '500 lots of delta', params: { bar: 'delta', size: 500 } },
  ],
  example: {
    id: '20261113.48211',
    final: true,
    ts: '1794580260000000000',
    data: { open: 1_204, high: 1_265, low: 1_192, close: 1_254, volume: 412 },
  },
  sessionKind,
  lookBackSessionsMax: () => 0,
  create: (params) => new BarStudy(new DeltaCandle(), (bar) => barCutter(params, bar)),
};

class DeltaCandle implements BarContent {
  #cumulative = 0;
  #open = 0;
  #high = 0;
  #low = 0;
  #volume = 0;

  openSession(): void {
    this.#cumulative = 0;
  }

  clear(): void {
    this.#open = this.#cumulative;
    this.#high = this.#cumulative;
    this.#low = this.#cumulative;
    this.#volume = 0;
  }

  addRows(batch: TradeBatch, from: number, to: number): void {
    const { size, side } = batch;
    let cumulative = this.#cumulative;
    let high = this.#high;
    let low = this.#low;
    let volume = this.#volume;
    for (let row = from; row < to; row += 1) {
      const lots = size[row]!;
      volume += lots;
      cumulative += lots * side[row]!;
      if (cumulative > high) high = cumulative;
      if (cumulative < low) low = cumulative;
    }
    this.#cumulative = cumulative;
    this.#high = high;
    this.#low = low;
    this.#volume = volume;
  }

  addPart(_price: number, size: number, side: number): void {
    this.#cumulative += size * side;
    this.#high = Math.max(this.#high, this.#cumulative);
    this.#low = Math.min(this.#low, this.#cumulative);
    this.#volume += size;
  }

  data() {
    return {
      open: this.#open,
      high: this.#high,
      low: this.#low,
      close: this.#cumulative,
      volume: this.#volume,
    };
  }
}
