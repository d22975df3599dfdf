/** The panes below the bars: delta with whiskers, cumulative delta, tape speed. Each has its own scale. */

import type { Pane } from '../spec/chart-spec.ts';
import type { Rect } from './batch.ts';
import { paintCumulative } from './cumulative-pane.ts';
import type { Frame } from './frame.ts';
import { paint } from './shapes.ts';
import { cellSpan, paintPaneGround } from './strip.ts';

const PANE_PADDING = 8;
const BODY = { share: 0.5, most: 22 };
const WHISKERS_FROM_PX = 6;

const PAINTERS: Readonly<Record<Pane, (frame: Frame, rect: Rect) => void>> = {
  delta: paintDelta,
  'cumulative-delta': paintCumulative,
  'tape-speed': (frame, rect) => frame.parts.objects?.paintSpeed(frame, rect),
};

export function paintPanes(frame: Frame): void {
  for (const { pane, rect } of frame.layout.panes) {
    paintPaneGround(frame, rect.y, rect.height);
    frame.shapes.clip(rect);
    PAINTERS[pane](frame, rect);
    frame.shapes.unclip();
  }
}

/** The bar's delta, with whiskers from its lowest to its highest running delta. */
function paintDelta(frame: Frame, { y, height }: Rect): void {
  const { columns, from, to, shapes, layout, window } = frame;
  let most = 1;
  for (let at = from; at < to; at += 1) {
    const bar = columns[at]!;
    if (bar.kind === 'bar') most = Math.max(most, -bar.deltaMin, bar.deltaMax, Math.abs(bar.delta));
  }
  const zero = Math.round(y + height / 2);
  const perLot = (height / 2 - PANE_PADDING) / most;
  shapes.rect(paint('line'), 0, zero, layout.plotWidth, 1);
  const [inset, width] = cellSpan(frame);
  const body = Math.max(1, Math.round(Math.min(BODY.most, width * BODY.share)));
  const asks = shapes.rects(paint('ask'));
  const bids = shapes.rects(paint('bid'));
  for (let at = from; at < to; at += 1) {
    const bar = columns[at]!;
    if (bar.kind === 'gap') continue;
    const { delta, deltaMin, deltaMax } = bar;
    const into = delta >= 0 ? asks : bids;
    const left = Math.round(frame.x(at) + inset + width / 2 - body / 2);
    const length = Math.max(1, Math.abs(delta) * perLot);
    into.add4(left, delta >= 0 ? zero - length : zero, body, length);
    if (window.columnWidth > WHISKERS_FROM_PX) {
      const x = left + (body >> 1) - (body % 2 === 0 ? 0.5 : 0);
      into.add4(x, zero - deltaMax * perLot, 1, (deltaMax - deltaMin) * perLot);
    }
    if (frame.marks === null) continue;
    frame.mark('pane', 'delta', bar.id, { delta, deltaMin, deltaMax }, left, zero);
  }
}
