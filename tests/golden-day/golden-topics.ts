/** The topics of the golden day: every indicator with defaults, and some with odd parameters. */

import { INDICATORS } from '@tapeloom/core/studies/catalogue';

export interface GoldenTopic {
  /** Derived from the indicator and its parameters alone, as are all requests for the topic. */
  readonly name: string;
  readonly indicator: string;
  readonly params: Readonly<Record<string, unknown>>;
}

const ODD: readonly (readonly [string, Record<string, unknown>])[] = [
  ['bars', { bar: 'tick', size: 1 }],
  ['bars', { bar: 'volume', size: 37 }],
  ['bars', { bar: 'range', size: 3 }],
  ['bars', { bar: 'renko', size: 4 }],
  ['bars', { bar: 'time', size: 1, session: 'utc' }],
  ['footprint', { bar: 'volume', size: 211 }],
  ['footprint', { bar: 'time', size: 300, session: 'rth' }],
  ['delta', { bar: 'delta', size: 50 }],
  ['vwap', { session: 'rth' }],
  ['volume-profile', { period: 1_800, group: 4 }],
  ['tpo', { session: 'rth', bracketMinutes: 15 }],
  ['large-trades', { gapMs: 100, minSize: 10 }],
  ['sweeps', { levels: 2, minSize: 1 }],
  ['absorption', { minSize: 20 }],
  ['imbalances', { bar: 'tick', size: 20, stack: 1, zero: 'count', lookback: 1 }],
  ['naked-levels', { session: 'rth', lookback: 5 }],
  ['tape-speed', { windowSeconds: 1, pace: 5 }],
];

export const GOLDEN_TOPICS: readonly GoldenTopic[] = [
  ...INDICATORS.map(({ id }) => [id, {}] as const),
  ...ODD,
].map(([indicator, params]) => ({
  name: [indicator, ...Object.entries(params).map(([key, value]) => `${key}=${value}`)].join(' '),
  indicator,
  params,
}));
