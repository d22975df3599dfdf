/**
 * A chart as batches of shapes: all positions, strengths and words are decided here, for every painter. It depends on
 * its input only, and not on the crosshair, which has its own scene. Nothing lies on a number: lines pass behind cells.
 */

import { paintCandles } from './candles.ts';
import { paintCells } from './cells.ts';
import { chartLayout } from './chart-layout.ts';
import { Frame, type SceneParts } from './frame.ts';
import { paintGaps } from './gap-columns.ts';
import { hemOf, paintGround } from './ground.ts';
import { paintHairlines } from './hairlines.ts';
import { focusColumn, paintNames } from './names-column.ts';
import { paintPanes } from './panes.ts';
import { paintPriceAxis } from './price-axis.ts';
import type { ChartScene, SceneInput } from './scene-types.ts';
import { paintSide } from './side.ts';
import { paintStrip } from './strip.ts';
import { paintTimeAxis } from './time-axis.ts';
import { paintValueArea } from './value-area-lines.ts';
import { paintVwap } from './vwap-layer.ts';

export function chartScene(input: SceneInput, parts?: SceneParts): ChartScene {
  const layout = chartLayout(input.size, input.spec, input.content, input.textScale);
  const frame = new Frame(input, layout, parts);
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
  const { objects, drawings } = frame.parts;
  shapes.clip(layout.main);
  objects?.paintZones(frame);
  paintValueArea(frame);
  const paintLevelNames = objects?.paintLevels(frame);
  objects?.paintPeriodProfiles(frame);
  if (isNear) {
    paintVwap(frame);
    drawings?.paintDrawingLines(frame);
  }
  paintCells(frame);
  paintCandles(frame);
  if (!isNear) {
    drawings?.paintDrawingLines(frame);
    paintVwap(frame);
  }
  paintGaps(frame);
  objects?.paintBubbles(frame);
  paintLevelNames?.();
  if (input.range !== null) drawings?.paintRangeBox(frame, input.range);
  drawings?.paintDrawingCards(frame);
  shapes.unclip();
}
