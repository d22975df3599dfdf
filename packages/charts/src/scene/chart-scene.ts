/**
 * A chart as batches of shapes: all positions, strengths and words are decided here, for every painter. It depends on
 * its input only, and not on the crosshair, which has its own scene.
 */

import { chartLayout } from './chart-layout.ts';
import type { ChartScene, SceneInput } from './scene-types.ts';

export function chartScene(input: SceneInput): ChartScene {
  const { size, spec, content, window, textScale } = input;
  const layout = chartLayout(size, spec, content, textScale);
  return {
    ...{ layout, window, batches: [], marks: [], targets: [], hem: null, shown: [0, 0] },
    cell: {
      ...{ kind: 'candles', weave: 0, numbers: 0, gutter: 0, inner: 0, half: 0, tail: 0 },
      ...{ group: 1, rowHeight: window.tickHeight, textSize: 11 },
    },
  };
}
