/** `bars` as a table: finished bars, and the forming one below them. */

import { formatPrice } from '@tapeloom/core/price';
import type { BarsData } from '@tapeloom/protocol/indicators';
import type { Ink } from './ink.ts';
import type { ShownObject, StreamView, ViewContext } from './stream-view.ts';
import { type Row, tableLines } from './table.ts';
import { clockText, signedText, wholeText } from './text-format.ts';

const TITLES = [
  '',
  'time',
  'open',
  'high',
  'low',
  'close',
  'volume',
  'bid',
  'ask',
  'delta',
  'trades',
];
const LINES_AROUND = 1;

export const barsView: StreamView = {
  legend: '▸ forming',
  screen(objects, height, context) {
    const shown = objects.slice(-Math.max(1, height - LINES_AROUND));
    return tableLines(
      TITLES,
      shown.map((object) => barRow(object, context)),
      context.ink,
    );
  },
  line(object, context) {
    const bar = object.data as BarsData;
    const price = (ticks: number) => formatPrice(ticks, context.tickSizeNanos);
    const prices = `open ${price(bar.open)} high ${price(bar.high)} low ${price(bar.low)} close ${price(bar.close)}`;
    return `${clockText(object.ts)} ${prices} volume ${bar.volume} delta ${signedText(bar.delta)} trades ${bar.trades}`;
  },
};

function barRow(object: ShownObject, { ink, tickSizeNanos }: ViewContext): Row {
  const bar = object.data as BarsData;
  const price = (ticks: number) => formatPrice(ticks, tickSizeNanos);
  const close = bar.close >= bar.open ? ink.green : ink.red;
  return [
    object.final ? ' ' : ink.yellow('▸'),
    clockText(object.ts),
    price(bar.open),
    price(bar.high),
    price(bar.low),
    close(price(bar.close)),
    wholeText(bar.volume),
    wholeText(bar.bid),
    wholeText(bar.ask),
    deltaText(bar.delta, ink),
    wholeText(bar.trades),
  ];
}

export function deltaText(delta: number, ink: Ink): string {
  if (delta === 0) return '0';
  return delta > 0 ? ink.green(signedText(delta)) : ink.red(signedText(delta));
}
