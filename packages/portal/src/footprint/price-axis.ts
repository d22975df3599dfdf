/** The parts of the whole picture: grid, value area as a band, the session's profile on the price axis, and labels. */

import {
  type Batch,
  cells,
  lines,
  type PlacedBar,
  type ScenePicture,
  signedText,
  words,
} from './chart-batch.ts';
import type { PriceScale } from './chart-geometry.ts';

/** Rows between grid lines. */
const GRID_ROWS = 5;
/** No price label is written closer to the last price's tag. */
const TAG_CLEARANCE = 17;

/** Painted behind the bars. */
export function sessionBatches({ geometry, model }: ScenePicture, scale: PriceScale): Batch[] {
  const { width, height, plotWidth, mainHeight, rowHeight } = geometry;
  const grid = lines('grid', 1, 1);
  for (const row of scale.rows) {
    if ((row / model.group) % GRID_ROWS !== 0) continue;
    const y = Math.round(scale.rowTop(row) + rowHeight / 2) + 0.5;
    grid.lines.push([0, y, plotWidth, y]);
  }
  const batches: Batch[] = [{ ...cells('ground'), rects: [0, 0, width, height] }];
  if (model.profile === null) return [...batches, grid];
  const [top, bottom] = valueEdges(model.profile, scale, rowHeight);
  const [from, to] = [Math.max(0, top), Math.min(mainHeight, bottom)];
  if (to > from)
    batches.push({ ...cells('neutral', 0.08), rects: [0, from, plotWidth, to - from] });
  const edges = lines('neutral', 0.75, 1, [2, 4]);
  for (const y of [top, bottom]) {
    if (y > 0 && y < mainHeight) edges.lines.push([0, y + 0.5, plotWidth, y + 0.5]);
  }
  return [...batches, grid, edges];
}

/** Painted in front of everything. */
export function axisBatches(
  picture: ScenePicture,
  scale: PriceScale,
  bars: readonly PlacedBar[],
): Batch[] {
  const { geometry } = picture;
  const { width, height, plotWidth, axisWidth, cumulativeTop, deltaTop, timeTop } = geometry;
  const left = plotWidth + 9;
  const labels = words('axis', 11, 450, 'left');
  labels.words.push(
    [left, deltaTop + 14.5, 'Delta'],
    [left, deltaTop + 33.5, 'Volume'],
    [left, cumulativeTop + 15, geometry.isNarrow ? 'Cum. Δ' : 'Cum. delta'],
    [left, timeTop + 14, 'UTC'],
  );
  const times = words('axis', 11, 450, 'center');
  for (const { bar, left: ladder } of bars) {
    times.words.push([ladder + geometry.half, timeTop + 14, timeText(bar.openMs)]);
  }
  const batches: Batch[] = [
    { ...cells('line'), rects: [0, timeTop, width, 1] },
    times,
    { ...cells('ground'), rects: [plotWidth, 0, axisWidth, height] },
    { ...cells('line'), rects: [plotWidth, 0, 1, height] },
    ...[deltaTop, cumulativeTop, timeTop].map(
      (y): Batch => ({ ...cells('line'), rects: [plotWidth, y, axisWidth, 1] }),
    ),
    ...profileBatches(picture, scale),
    labels,
  ];
  const last = bars.at(-1)?.bar;
  if (last === undefined) return batches;
  const dye = last.cumulativeDelta >= 0 ? 'ask' : 'bid';
  const sum = words(dye, 11, 620, 'left');
  sum.words.push([left, cumulativeTop + 31, signedText(last.cumulativeDelta)]);
  return [...batches, sum, ...priceBatches(picture, scale, last.close)];
}

/** The session's volume by price, along the axis. */
function profileBatches({ geometry, model }: ScenePicture, scale: PriceScale): Batch[] {
  const { profile } = model;
  if (profile === null) return [];
  const { plotWidth, axisWidth, mainHeight, rowHeight } = geometry;
  const most = Math.max(...profile.rows.values());
  const [poc, inside, outside] = [0.5, 0.24, 0.12].map((alpha) => cells('neutral', alpha));
  for (const [row, volume] of profile.rows) {
    const top = scale.rowTop(row);
    if (top < 0 || top + rowHeight > mainHeight) continue;
    const isInside = row >= profile.val && row <= profile.vah;
    const batch = row === profile.poc ? poc! : isInside ? inside! : outside!;
    batch.rects.push(plotWidth + 1, top + 1, (volume / most) * (axisWidth - 6), rowHeight - 2);
  }
  return [poc!, inside!, outside!];
}

function priceBatches(
  { geometry, model, priceText }: ScenePicture,
  scale: PriceScale,
  last: number,
): Batch[] {
  const { plotWidth, axisWidth, mainHeight, rowHeight } = geometry;
  const y = Math.max(10, Math.min(mainHeight - 10, Math.round(scale.priceY(last))));
  const prices = words('axis', 11, 450, 'left');
  for (const row of scale.rows) {
    if ((row / model.group) % GRID_ROWS !== 0) continue;
    const middle = scale.rowTop(row) + rowHeight / 2;
    if (middle < 10 || middle > mainHeight - 10 || Math.abs(middle - y) < TAG_CLEARANCE) continue;
    prices.words.push([plotWidth + 9, middle + 0.5, priceText(row)]);
  }
  const tag = words('on-ink', 11, 640, 'left');
  tag.words.push([plotWidth + 9, y + 0.5, priceText(last)]);
  const edges = words('axis', 10, 560, 'right');
  const grounds = cells('ground');
  if (model.profile !== null) {
    for (const [index, edge] of valueEdges(model.profile, scale, rowHeight).entries()) {
      if (edge < 12 || edge > mainHeight - 12) continue;
      grounds.rects.push(plotWidth - 30, edge - 7, 28, 14);
      edges.words.push([plotWidth - 5, edge + 0.5, index === 0 ? 'VAH' : 'VAL']);
    }
  }
  return [
    prices,
    grounds,
    edges,
    { ...lines('ink', 0.7, 1, [3, 3]), lines: [[plotWidth - 12, y + 0.5, plotWidth, y + 0.5]] },
    { ...cells('ink'), radius: 3, rects: [plotWidth + 2, y - 10, axisWidth - 4, 20] },
    tag,
  ];
}

function valueEdges(
  { vah, val }: { readonly vah: number; readonly val: number },
  scale: PriceScale,
  rowHeight: number,
): readonly [top: number, bottom: number] {
  return [scale.rowTop(vah), scale.rowTop(val) + rowHeight];
}

/** To the minute; seconds only if there are any. */
export function timeText(ms: number): string {
  const text = new Date(ms).toISOString().slice(11, 19);
  return text.endsWith(':00') ? text.slice(0, 5) : text;
}
