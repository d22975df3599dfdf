/**
 * Candles. The colour says who pushed, by the sign of the delta; the fill says where the price went: hollow up, filled
 * down. So a filled candle of the buyers' colour is buyers who got nowhere.
 */

import type { ChartBar } from '../series/chart-bar.ts';
import type { Numbers } from './batch.ts';
import type { Frame } from './frame.ts';
import { paint } from './shapes.ts';

const BODY_SHARE = 0.62;
/** Beside cells: of the gutter. */
const GUTTER_SHARE = 0.36;
/** A body that would be narrower is a line from high to low. */
const BODY_PX_MIN = 2;

export function paintCandles(frame: Frame): void {
  for (const dye of ['ask', 'bid'] as const) {
    const filled = frame.shapes.rects(paint(dye));
    const hollow = frame.shapes.numbers();
    const frames = frame.shapes.numbers();
    candlesOf(frame, dye === 'ask', filled, hollow, frames);
    frame.shapes.rects(paint('ground'), 0, hollow);
    frame.shapes.batches.push({
      kind: 'frames',
      ...paint(dye),
      ...{ radius: 0, lineWidth: 1, rects: frames },
    });
  }
  if (frame.marks !== null) markCandles(frame);
}

function candlesOf(
  frame: Frame,
  isBuyers: boolean,
  filled: Numbers,
  hollow: Numbers,
  frames: Numbers,
): void {
  const { columns, from, to } = frame;
  const width = bodyWidth(frame);
  const isLine = width < BODY_PX_MIN;
  const body = Math.max(2, Math.round(width));
  for (let at = from; at < to; at += 1) {
    const bar = columns[at]!;
    if (bar.kind === 'gap' || bar.delta >= 0 !== isBuyers) continue;
    const centre = frame.candleX(at);
    const high = frame.y(bar.high + 1);
    const low = frame.y(bar.low);
    if (isLine) {
      filled.add4(Math.round(centre - 0.5), high, 1, low - high);
      continue;
    }
    const isUp = bar.close > bar.open;
    const top = Math.round(frame.y((isUp ? bar.close : bar.open) + 1));
    const bottom = Math.round(frame.y(isUp ? bar.open : bar.close));
    const height = Math.max(1, bottom - top);
    const left = Math.round(centre - body / 2);
    // A wick of one pixel stands in the middle of an odd body, and across it in an even one.
    const wick = left + (body >> 1) - (body % 2 === 0 ? 0.5 : 0);
    filled.add4(wick, high, 1, Math.max(0, top - high));
    filled.add4(wick, top + height, 1, Math.max(0, low - top - height));
    if (!isUp || body <= 2 || height <= 2) {
      filled.add4(left, top, body, height);
      continue;
    }
    hollow.add4(left, top, body, height);
    frames.add4(left + 0.5, top + 0.5, body - 1, height - 1);
  }
}

export function bodyWidth({ cell, window }: Frame): number {
  const centred = Math.max(1, window.columnWidth * BODY_SHARE);
  const beside = Math.min(7, Math.max(1.5, cell.gutter * GUTTER_SHARE));
  return centred + (beside - centred) * cell.weave;
}

function markCandles(frame: Frame): void {
  const { columns, from, to } = frame;
  for (let at = from; at < to; at += 1) {
    const bar = columns[at]!;
    if (bar.kind === 'bar')
      frame.mark(
        'bars',
        'candle',
        bar.id,
        numbersOf(bar),
        frame.candleX(at),
        frame.y(bar.high + 1),
      );
  }
}

function numbersOf({ open, high, low, close, volume, bid, ask, delta }: ChartBar) {
  return { open, high, low, close, volume, bid, ask, delta };
}
