/** The layout of a first visit. */

import { DEFAULT_CHART } from '@tapeloom/charts/spec/chart-spec';
import { LAYOUT_VERSION, type Layout } from '@tapeloom/charts/spec/layout';

export function defaultLayout(instrument: string): Layout {
  return {
    version: LAYOUT_VERSION,
    charts: [{ ...DEFAULT_CHART, instrument }],
    sharesInstrument: true,
  };
}
