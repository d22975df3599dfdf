/** What every part of a legend row is given. */

import type { ChartSpec } from '@tapeloom/charts/spec/chart-spec';
import type { Seat } from './seat.ts';

export interface LegendProps {
  readonly seat: Seat;
  readonly spec: ChartSpec;
  /** One of several: it names itself, and has the numbers of the cell that a card would show. */
  readonly isCompact: boolean;
  readonly isInUse: boolean;
}
