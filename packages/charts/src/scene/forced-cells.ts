/**
 * Cells where the system decides on colours, so tones say nothing: every cell has a border, and the length of a bar in
 * it says how much traded. Imbalances stay solid.
 */

import { BUY, SELL } from '../series/rows.ts';
import type { CellSink } from './cell-sink.ts';
import { paintLadders } from './cells.ts';
import type { Frame } from './frame.ts';
import type { Ladder } from './ladder.ts';
import { rowTexts } from './row-texts.ts';
import { paint, write } from './shapes.ts';

/** Below a number; a weave is filled from top to bottom. */
const BAR_PX = 2;

export function paintForcedCells(frame: Frame): void {
  paintLadders(frame, fillCells);
}

function fillCells(frame: Frame, ladders: readonly Ladder[], sink: CellSink): void {
  const { shapes, most } = frame;
  const borders = shapes.numbers();
  for (const ladder of ladders) {
    const { rows, left, spine, askRight, base, from, to } = ladder;
    const height = frame.window.tickHeight * rows.group;
    const [bidTexts, askTexts] = [rowTexts(rows, 'bid'), rowTexts(rows, 'ask')];
    for (let row = from; row <= to; row += 1) {
      const top = Math.round(base - (row + 1) * height);
      const cellHeight = Math.max(1, Math.round(base - row * height) - top);
      sink.grounds.add4(left, top, askRight - left, cellHeight);
      if (cellHeight > 4) {
        borders.add4(left + 0.5, top + 0.5, spine - left, cellHeight);
        borders.add4(spine + 0.5, top + 0.5, askRight - spine - 1, cellHeight);
      }
      const isSell = (rows.imbalance[row]! & SELL) !== 0;
      const isBuy = (rows.imbalance[row]! & BUY) !== 0;
      const bar = sink.hasNumbers ? BAR_PX : cellHeight;
      const [bidRoom, askRoom] = [spine - left, askRight - spine];
      const bidBar = isSell ? bidRoom : bidRoom * (rows.bid[row]! / most.side);
      const askBar = isBuy ? askRoom : askRoom * (rows.ask[row]! / most.side);
      const bottom = top + cellHeight;
      sink.solidBid.add4(
        spine - bidBar,
        isSell ? top : bottom - bar,
        bidBar,
        isSell ? cellHeight : bar,
      );
      sink.solidAsk.add4(spine, isBuy ? top : bottom - bar, askBar, isBuy ? cellHeight : bar);
      if (!sink.hasNumbers) continue;
      const y = top + cellHeight / 2 + 0.5;
      write(sink.words(isSell ? 'on-bid' : 'inside', 'right'), spine - 5, y, bidTexts[row]!);
      write(sink.words(isBuy ? 'on-ask' : 'inside', 'left'), spine + 6, y, askTexts[row]!);
    }
  }
  sink.paintCells();
  shapes.batches.push({
    kind: 'frames',
    ...paint('muted'),
    ...{ radius: 0, lineWidth: 1, rects: borders },
  });
}
