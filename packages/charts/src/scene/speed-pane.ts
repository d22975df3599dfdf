/**
 * Tape speed: the highest rate in each bar, dark where bursts filled a good part of it, and the session's average as a
 * tick of ink.
 */

import type { Column } from '../series/chart-bar.ts';
import type { KeptObject } from '../series/object-series.ts';
import type { Rect } from './batch.ts';
import type { Frame } from './frame.ts';
import { firstFrom, firstLayer } from './layer-objects.ts';
import { paint } from './shapes.ts';
import { cellSpan } from './strip.ts';

const PADDING = 8;
/** Long bars nearly always have a second of burst somewhere. */
const BURST_SHARE = 0.25;

interface BarSpeed {
  readonly rate: number;
  readonly average: number;
  readonly isBurst: boolean;
}

interface Kept {
  readonly first: KeptObject | undefined;
  readonly last: KeptObject | undefined;
  readonly count: number;
  readonly speed: BarSpeed | null;
}

/** A bar has up to hundreds of objects and is asked in every frame. Only its newest object still changes. */
const kept = new WeakMap<Column, Kept>();

/** Null: no layer, or no object in this bar. */
export function speedOf(frame: Frame, column: number): BarSpeed | null {
  const layer = firstLayer(frame.input, 'tape-speed');
  const bar = frame.columns[column];
  if (layer === null || bar === undefined || bar.kind === 'gap') return null;
  const { all } = layer.objects;
  const next = frame.columns[column + 1]?.fromNs;
  const from = firstFrom(all, bar.fromNs);
  const end = next === undefined ? all.length : firstFrom(all, next);
  const [first, last, count] = [all[from], all[end - 1], end - from];
  const before = kept.get(bar);
  if (before?.first === first && before?.last === last && before?.count === count) {
    return before.speed;
  }
  const speed = summed(all, from, end);
  kept.set(bar, { first, last, count, speed });
  return speed;
}

function summed(
  all: readonly KeptObject<'tape-speed'>[],
  from: number,
  end: number,
): BarSpeed | null {
  let [rate, average, bursts] = [-1, 0, 0];
  for (let at = from; at < end; at += 1) {
    const { data } = all[at]!;
    if (data.rate > rate) rate = data.rate;
    average = data.average;
    if (data.burst) bursts += 1;
  }
  const isBurst = bursts > (end - from) * BURST_SHARE;
  return rate < 0 ? null : { rate, average, isBurst };
}

export function paintSpeed(frame: Frame, { y, height }: Rect): void {
  const { shapes, from, to } = frame;
  let most = 0;
  for (let at = from; at < to; at += 1) most = Math.max(most, speedOf(frame, at)?.rate ?? 0);
  if (most === 0) return;
  const perUnit = (height - 2 * PADDING) / most;
  const bottom = y + height - PADDING;
  const calm = shapes.rects(paint('neutral', 0.4));
  const bursts = shapes.rects(paint('neutral', 0.85));
  const averages = shapes.rects(paint('ink'));
  const [inset, width] = cellSpan(frame);
  for (let at = from; at < to; at += 1) {
    const speed = speedOf(frame, at);
    const bar = frame.columns[at]!;
    if (speed === null || bar.kind === 'gap') continue;
    const left = Math.round(frame.x(at) + inset + width * 0.2);
    const across = Math.max(1, Math.round(width * 0.6));
    const length = speed.rate * perUnit;
    (speed.isBurst ? bursts : calm).add4(left, bottom - length, across, length);
    averages.add4(left, Math.round(bottom - speed.average * perUnit), across, 1);
    const { rate, average } = speed;
    frame.mark(
      'pane',
      'speed',
      bar.id,
      { rate, average, burst: speed.isBurst ? 1 : 0 },
      left,
      bottom,
    );
  }
}
