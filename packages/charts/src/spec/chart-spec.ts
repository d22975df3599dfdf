/**
 * What a reader has chosen for one chart: the part of a layout that is saved. It has no data, no right and no position
 * in time.
 */

import type { GivenParams } from '@tapeloom/core/studies/indicator';
import type { Drawing } from './drawing.ts';

export const BAR_KINDS = ['time', 'tick', 'volume', 'range', 'delta', 'renko'] as const;
export type BarKind = (typeof BAR_KINDS)[number];

/** `candles`: no cells at any width, from the indicator `bars`. All others are looks of a footprint. */
export const LOOKS = ['bidask', 'delta', 'volume', 'two', 'candles'] as const;
export type Look = (typeof LOOKS)[number];

export const PANES = ['delta', 'cumulative-delta', 'tape-speed'] as const;
export type Pane = (typeof PANES)[number];

export const ZONES = ['exchange', 'utc', 'local'] as const;
/** In which time the chart writes times. */
export type TimeZoneChoice = (typeof ZONES)[number];

export interface BarChoice {
  readonly kind: BarKind;
  readonly size: number;
  readonly session: 'full' | 'rth' | 'utc';
}

/** The rules behind the marks of the cells; as the parameters of the footprint. */
export interface CellRules {
  readonly ratio: number;
  readonly minVolume: number;
  readonly zero: 'ignore' | 'count';
  readonly valueArea: number;
  readonly pocTie: 'centre' | 'lowest' | 'highest' | 'first';
  /** Adjacent imbalances that make a stack. */
  readonly stack: number;
}

/** An indicator on the chart, besides the bars themselves. */
export interface LayerSpec {
  /** Unique in its chart; never shown. */
  readonly key: string;
  /** An id of the catalogue, or one that this page does not know. */
  readonly indicator: string;
  /** Those that differ from the defaults. */
  readonly params: GivenParams;
  readonly isHidden: boolean;
}

export interface ChartSpec {
  /** An alias or a symbol. */
  readonly instrument: string;
  readonly bar: BarChoice;
  readonly look: Look;
  /** Ticks per row. */
  readonly group: number | 'auto';
  readonly rules: CellRules;
  /** Rows of numbers below the bars: delta, volume, bid, ask; 0 to 4. */
  readonly stripRows: number;
  readonly panes: readonly Pane[];
  readonly side: 'profile' | 'tpo' | 'none';
  readonly layers: readonly LayerSpec[];
  readonly drawings: readonly Drawing[];
  readonly zone: TimeZoneChoice;
  /** Charts of a group share crosshair and time; null: linked to none. */
  readonly link: 'A' | 'B' | null;
}

export const DEFAULT_RULES: CellRules = {
  ratio: 3,
  minVolume: 10,
  zero: 'ignore',
  valueArea: 70,
  pocTie: 'centre',
  stack: 3,
};

/** What a first visit shows. */
export const DEFAULT_CHART: ChartSpec = {
  instrument: 'ES.c.0',
  bar: { kind: 'time', size: 300, session: 'full' },
  look: 'bidask',
  group: 'auto',
  rules: DEFAULT_RULES,
  stripRows: 4,
  panes: ['delta', 'cumulative-delta'],
  side: 'profile',
  layers: [{ key: 'vwap', indicator: 'vwap', params: {}, isHidden: false }],
  drawings: [],
  zone: 'exchange',
  link: 'A',
};
