/** `large-trades` as a list, newest at the bottom, with a bar for each size. */

import { formatPrice } from '@tapeloom/core/price';
import type { LargeTradesData } from '@tapeloom/protocol/indicators';
import type { StreamView } from './stream-view.ts';
import { tableLines } from './table.ts';
import { exactClockText, wholeText } from './text-format.ts';

const TITLES = ['', 'time', 'side', 'lots', 'first', 'last', 'prints', 'threshold'];
const BAR_CELLS = 20;

export const largeTradesView: StreamView = {
  legend: '▸ still growing',
  screen(objects, height, { ink, tickSizeNanos }) {
    const shown = objects.slice(-Math.max(1, height - 1));
    const sizeMax = Math.max(1, ...shown.map((it) => (it.data as LargeTradesData).size));
    const rows = shown.map((object) => {
      const trade = object.data as LargeTradesData;
      const paint = trade.side > 0 ? ink.green : ink.red;
      return [
        object.final ? ' ' : ink.yellow('▸'),
        exactClockText(object.ts),
        paint(trade.side > 0 ? 'buy ▲' : 'sell ▼'),
        ink.bold(wholeText(trade.size)),
        formatPrice(trade.first, tickSizeNanos),
        formatPrice(trade.last, tickSizeNanos),
        wholeText(trade.trades),
        ink.faint(wholeText(trade.threshold)),
      ];
    });
    const [titles, ...lines] = tableLines(TITLES, rows, ink);
    const bars = shown.map((object) => {
      const { size, side } = object.data as LargeTradesData;
      const bar = '█'.repeat(Math.max(1, Math.round((size / sizeMax) * BAR_CELLS)));
      return side > 0 ? ink.green(bar) : ink.red(bar);
    });
    return [titles!, ...lines.map((line, index) => `${line}  ${bars[index]}`)];
  },
  line(object, { tickSizeNanos }) {
    const trade = object.data as LargeTradesData;
    const price = (ticks: number) => formatPrice(ticks, tickSizeNanos);
    const side = trade.side > 0 ? 'buy' : 'sell';
    const span = `first ${price(trade.first)} last ${price(trade.last)}`;
    return `${exactClockText(object.ts)} ${side} ${trade.size} lots ${span} prints ${trade.trades} threshold ${trade.threshold}`;
  },
};
