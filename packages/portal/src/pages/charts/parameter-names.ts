/** The drawer's words: groups of indicators, and names of parameters and their values for people. */

/** The drawer's groups, in order; an indicator that no group names comes last. */
export const INDICATOR_GROUPS: readonly (readonly [name: string, ids: readonly string[]])[] = [
  ['In the bars', ['footprint', 'bars']],
  ['Over the bars', ['vwap', 'large-trades', 'sweeps', 'absorption']],
  ['Levels and zones', ['imbalances', 'unfinished-auctions', 'naked-levels', 'session-levels']],
  ['At the side', ['volume-profile', 'tpo']],
  ['Panes', ['delta', 'tape-speed']],
];
export const OTHER_GROUP = 'New in the service';

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
