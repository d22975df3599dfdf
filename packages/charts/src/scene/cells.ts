/**
 * The cells of the bars in four looks. The side is a place as well as a colour: bid left, ask right. An imbalance is
 * solid and bold. Only rows on screen are visited.
 */

import { BUY, type Rows, SELL } from '../series/rows.ts';
import { paintCellMarks } from './cell-marks.ts';
import { TWO_GAP } from './cell-shape.ts';
import { CellSink } from './cell-sink.ts';
import type { Frame } from './frame.ts';
import { paintGlow } from './glow.ts';
import { isOvernight } from './ground.ts';
import { type Ladder, laddersOf, rowGap } from './ladder.ts';
import { rowTexts } from './row-texts.ts';
import { write } from './shapes.ts';
import { textWidth } from './text-width.ts';

/** Tones of the bars of volume, whose length says how much. */
const BAR_STEP = { inside: 10, outside: 4 };
const NEUTRAL_STEP = { inside: 9, outside: 4 };

export function paintCells(frame: Frame): void {
  if (frame.cell.weave <= 0) return;
  const { parts, input } = frame;
  if (input.hasForcedColours === true && parts.objects != null) {
    parts.objects.paintForcedCells(frame);
  } else paintLadders(frame, (...all) => fillAll(...all, fillLadder));
}

/** Bid and ask side by side: all that a page without a choice of looks needs. */
export function paintSideCells(frame: Frame): void {
  if (frame.cell.weave <= 0) return;
  paintLadders(frame, (...all) => fillAll(...all, fillGroundAndSides));
}

type Fill = (frame: Frame, ladder: Ladder, sink: CellSink) => void;

/** What `fill` leaves to it: glow, marks and words. */
export function paintLadders(
  frame: Frame,
  fill: (frame: Frame, ladders: readonly Ladder[], sink: CellSink) => void,
): void {
  const ladders = laddersOf(frame);
  const sink = new CellSink(frame);
  fill(frame, ladders, sink);
  paintGlow(frame, ladders.at(-1));
  paintCellMarks(frame, ladders);
  sink.paintWords();
  if (frame.marks !== null) markCells(frame, ladders);
}

function fillAll(frame: Frame, ladders: readonly Ladder[], sink: CellSink, fill: Fill): void {
  for (const ladder of ladders) fill(frame, ladder, sink);
  sink.paintCells();
}

function fillLadder(frame: Frame, ladder: Ladder, sink: CellSink): void {
  const { look } = frame.input.spec;
  if (ladder.to < ladder.from) return;
  if (look !== 'volume') fillGround(frame, ladder, sink);
  if (look === 'delta') fillDelta(frame, ladder, sink);
  else if (look === 'volume') fillVolume(frame, ladder, sink);
  else fillSides(frame, ladder, sink);
  if (look === 'two') fillLengths(frame, ladder, sink);
}

function fillGroundAndSides(frame: Frame, ladder: Ladder, sink: CellSink): void {
  if (ladder.to < ladder.from) return;
  fillGround(frame, ladder, sink);
  fillSides(frame, ladder, sink);
}

function fillGround(frame: Frame, ladder: Ladder, sink: CellSink): void {
  const { rows, left, right, base } = ladder;
  const height = frame.window.tickHeight * rows.group;
  const top = Math.round(base - (ladder.to + 1) * height);
  sink.grounds.add4(left, top, right - left, Math.round(base - ladder.from * height) - top);
}

function fillSides(frame: Frame, ladder: Ladder, sink: CellSink): void {
  const { rows, left, spine, askRight, base, from, to } = ladder;
  const { bid, ask, imbalance, val, vah } = rows;
  const height = frame.window.tickHeight * rows.group;
  const gap = rowGap(frame);
  const askLeft = gap > 0 ? spine + 1 : spine;
  const [bidWidth, askWidth] = [spine - left, askRight - askLeft];
  const { side: most } = frame.most;
  const bidTexts = sink.hasNumbers ? rowTexts(rows, 'bid') : null;
  const askTexts = sink.hasNumbers ? rowTexts(rows, 'ask') : null;
  for (let row = from; row <= to; row += 1) {
    const bottom = Math.round(base - row * height);
    const top = Math.round(base - (row + 1) * height);
    const cellHeight = bottom - top - gap;
    const isOutside = row < val || row > vah;
    const marked = imbalance[row]!;
    const bids =
      (marked & SELL) === 0
        ? sink.tone('bid', sink.step(bid[row]!, most, isOutside))
        : sink.solidBid;
    const asks =
      (marked & BUY) === 0
        ? sink.tone('ask', sink.step(ask[row]!, most, isOutside))
        : sink.solidAsk;
    bids.add4(left, top, bidWidth, cellHeight);
    asks.add4(askLeft, top, askWidth, cellHeight);
    if (bidTexts === null || askTexts === null) continue;
    const y = top + cellHeight / 2 + 0.5;
    const style = isOutside ? 'outside' : 'inside';
    write(
      sink.words((marked & SELL) === 0 ? style : 'on-bid', 'right'),
      spine - 5,
      y,
      bidTexts[row]!,
    );
    write(
      sink.words((marked & BUY) === 0 ? style : 'on-ask', 'left'),
      spine + 6,
      y,
      askTexts[row]!,
    );
  }
}

function fillDelta(frame: Frame, ladder: Ladder, sink: CellSink): void {
  const { rows, left, right, base, from, to } = ladder;
  const height = frame.window.tickHeight * rows.group;
  const gap = rowGap(frame);
  const texts = sink.hasNumbers ? rowTexts(rows, 'delta') : null;
  const x = Math.round((left + right) / 2 + frame.cell.inner * 0.2);
  for (let row = from; row <= to; row += 1) {
    const bottom = Math.round(base - row * height);
    const top = Math.round(base - (row + 1) * height);
    const isOutside = row < rows.val || row > rows.vah;
    const delta = rows.ask[row]! - rows.bid[row]!;
    const dye = delta >= 0 ? 'ask' : 'bid';
    const isSolid = delta !== 0 && (rows.imbalance[row]! & (delta > 0 ? BUY : SELL)) !== 0;
    const solid = delta > 0 ? sink.solidAsk : sink.solidBid;
    const step = sink.step(Math.abs(delta), frame.most.delta, isOutside);
    const cellHeight = bottom - top - gap;
    (isSolid ? solid : sink.tone(dye, step)).add4(left, top, right - left, cellHeight);
    if (texts === null) continue;
    const style = isSolid ? (`on-${dye}` as const) : isOutside ? 'outside' : 'inside';
    write(sink.words(style, 'right'), x, top + cellHeight / 2 + 0.5, texts[row]!);
  }
}

function fillVolume(frame: Frame, ladder: Ladder, sink: CellSink): void {
  const { rows, left, right, base, from, to } = ladder;
  const { bid, ask, unknown } = rows;
  const height = frame.window.tickHeight * rows.group;
  const gap = rowGap(frame);
  const texts = sink.hasNumbers ? rowTexts(rows, 'volume') : null;
  const perLot = (right - left) / frame.most.volume;
  const grounds = isOvernight(frame, ladder.column) ? sink.nightGrounds : sink.grounds;
  for (let row = from; row <= to; row += 1) {
    const bottom = Math.round(base - row * height);
    const top = Math.round(base - (row + 1) * height);
    const isOutside = row < rows.val || row > rows.vah;
    const cellHeight = bottom - top - gap;
    const step = isOutside ? BAR_STEP.outside : BAR_STEP.inside;
    const [sold, bought] = [bid[row]! * perLot, ask[row]! * perLot];
    const length = sold + bought + unknown[row]! * perLot;
    const text = texts?.[row];
    const covered = text === undefined ? length : textWidth(text, frame.cell.textSize, 500) + 12;
    grounds.add4(left, top, Math.max(length, covered), bottom - top);
    if (sold > 0) sink.tone('bid', step).add4(left, top, sold, cellHeight);
    if (bought > 0) sink.tone('ask', step).add4(left + sold, top, bought, cellHeight);
    if (unknown[row]! > 0) {
      sink
        .tone('neutral', step)
        .add4(left + sold + bought, top, length - sold - bought, cellHeight);
    }
    if (text === undefined) continue;
    const style = isOutside ? 'outside' : 'inside';
    write(sink.words(style, 'left'), left + 6, top + cellHeight / 2 + 0.5, text);
  }
}

/** The second column of the look `two`: volume by length. */
function fillLengths(frame: Frame, ladder: Ladder, sink: CellSink): void {
  const { rows, askRight, right, base, from, to } = ladder;
  const height = frame.window.tickHeight * rows.group;
  const gap = rowGap(frame);
  const texts = sink.hasNumbers ? rowTexts(rows, 'volume') : null;
  const left = askRight + TWO_GAP;
  const perLot = (right - left) / frame.most.volume;
  for (let row = from; row <= to; row += 1) {
    const bottom = Math.round(base - row * height);
    const top = Math.round(base - (row + 1) * height);
    const isOutside = row < rows.val || row > rows.vah;
    const cellHeight = bottom - top - gap;
    const volume = rows.bid[row]! + rows.ask[row]! + rows.unknown[row]!;
    const step = isOutside ? NEUTRAL_STEP.outside : NEUTRAL_STEP.inside;
    if (volume > 0) {
      sink.tone('neutral', step).add4(left, top, Math.max(1, volume * perLot), cellHeight);
    }
    if (texts === null) continue;
    const style = isOutside ? 'outside' : 'inside';
    write(sink.words(style, 'left'), left + 5, top + cellHeight / 2 + 0.5, texts[row]!);
  }
}

function markCells(frame: Frame, ladders: readonly Ladder[]): void {
  for (const { rows, column, from, to, base, left } of ladders) {
    const bar = frame.columns[column]!;
    if (bar.kind === 'gap') continue;
    const height = frame.window.tickHeight * rows.group;
    for (let row = from; row <= to; row += 1) {
      const numbers = {
        price: rows.first + row * rows.group,
        bid: rows.bid[row]!,
        ask: rows.ask[row]!,
        unknown: rows.unknown[row]!,
        imbalance: rows.imbalance[row]!,
      };
      const texts = frame.cell.numbers > 0 ? textsOf(frame, rows, row) : [];
      frame.mark('bars', 'cell', bar.id, numbers, left, base - (row + 0.5) * height, texts);
    }
  }
}

/** As written in the look. */
function textsOf({ input }: Frame, rows: Rows, row: number): readonly string[] {
  const { look } = input.spec;
  if (look === 'delta') return [rowTexts(rows, 'delta')[row]!];
  if (look === 'volume') return [rowTexts(rows, 'volume')[row]!];
  const sides = [rowTexts(rows, 'bid')[row]!, rowTexts(rows, 'ask')[row]!];
  return look === 'two' ? [...sides, rowTexts(rows, 'volume')[row]!] : sides;
}
