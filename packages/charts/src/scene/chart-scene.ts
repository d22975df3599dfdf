/**
 * A chart as batches of shapes: all positions, strengths and words are decided here, for every painter. It depends on
 * its input only, and not on the crosshair, which has its own scene. Nothing lies on a number: lines pass behind cells.
 */

import { paintBubbles } from './bubbles.ts';
import { paintCandles } from './candles.ts';
import { paintCells } from './cells.ts';
import { chartLayout } from './chart-layout.ts';
import { paintDrawingCards, paintDrawingLines } from './drawings.ts';
import { Frame } from './frame.ts';
import { paintGaps } from './gap-columns.ts';
import { hemOf, paintGround } from './ground.ts';
import { paintHairlines } from './hairlines.ts';
import { paintLevelNames, paintLevels } from './level-lines.ts';
import { focusColumn, paintNames } from './names-column.ts';
import { paintPanes } from './panes.ts';
import { paintPriceAxis } from './price-axis.ts';
import { paintRangeBox } from './range-box.ts';
import type { ChartScene, SceneInput } from './scene-types.ts';
import { paintPeriodProfiles, paintSide } from './side.ts';
import { paintStrip } from './strip.ts';
import { paintTimeAxis } from './time-axis.ts';
import { paintVwap } from './vwap-layer.ts';
import { paintZones } from './zones.ts';

export function chartScene(input: SceneInput): ChartScene {
  const layout = chartLayout(input.size, input.spec, input.content, input.textScale);
  const frame = new Frame(input, layout);
  const { shapes, window, cell, marks, targets, from, to } = frame;
  paintGround(frame);
  paintMain(frame);
  paintStrip(frame);
  paintPanes(frame);
  paintSide(frame);
  paintPriceAxis(frame);
  paintNames(frame, focusColumn(frame));
  paintTimeAxis(frame);
  paintHairlines(frame);
  return {
    ...{ layout, window, cell, targets },
    shown: [from, to],
    batches: shapes.batches,
    marks: marks ?? [],
    hem: hemOf(frame),
  };
}

function paintMain(frame: Frame): void {
  const { shapes, layout, isNear, input } = frame;
  shapes.clip(layout.main);
  paintZones(frame);
  const names = paintLevels(frame);
  paintPeriodProfiles(frame);
  if (isNear) {
    paintVwap(frame);
    paintDrawingLines(frame);
  }
  paintCells(frame);
  paintCandles(frame);
  if (!isNear) {
    paintDrawingLines(frame);
    paintVwap(frame);
  }
  paintGaps(frame);
  paintBubbles(frame);
  paintLevelNames(frame, names);
  if (input.range !== null) paintRangeBox(frame, input.range);
  paintDrawingCards(frame);
  shapes.unclip();
}
