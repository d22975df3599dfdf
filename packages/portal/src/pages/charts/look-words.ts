/** Names of the looks and the panes of a chart. */

import type { Look, Pane } from '@tapeloom/charts/spec/chart-spec';

export const LOOK_NAMES: Readonly<Record<Look, string>> = {
  bidask: 'Bid × Ask',
  delta: 'Delta',
  volume: 'Volume',
  two: 'Two columns',
  candles: 'Candles',
};

export const PANE_NAMES: Readonly<Record<Pane, string>> = {
  delta: 'Delta of each bar',
  'cumulative-delta': 'Cumulative delta',
  'tape-speed': 'Tape speed',
};
