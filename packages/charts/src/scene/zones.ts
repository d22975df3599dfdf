/**
 * Behind the bars: stacked imbalances as bands until price trades through them, and unfinished auctions as dotted
 * lines until they are traded. Both begin after their bar and end where the service removed them.
 */

import type { KeptObject } from '../series/object-series.ts';
import type { Frame } from './frame.ts';
import { type Layer, layersOf } from './layer-objects.ts';
import { paint, segment } from './shapes.ts';
import { placeOfNs } from './window.ts';

const WIDTH_MIN = 3;
/** Narrower bars show open zones only, without their edges. */
const EDGE_FROM_PX = 8;
const SELLERS_DASH = [3, 3];
const DOTTED = [1, 2];

export function paintZones(frame: Frame): void {
  for (const layer of layersOf(frame.input, 'imbalances')) paintImbalances(frame, layer);
  for (const layer of layersOf(frame.input, 'unfinished-auctions')) paintUnfinished(frame, layer);
}

function paintImbalances(frame: Frame, layer: Layer<'imbalances'>): void {
  const { shapes, window, isNear } = frame;
  const fills = {
    ask: shapes.rects(paint('ask', 0.07, isNear ? 0.1 : 0.085)),
    bid: shapes.rects(paint('bid', 0.07, isNear ? 0.1 : 0.085)),
  };
  const edges = {
    ask: [shapes.lines(paint('ask', 0.65)), shapes.lines(paint('ask', 0.3))],
    bid: [
      shapes.lines(paint('bid', 0.65), 1, SELLERS_DASH),
      shapes.lines(paint('bid', 0.3), 1, SELLERS_DASH),
    ],
  } as const;
  for (const object of layer.objects.all) {
    const { data, removedNs, id } = object;
    const [top, bottom] = [frame.y(data.high + 1), frame.y(data.low)];
    if (bottom < 0 || top > frame.layout.main.height) continue;
    const span = spanOf(frame, object, data.barId);
    if (span === null) continue;
    const [left, right] = span;
    if (removedNs !== null && isNear && right - left < window.columnWidth * 0.8) continue;
    const dye = data.side > 0 ? 'ask' : 'bid';
    fills[dye].add4(left, top, right - left, bottom - top);
    frame.targets.push({
      layerKey: layer.key,
      id,
      ...{ x: left, y: top, width: right - left, height: bottom - top },
    });
    const { side, low, high, rows, volume } = data;
    frame.mark(layer.key, 'zone', id, { side, low, high, rows, volume }, left, top);
    if (!isNear && (removedNs !== null || window.columnWidth < EDGE_FROM_PX)) continue;
    const y = Math.round(data.side > 0 ? bottom : top) + 0.5;
    segment(edges[dye][removedNs === null ? 0 : 1], left, y, right, y);
  }
}

function paintUnfinished(frame: Frame, layer: Layer<'unfinished-auctions'>): void {
  const lines = frame.shapes.lines(paint('muted', 0.8), 1, DOTTED);
  for (const object of layer.objects.all) {
    const { data, id } = object;
    const y = Math.round(frame.priceY(data.price)) + 0.5;
    if (y < 0 || y > frame.layout.main.height) continue;
    const span = spanOf(frame, object, data.barId);
    if (span === null) continue;
    segment(lines, span[0], y, span[1], y);
    const box = { x: span[0], y: y - 3, width: span[1] - span[0], height: 6 };
    frame.targets.push({ layerKey: layer.key, id, ...box });
    const { price, bid, ask } = data;
    frame.mark(layer.key, 'line', id, { price, bid, ask }, span[0], y);
  }
}

/** From its bar to its removal or the right edge; null: not on screen. */
function spanOf(
  frame: Frame,
  { ts, removedNs }: KeptObject,
  barId: string,
): readonly [left: number, right: number] | null {
  const { bars } = frame.input.content;
  const { plotWidth } = frame.layout;
  // Most objects are not on screen: their times tell it fastest.
  const firstNs = frame.columns[frame.from]?.fromNs;
  if (firstNs === undefined || (removedNs !== null && removedNs < firstNs)) return null;
  const endNs = frame.columns[frame.to]?.fromNs;
  if (endNs !== undefined && ts >= endNs) return null;
  const removed = removedNs === null ? null : frame.x(placeOfNs(bars, removedNs));
  const own = bars.indexOf(barId);
  const column = own >= 0 ? own : Math.floor(placeOfNs(bars, ts));
  const left = Math.max(0, frame.x(column + (frame.isNear ? 1 : 0.5)));
  const right = Math.min(plotWidth, removed ?? plotWidth);
  return right - left < WIDTH_MIN ? null : [left, right];
}
