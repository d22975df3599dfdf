/**
 * The scene of a page that shows one footprint and offers nothing to choose: the parts of `chartScene` that such a page
 * needs, so that it loads no others. Bars have the look bid × ask, and every pane is the cumulative delta.
 */

import { paintLargeTrades } from './bubbles.ts';
import { paintCandles } from './candles.ts';
import { paintSideCells } from './cells.ts';
import type { ChartLayout } from './chart-layout.ts';
import { paintCumulative } from './cumulative-pane.ts';
import { Frame } from './frame.ts';
import { paintGrid } from './ground.ts';
import { paintHairlines } from './hairlines.ts';
import { focusColumn, paintCumulativeName, paintStripNames } from './names-column.ts';
import { paintPriceAxis } from './price-axis.ts';
import type { ChartScene, SceneInput } from './scene-types.ts';
import { paint, segment } from './shapes.ts';
import { paintProfileSide } from './side.ts';
import { profileShown } from './side-objects.ts';
import { paintPaneGround, paintStrip } from './strip.ts';
import { paintTimeAxis } from './time-axis.ts';

const BAND = 0.08;
const BAND_EDGE = { alpha: 0.75, dash: [2, 4] };

export function footprintScene(input: SceneInput, layout: ChartLayout): ChartScene {
  const frame = new Frame(input, layout);
  const { shapes, window, cell, marks, targets, from, to } = frame;
  shapes.rect(paint('ground'), 0, 0, layout.size.width, layout.size.height);
  shapes.clip(layout.main);
  paintGrid(frame);
  paintValueBand(frame);
  paintSideCells(frame);
  paintCandles(frame);
  paintLargeTrades(frame);
  shapes.unclip();
  paintStrip(frame);
  for (const { rect } of layout.panes) {
    paintPaneGround(frame, rect.y, rect.height);
    shapes.clip(rect);
    paintCumulative(frame, rect);
    shapes.unclip();
  }
  paintProfileSide(frame);
  paintPriceAxis(frame);
  const focus = focusColumn(frame);
  paintStripNames(frame, focus);
  for (const { rect } of layout.panes) paintCumulativeName(frame, rect.y, focus);
  paintTimeAxis(frame);
  paintHairlines(frame);
  return {
    ...{ layout, window, cell, targets },
    shown: [from, to],
    batches: shapes.batches,
    marks: marks ?? [],
    hem: null,
  };
}

/** The session's value area behind all bars. */
function paintValueBand(frame: Frame): void {
  const profile = profileShown(frame);
  if (profile === null) return;
  const { shapes, layout } = frame;
  const { plotWidth, main } = layout;
  const [top, bottom] = [frame.y(profile.vah + profile.group), frame.y(profile.val)];
  const from = Math.max(0, top);
  shapes.rect(paint('neutral', BAND), 0, from, plotWidth, Math.min(main.height, bottom) - from);
  const edges = shapes.lines(paint('neutral', BAND_EDGE.alpha), 1, BAND_EDGE.dash);
  for (const y of [top, bottom]) {
    if (y > 0 && y < main.height) segment(edges, 0, y + 0.5, plotWidth, y + 0.5);
  }
}
