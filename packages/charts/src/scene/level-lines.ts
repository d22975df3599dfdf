/**
 * Prices that stay relevant: levels of a session, and levels that earlier sessions left behind. Lines are behind the
 * bars. Names share a plate where prices are equal, are pushed apart, and step aside for bars.
 */

import type { SessionLevelsData } from '@tapeloom/protocol/indicators';
import { sessionAt } from '../series/sessions.ts';
import { shortDateText } from './date-text.ts';
import type { Frame } from './frame.ts';
import { type Layer, layersOf } from './layer-objects.ts';
import { plate, plateHeight, plateWidth, pushApart } from './plates.ts';
import { paint, segment } from './shapes.ts';
import { placeOfNs } from './window.ts';

const DASHED = [6, 4];
const DASH_DOT = [2, 2, 8, 2];
const EDGE_PX = 4;
const NAME = { align: 'right', dye: 'muted', size: 11, weight: 500 } as const;
/** Distance of a name from the right edge, and from a bar. */
const AIR = 4;
/** A name further away from the edge would not be found: then it lies in front of the bars. */
const NAME_ROOM = 0.6;

const NAMES: Readonly<Record<SessionLevelsData['kind'], string>> = {
  open: 'Open',
  high: 'High',
  low: 'Low',
  initialBalanceHigh: 'IB high',
  initialBalanceLow: 'IB low',
  previousHigh: 'Prior high',
  previousLow: 'Prior low',
  previousClose: 'Prior close',
  overnightHigh: 'Overnight high',
  overnightLow: 'Overnight low',
};

interface NamedLine {
  readonly price: number;
  readonly texts: string[];
  readonly isNaked: boolean;
}

/** Lines; returns what paints their names, which belong in front. */
export function paintLevels(frame: Frame): () => void {
  const names = new Map<number, NamedLine>();
  for (const layer of layersOf(frame.input, 'session-levels')) paintSession(frame, layer, names);
  for (const layer of layersOf(frame.input, 'naked-levels')) paintNaked(frame, layer, names);
  return () => paintLevelNames(frame, [...names.values()]);
}

function paintLevelNames(frame: Frame, names: readonly NamedLine[]): void {
  const { layout } = frame;
  if (layout.isNarrow) return;
  const placed = names
    .map(({ price, texts }) => ({ y: frame.priceY(price), price, text: sharedName(texts) }))
    .filter(({ y }) => y > 6 && y < layout.main.height - 6);
  const height = plateHeight(frame, NAME);
  const edges = { top: height / 2 + 1, bottom: layout.main.height - height / 2 - 1 };
  pushApart(placed, height, edges);
  for (const { y, text } of placed) {
    plate(frame, nameX(frame, plateWidth(frame, text, NAME), height, y), y, text, NAME);
  }
}

/** "Day high = IB", "Prior low, overnight low" */
export function sharedName(texts: readonly string[]): string {
  const has = (text: string) => texts.includes(text);
  const rest = texts.filter((text) => !['High', 'Low', 'IB high', 'IB low'].includes(text));
  const first = (['High', 'Low'] as const).flatMap((side) => {
    const balance = side === 'High' ? 'IB high' : 'IB low';
    if (has(side) && has(balance)) return [`Day ${side.toLowerCase()} = IB`];
    return has(side) ? [side] : has(balance) ? [balance] : [];
  });
  const all = [...first, ...rest];
  return all
    .map((text, at) => (at === 0 || !/^[OP][a-z]/.test(text) ? text : lowered(text)))
    .join(', ');
}

function lowered(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function paintSession(
  frame: Frame,
  layer: Layer<'session-levels'>,
  names: Map<number, NamedLine>,
): void {
  const { content } = frame.input;
  const lines = frame.shapes.lines(paint('neutral', 0.9), 1, DASHED);
  for (const { id, ts, removedNs, data } of layer.objects.all) {
    const span = content.sessions[sessionAt(content.sessions, ts)];
    const isRegular = layer.params.session === 'rth';
    const openNs = (isRegular ? span?.regular?.openNs : span?.openNs) ?? ts;
    // Levels that are born in the night before regular hours are seen in the night.
    const fromNs = openNs < ts ? openNs : ts;
    const ended =
      removedNs ?? (span !== undefined && isOver(frame, span.closeNs) ? span.closeNs : null);
    const left = lineOf(frame, lines, { id, key: layer.key, price: data.price, fromNs, ended });
    if (left === null || ended !== null) continue;
    const name = data.kind === 'open' && isRegular ? 'RTH open' : NAMES[data.kind];
    nameLine(names, data.price, name, false);
  }
}

function paintNaked(
  frame: Frame,
  layer: Layer<'naked-levels'>,
  names: Map<number, NamedLine>,
): void {
  const lines = frame.shapes.lines(paint('muted', 0.8), 1, DASH_DOT);
  for (const { id, ts, removedNs, data } of layer.objects.all) {
    const { price, kind, sessionDate } = data;
    const left = lineOf(frame, lines, { id, key: layer.key, price, fromNs: ts, ended: removedNs });
    if (left === null || removedNs !== null) continue;
    const name = `Naked ${kind.toUpperCase()} ${shortDateText(sessionDate)}`;
    nameLine(names, price, name, true);
  }
}

interface Line {
  readonly id: string;
  readonly key: string;
  readonly price: number;
  readonly fromNs: bigint;
  readonly ended: bigint | null;
}

/** The left end on screen; null if nothing is. */
function lineOf(
  frame: Frame,
  lines: ReturnType<Frame['shapes']['lines']>,
  { id, key, price, fromNs, ended }: Line,
): number | null {
  const { layout, input } = frame;
  const y = Math.round(frame.priceY(price)) + 0.5;
  if (y < EDGE_PX || y > layout.main.height - EDGE_PX) return null;
  const { bars } = input.content;
  const left = Math.max(0, frame.x(placeOfNs(bars, fromNs)));
  const end = ended === null ? layout.plotWidth : frame.x(placeOfNs(bars, ended));
  const right = Math.min(layout.plotWidth, end);
  if (right - left < 1) return null;
  segment(lines, left, y, right, y);
  const box = { x: left, y: y - 4, width: right - left, height: 8 };
  frame.targets.push({ layerKey: key, id, ...box });
  frame.mark(key, 'line', id, { price }, left, y);
  return left;
}

/** The chart has seen the session's end. */
function isOver({ columns }: Frame, closeNs: bigint): boolean {
  const last = columns.at(-1);
  return last !== undefined && last.fromNs >= closeNs;
}

function nameLine(
  names: Map<number, NamedLine>,
  price: number,
  text: string,
  isNaked: boolean,
): void {
  const known = names.get(price);
  if (known === undefined) names.set(price, { price, texts: [text], isNaked });
  else if (!known.texts.includes(text)) known.texts.push(text);
}

/** The right edge of a name: at the edge of the plot, or left of the bars that it would cover. */
function nameX(frame: Frame, width: number, height: number, y: number): number {
  const { layout, columns, cell, window } = frame;
  let right = layout.plotWidth - AIR;
  const half = height / 2;
  for (let at = frame.to - 1; at >= frame.from; at -= 1) {
    const bar = columns[at]!;
    if (bar.kind === 'gap') continue;
    const [from, end] = [frame.x(at), frame.x(at) + window.columnWidth - cell.tail];
    if (end < right - width) break;
    if (from > right) continue;
    const isCrossed = frame.y(bar.high + 1) < y + half && frame.y(bar.low) > y - half;
    if (isCrossed) right = from - AIR;
  }
  return right - width < layout.plotWidth * (1 - NAME_ROOM) ? layout.plotWidth - AIR : right;
}
