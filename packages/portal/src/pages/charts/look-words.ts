/** Names of the looks of a chart. */

import type { Look } from '@tapeloom/charts/spec/chart-spec';

export const LOOK_NAMES: Readonly<Record<Look, string>> = {
  bidask: 'Bid × Ask',
  delta: 'Delta',
  volume: 'Volume',
  two: 'Two columns',
  candles: 'Candles',
};
