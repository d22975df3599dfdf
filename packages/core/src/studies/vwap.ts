/** `vwap`: the session's volume-weighted average price and deviation, at each bar's end. */

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
import { PRICE_UNIT, TICKS_UNIT } from './price-schema.ts';
import { WeightedMoments } from './weighted-moments.ts';

const MILLION = 1_000_000;
/** Multiples of the deviation in the order of the members of `data`, the average itself first. */
const MULTIPLES = [0n, 1n, -1n, 2n, -2n, 3n, -3n] as const;

const average = (description: string) => ({ type: 'number', ...PRICE_UNIT, description });

const DATA_PROPERTIES = {
  vwap: average('Volume-weighted average price, in ticks'),
  deviation: {
    type: 'number',
    minimum: 0,
    ...TICKS_UNIT,
    description: 'Volume-weighted standard deviation of the price, in ticks',
  },
  upper1: average('vwap + deviation'),
  lower1: average('vwap - deviation'),
  upper2: average('vwap + 2 deviations'),
  lower2: average('vwap - 2 deviations'),
  upper3: average('vwap + 3 deviations'),
  lower3: average('vwap - 3 deviations'),
  volume: { type: 'integer', minimum: 1, description: 'All lots since the open of the session' },
};

export const vwap: Indicator = {
  id: 'vwap',
  version: 1,
  name: 'VWAP',
  description:
    'Volume-weighted average price since the open of the session, as it stands after the last trade ' +
    'of each bar. While the bar forms, its last trade so far counts. All trades of the session up to ' +
    'there count, with or without a known side: volume = Σ size; vwap = Σ price × size / volume; ' +
    'deviation = √(Σ size × (price − vwap)² / volume); uppern and lowern = vwap ± n × deviation, for ' +
    'n = 1, 2, 3. All fields except volume are in ticks (multiply by the tick size for a price). Each ' +
    'is computed from the exact integer sums and rounded once, to 6 decimals, halves upwards, also ' +
    'below 0. So upper1 may differ from the sum of the rounded vwap and deviation by 0.000001. A part ' +
    'of a split trade counts with its bar. An empty renko brick repeats the values before it. ' +
    `${BAR_RULES}`,
  parameters: [...BAR_PARAMETERS, SESSION_PARAMETER, DEPTH_PARAMETER],
  data: closedObject(DATA_PROPERTIES),
  computeUnitsPerTrade: 1,
  presets: [
    { id: 'one-minute', name: 'Trading day, each minute', params: { bar: 'time', size: 60 } },
    { id: 'regular-hours', name: 'Regular hours, each minute', params: { session: 'rth' } },
    { id: 'calendar-day', name: 'Calendar day UTC, each minute', params: { session: 'utc' } },
    { id: 'thousand-trades', name: 'Each 1,000 trades', params: { bar: 'tick', size: 1_000 } },
  ],
  example: {
    id: '20261113.48211',
    final: true,
    ts: '1794580260000000000',
    data: {
      vwap: 27_001.5,
      deviation: 2.25,
      upper1: 27_003.75,
      lower1: 26_999.25,
      upper2: 27_006,
      lower2: 26_997,
      upper3: 27_008.25,
      lower3: 26_994.75,
      volume: 184_112,
    },
  },
  sessionKind,
  lookBackSessionsMax: () => 0,
  create: (params) => new BarStudy(new SessionVwap(), (bar) => barCutter(params, bar)),
};

class SessionVwap implements BarContent {
  readonly #moments = new WeightedMoments();

  openSession(): void {
    this.#moments.clear();
  }

  /** A new bar does not reset the sums. */
  clear(): void {}

  addRows(batch: TradeBatch, from: number, to: number): void {
    this.#moments.addRows(batch, from, to);
  }

  addPart(price: number, size: number): void {
    this.#moments.add(price, size);
  }

  data() {
    const { deviation, bands } = this.#moments.millionths(MULTIPLES);
    const [vwap, upper1, lower1, upper2, lower2, upper3, lower3] = bands.map(inTicks);
    return {
      vwap,
      deviation: inTicks(deviation),
      upper1,
      lower1,
      upper2,
      lower2,
      upper3,
      lower3,
      volume: this.#moments.lots,
    };
  }
}

/** Both numbers are exact as doubles, so the quotient is the double nearest to the decimal. */
function inTicks(millionths: bigint): number {
  return Number(millionths) / MILLION;
}
