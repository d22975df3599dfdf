/** A footprint chart as batches: positions and strengths are decided here and in the panes, for every painter. */

import { candleBatches, cellBatches, deltaBatches, discBatches, markBatches } from './bar-panes.ts';
import type { Batch, ScenePicture } from './chart-batch.ts';
import { barsSeen, columnLeft, priceScale } from './chart-geometry.ts';
import { cumulativeBatches } from './cumulative-pane.ts';
import { axisBatches, sessionBatches } from './price-axis.ts';

/** The panes, from back to front. */
export function chartScene(picture: ScenePicture): Batch[] {
  const { geometry, model, middleRow } = picture;
  const shown = model.bars.slice(-barsSeen(geometry));
  const bars = shown.map((bar, index) => ({
    bar,
    left: columnLeft(geometry, index, shown.length) + geometry.gutter,
  }));
  const scale = priceScale(geometry, middleRow, model.group);
  return [
    ...sessionBatches(picture, scale),
    ...cellBatches(picture, scale, bars),
    ...markBatches(picture, scale, bars),
    ...candleBatches(geometry, scale, bars),
    ...discBatches(geometry, scale, bars),
    ...deltaBatches(geometry, bars),
    ...cumulativeBatches(geometry, bars),
    ...axisBatches(picture, scale, bars),
  ];
}
