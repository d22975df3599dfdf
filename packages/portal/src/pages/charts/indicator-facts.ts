/** What the page knows of the indicators beyond their schema: where they stand in the drawer, and in few words. */

export interface IndicatorFacts {
  /** In the legend row. */
  readonly short: string;
  /** In the drawer, below the name. */
  readonly say: string;
}

export const INDICATOR_FACTS: Readonly<Record<string, IndicatorFacts>> = {
  footprint: { short: 'Footprint', say: 'Bid and ask at each price of a bar' },
  bars: { short: 'Bars', say: 'Candles, six kinds of bars' },
  vwap: { short: 'VWAP', say: 'Average price of all lots, with bands' },
  'large-trades': { short: 'Large', say: 'Big orders put together again' },
  sweeps: { short: 'Sweeps', say: 'One order through several prices' },
  absorption: { short: 'Absorption', say: 'Much volume, and the price held' },
  imbalances: { short: 'Zones', say: 'Zones that one side left behind' },
  'unfinished-auctions': { short: 'Auctions', say: 'Extremes where both sides traded' },
  'naked-levels': { short: 'Naked', say: 'Old POC, VAH, VAL not traded since' },
  'session-levels': { short: 'Levels', say: 'Open, high, low, initial balance' },
  'volume-profile': { short: 'Profile', say: 'Volume by price' },
  tpo: { short: 'TPO', say: 'Time by price, in letters' },
  delta: { short: 'Cum. delta', say: 'Buying less selling since the open' },
  'tape-speed': { short: 'Speed', say: 'Trades a second, and bursts' },
};

/** The drawer's groups, in order; an indicator that no group names comes last. */
export const INDICATOR_GROUPS: readonly (readonly [name: string, ids: readonly string[]])[] = [
  ['In the bars', ['footprint', 'bars']],
  ['Over the bars', ['vwap', 'large-trades', 'sweeps', 'absorption']],
  ['Levels and zones', ['imbalances', 'unfinished-auctions', 'naked-levels', 'session-levels']],
  ['At the side', ['volume-profile', 'tpo']],
  ['Panes', ['delta', 'tape-speed']],
];
export const OTHER_GROUP = 'New in the service';

/** Whether this page can draw it; others are shown as a table from their schema. */
export function isDrawn(indicator: string): boolean {
  return Object.hasOwn(INDICATOR_FACTS, indicator);
}

export function shortName(indicator: string): string {
  return isDrawn(indicator) ? INDICATOR_FACTS[indicator]!.short : indicator;
}

/** Names of parameters for people; others are shown as the schema has them. */
export const PARAMETER_LABELS: Readonly<Record<string, string>> = {
  bar: 'Bars',
  size: 'Size',
  session: 'Session',
  group: 'Ticks a row',
  ratio: 'Ratio',
  minVolume: 'At least',
  zero: 'Opposite of 0',
  stack: 'Rows in a stack',
  lookback: 'Look back',
  valueArea: 'Value area',
  pocTie: 'POC of equal rows',
  gapMs: 'Gap between prints',
  minSize: 'At least',
  perSession: 'Largest of a session',
  levels: 'Prices',
  windowMs: 'Window',
  holdMs: 'Hold',
  slip: 'Slip',
  period: 'Period',
  bracketMinutes: 'Bracket',
  initialBalanceMinutes: 'Initial balance',
  windowSeconds: 'Window',
  pace: 'Burst from',
};

export const VALUE_LABELS: Readonly<Record<string, string>> = {
  full: 'Trading day',
  rth: 'Regular',
  utc: 'UTC day',
  ignore: 'Ignore',
  count: 'Count',
  time: 'Time',
  tick: 'Trades',
  volume: 'Volume',
  range: 'Range',
  delta: 'Delta',
  renko: 'Renko',
  centre: 'Centre',
  lowest: 'Lowest',
  highest: 'Highest',
  first: 'First',
  true: 'Yes',
  false: 'No',
};

/** The order in which people think of parameters; others follow as the schema has them. */
export const PARAMETER_ORDER: readonly string[] = [
  'bar',
  'size',
  'group',
  'session',
  'ratio',
  'minVolume',
  'zero',
  'stack',
  'lookback',
];

/** In the box: the schema's unit, or one that says more. */
export function unitText(parameter: string, unit: string | undefined, barKind: string): string {
  if (parameter === 'ratio' || parameter === 'pace') return '×';
  if (parameter !== 'size') return unit ?? '';
  const units: Readonly<Record<string, string>> = {
    time: 'seconds',
    tick: 'trades',
    volume: 'lots',
    delta: 'lots',
  };
  return units[barKind] ?? 'ticks';
}
