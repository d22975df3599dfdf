/** A saved arrangement: one to four charts in a grid. */

import type { ChartSpec } from './chart-spec.ts';

/** Raised when an older page could not show a newer layout rightly. */
export const LAYOUT_VERSION = 1;
export const CHARTS_MAX = 4;
/** Of the layout as JSON, in UTF-8. */
export const LAYOUT_BYTES_MAX = 16_000;

export interface Layout {
  readonly version: number;
  readonly charts: readonly ChartSpec[];
  /** Whether linked charts also share the instrument. */
  readonly sharesInstrument: boolean;
}
