/**
 * The crosshair as batches of the upper canvas, so that moving it paints nothing else: a ruler of ink at numbers, where
 * nothing may cross them, dashed lines elsewhere, tags on the axes, and the column's values beside strip and panes.
 */

import { rowsOf } from '../series/rows.ts';
import type { Batch } from './batch.ts';
import { Frame, type SceneParts } from './frame.ts';
import { paintNames } from './names-column.ts';
import { AXIS_INSET, lastTag } from './price-axis.ts';
import { priceSteps } from './price-steps.ts';
import type { ChartScene, Hover, SceneInput } from './scene-types.ts';
import { paint, type ShapePool, segment } from './shapes.ts';
import { textWidth } from './text-width.ts';
import { edgeName, timesShown } from './time-axis.ts';
import { ticksAtY } from './window.ts';

const RULER = 0.045;
const LINE = 0.42;
const DASH = [3, 3];
const TAG_HEIGHT = 20;
/** Between a time tag and another text of the axis. */
const NAME_AIR = 4;

/** `pool`: of its own, since the scene's batches stay on the lower canvas. */
export function crosshairScene(
  scene: ChartScene,
  input: SceneInput,
  hover: Hover,
  pool?: ShapePool,
  parts?: SceneParts,
): Batch[] {
  const { pool: _scenePool, ...rest } = input;
  const own = { ...rest, window: scene.window, wantsMarks: false };
  const frame = new Frame(pool === undefined ? own : { ...own, pool }, scene.layout, parts);
  if (frame.columns[hover.column] === undefined) return [];
  const isOnPrice =
    hover.y !== null && hover.y >= 0 && hover.y < scene.layout.main.height && hover.y >= 0;
  const hasRuler = frame.cell.numbers > 0 && !hover.isLinked;
  if (hasRuler) paintRuler(frame, hover, isOnPrice);
  paintLines(frame, hover, hasRuler, isOnPrice);
  paintNames(frame, hover.column);
  paintHairlines(frame);
  if (isOnPrice && hover.y !== null) paintPriceTag(frame, hover.y, hasRuler);
  paintTimeTag(frame, hover.column);
  return frame.shapes.batches;
}

/** The price that a height stands for: the row's lowest where rows have numbers. */
function priceAtHeight(frame: Frame, y: number, isRow: boolean): number {
  const ticks = Math.floor(ticksAtY(frame.window, frame.layout, y));
  return isRow ? Math.floor(ticks / frame.cell.group) * frame.cell.group : ticks;
}

function paintRuler(frame: Frame, { column, y }: Hover, isOnPrice: boolean): void {
  const { shapes, layout, cell, window, columns, input } = frame;
  const ink = paint('ink', RULER);
  shapes.rect(ink, frame.x(column) + 1, 0, window.columnWidth - 2, layout.timeAxis.y);
  if (!isOnPrice || y === null) return;
  const low = priceAtHeight(frame, y, true);
  const top = Math.round(frame.y(low + cell.group));
  const bottom = Math.round(frame.y(low));
  shapes.rect(ink, 0, top, layout.priceAxis.x, bottom - top - 1);
  const bar = columns[column]!;
  if (bar.kind === 'gap' || bar.levels === null) return;
  const rows = rowsOf(bar, cell.group, input.spec.rules);
  const row = Math.round((low - rows.first) / rows.group);
  if (row < 0 || row >= rows.count) return;
  const left = Math.round(frame.x(column) + cell.gutter);
  const right = Math.round(frame.x(column) + cell.gutter + cell.inner);
  shapes.frames(paint('accent'), 1.5).add4(left - 0.5, top - 0.5, right - left + 1, bottom - top);
}

function paintLines(frame: Frame, hover: Hover, hasRuler: boolean, isOnPrice: boolean): void {
  const { shapes, layout } = frame;
  const lines = shapes.lines(paint('ink', LINE), 1, DASH);
  if (!hasRuler) {
    const x = Math.round(frame.middleX(hover.column)) + 0.5;
    segment(lines, x, 0, x, layout.timeAxis.y);
  }
  if (hover.y === null || (hasRuler && isOnPrice) || hover.y >= layout.timeAxis.y) return;
  const y = Math.round(hover.y) + 0.5;
  segment(lines, 0, y, isOnPrice ? layout.priceAxis.x : layout.plotWidth, y);
}

/** The names column is painted anew, and covers the hairlines between the panes. */
function paintHairlines({ shapes, layout }: Frame): void {
  const { names, strip, panes } = layout;
  const hairlines = shapes.rects(paint('line'));
  for (const y of [strip?.y, ...panes.map(({ rect }) => rect.y)]) {
    if (y !== undefined) hairlines.add4(names.x, Math.round(y), names.width, 1);
  }
  hairlines.add4(names.x, names.y, 1, names.height);
}

function paintPriceTag(frame: Frame, y: number, isRow: boolean): void {
  const { shapes, layout, cell } = frame;
  const { priceAxis } = layout;
  const scale = Math.max(1, frame.input.textScale);
  const ticks = priceAtHeight(frame, y, isRow);
  const middle = isRow ? frame.y(ticks + cell.group / 2) : y;
  const height = TAG_HEIGHT * scale;
  // A label that would look out behind the tag is covered whole.
  const covers = shapes.rects(paint('ground'));
  for (const step of priceSteps(frame)) {
    const at = frame.priceY(step);
    if (Math.abs(at - middle) < height * 0.95) {
      covers.add4(priceAxis.x + 2, at - 8 * scale, priceAxis.width - 3, 16 * scale);
    }
  }
  const { last } = frame.input.content.bars;
  const tag = last === null ? null : lastTag(frame, last.close);
  if (tag !== null) {
    const above = tag.y - tag.line / 2;
    const isTouched = middle + height / 2 > above && middle - height / 2 < above + tag.height;
    if (isTouched) covers.add4(priceAxis.x + 1, above - 1, priceAxis.width - 2, tag.height + 2);
  }
  const top = Math.round(middle - height / 2);
  shapes.rect(paint('accent'), priceAxis.x + 1, top, priceAxis.width - 2, height, 3);
  const x = priceAxis.x + AXIS_INSET;
  shapes.word(paint('on-accent'), 12 * scale, 600, 'left', x, middle + 0.5, frame.price(ticks));
}

function paintTimeTag(frame: Frame, column: number): void {
  const { shapes, layout, input, columns } = frame;
  const { timeAxis } = layout;
  const { kind, size: seconds } = input.spec.bar;
  const { fromNs } = columns[column]!;
  const isWholeMinutes = kind === 'time' && seconds % 60 === 0;
  const clock = input.timeText.clock(fromNs, !isWholeMinutes);
  // Days later or earlier than the newest bar, the time alone would be ambiguous.
  const day = input.timeText.day(fromNs);
  const last = input.content.bars.last;
  const isToday = last === null || input.timeText.day(last.fromNs) === day;
  const text = isToday ? clock : `${day}, ${clock}`;
  const size = frame.text(11.5);
  const width = textWidth(text, size, 600) + 16;
  const x = frame.middleX(column);
  const left = Math.max(0, Math.min(layout.plotWidth - width, x - width / 2));
  const height = Math.min(timeAxis.height - 4, TAG_HEIGHT * Math.max(1, input.textScale));
  const top = timeAxis.y + 3;
  const [from, to] = coveredBy(frame, left, left + width);
  shapes.rect(paint('ground'), from, timeAxis.y + 1, to - from, timeAxis.height - 1);
  shapes.rect(paint('accent'), left, top, width, height, 3);
  shapes.word(
    paint('on-accent'),
    size,
    600,
    'center',
    left + width / 2,
    top + height / 2 + 0.5,
    text,
  );
}

/** What a tag covers of the axis: what it touches whole, and nothing of the rest. */
function coveredBy(frame: Frame, left: number, right: number): readonly [from: number, to: number] {
  const name = edgeName(frame);
  const texts = timesShown(frame).map(({ x, half }) => ({ left: x - half, right: x + half }));
  let [from, to] = [left, right];
  for (const text of name === null ? texts : [...texts, name]) {
    if (text.right < left - NAME_AIR || text.left > right + NAME_AIR) continue;
    from = Math.min(from, text.left - 1);
    to = Math.max(to, text.right + 1);
  }
  return [from, to];
}
