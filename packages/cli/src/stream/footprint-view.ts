/**
 * `footprint` as traders read it: the forming bar as a ladder of prices, with the volume sold at the bid and bought at
 * the ask, above the last finished bars. The row with the most volume, the value area, the last price and imbalances
 * are marked by signs as well as colours, so that nothing depends on colour.
 */

import { formatPrice } from '@tapeloom/core/price';
import type { FootprintData } from '@tapeloom/protocol/indicators';
import { barsView, deltaText } from './bars-view.ts';
import { type Ink, padEndSeen, padStartSeen } from './ink.ts';
import type { ShownObject, StreamView, ViewContext } from './stream-view.ts';
import { type Row, tableLines } from './table.ts';
import { clockText, wholeText } from './text-format.ts';

type Level = FootprintData['levels'][number];

const FINISHED_MAX = 8;
const BAR_CELLS = 24;
const LADDER_ROWS_MIN = 5;
/** Rows of a printed bar; further ones are shown as a count. */
const LADDER_ROWS_MAX = 400;
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
const TITLES = ['time', 'open', 'high', 'low', 'close', 'volume', 'delta', 'POC', 'trades'];

export const footprintView: StreamView = {
  legend: '◆ most volume   │ value area   ‹ › imbalance   ◂ last price',
  screen(objects, height, context) {
    const current = objects.at(-1);
    if (current === undefined) return [];
    const finished = objects.slice(0, -1).slice(-FINISHED_MAX).reverse();
    const below =
      finished.length === 0
        ? []
        : [
            '',
            ...tableLines(
              TITLES,
              finished.map((it) => finishedRow(it, context)),
              context.ink,
            ),
          ];
    const room = Math.max(LADDER_ROWS_MIN, height - below.length - 2);
    return [
      ...summaryLines(current, context),
      ...ladderLines(current.data as FootprintData, room, context),
      ...below,
    ].slice(0, height);
  },
  line(object, context) {
    const { poc, imbalances } = object.data as FootprintData;
    const pocText = poc === null ? 'none' : formatPrice(poc, context.tickSizeNanos);
    return `${barsView.line(object, context)} poc ${pocText} imbalances ${imbalances.length}`;
  },
};

export function footprintLadder(object: ShownObject, context: ViewContext): string[] {
  const bar = object.data as FootprintData;
  return [
    ...summaryLines(object, context).slice(0, 1),
    ...ladderLines(bar, LADDER_ROWS_MAX, context),
  ];
}

function summaryLines(object: ShownObject, { ink, tickSizeNanos }: ViewContext): string[] {
  const bar = object.data as FootprintData;
  const price = (ticks: number) => formatPrice(ticks, tickSizeNanos);
  const state = object.final ? ink.faint('finished') : ink.yellow('forming');
  const parts = [
    `${ink.bold(clockText(object.ts))} ${state}`,
    `volume ${ink.bold(wholeText(bar.volume))}`,
    `delta ${deltaText(bar.delta, ink)}`,
    `trades ${wholeText(bar.trades)}`,
    ink.faint(`open ${price(bar.open)}  high ${price(bar.high)}  low ${price(bar.low)}`),
  ];
  return [parts.join('   '), ''];
}

function ladderLines(bar: FootprintData, room: number, context: ViewContext): string[] {
  const group = typeof context.params.group === 'number' ? context.params.group : 1;
  const byPrice = new Map(bar.levels.map((level) => [level[0]!, level]));
  const prices = visiblePrices(bar, group, room);
  const [highest, lowest] = [prices[0], prices.at(-1)];
  if (highest === undefined || lowest === undefined) return [];
  const all = bar.levels.map((level) => level[0]!);
  const above = all.filter((price) => price > highest).length;
  const below = all.filter((price) => price < lowest).length;
  const sizes = new LadderSizes(bar, context);
  const lines = prices.map((price) => {
    const isLast = price === rowOf(bar.close, group);
    return ladderLine(price, byPrice.get(price), isLast, bar, sizes, context.ink);
  });
  const more = (count: number, where: string) =>
    context.ink.faint(`${' '.repeat(4)}… ${count} more ${count === 1 ? 'row' : 'rows'} ${where}`);
  if (above > 0) lines[0] = more(above + 1, 'above');
  if (below > 0) lines[lines.length - 1] = more(below + 1, 'below');
  return lines;
}

/** Widths that keep the ladder's columns aligned. */
class LadderSizes {
  readonly priceOf: (ticks: number) => string;
  readonly price: number;
  readonly side: number;
  readonly volumeMax: number;

  constructor(bar: FootprintData, { tickSizeNanos }: ViewContext) {
    this.priceOf = (ticks) => formatPrice(ticks, tickSizeNanos);
    this.price = Math.max(this.priceOf(bar.high).length, this.priceOf(bar.low).length);
    const sides = bar.levels.flatMap(([, bid = 0, ask = 0]) => [bid, ask]);
    this.side = Math.max(5, ...sides.map((lots) => wholeText(lots).length + 1));
    this.volumeMax = Math.max(1, ...bar.levels.map(volumeOf));
  }
}

function ladderLine(
  price: number,
  level: Level | undefined,
  isLast: boolean,
  bar: FootprintData,
  sizes: LadderSizes,
  ink: Ink,
): string {
  const isIn = bar.val !== null && bar.vah !== null && price >= bar.val && price <= bar.vah;
  const isPoc = price === bar.poc;
  const mark = isPoc ? ink.yellow('◆') : isIn ? ink.faint('│') : ' ';
  const text = padStartSeen(sizes.priceOf(price), sizes.price);
  const named = `${isLast ? ink.inverse(text) : isPoc ? ink.bold(text) : text}${isLast ? '◂' : ' '}`;
  if (level === undefined) {
    return ` ${mark} ${named} ${padStartSeen(ink.faint('·'), sizes.side)}   ${ink.faint('·')}`;
  }
  const [, bid = 0, ask = 0, unknown = 0] = level;
  const has = (side: number) => bar.imbalances.some((it) => it[0] === price && it[1] === side);
  const sold = has(-1) ? ink.bold(ink.red(`‹${wholeText(bid)}`)) : wholeText(bid);
  const bought = has(1) ? ink.bold(ink.green(`${wholeText(ask)}›`)) : wholeText(ask);
  const paint = ask > bid ? ink.green : ask < bid ? ink.red : ink.faint;
  const volume = paint(volumeBar(volumeOf(level) / sizes.volumeMax));
  const extra = unknown > 0 ? ink.faint(` ${wholeText(unknown)} of unknown side`) : '';
  const sides = `${padStartSeen(sold, sizes.side)} × ${padEndSeen(bought, sizes.side)}`;
  return ` ${mark} ${named} ${sides} ${volume}${extra}`;
}

/** Rows from the highest price to the lowest, as many as fit, around the last price. */
function visiblePrices(bar: FootprintData, group: number, room: number): number[] {
  const lowest = bar.levels[0]?.[0];
  const highest = bar.levels.at(-1)?.[0];
  if (lowest === undefined || highest === undefined) return [];
  const rows = Math.min(room, (highest - lowest) / group + 1);
  const middle = rowOf(bar.close, group) + Math.floor(rows / 2) * group;
  const top = Math.max(lowest + (rows - 1) * group, Math.min(highest, middle));
  return Array.from({ length: rows }, (_, index) => top - index * group);
}

function finishedRow(object: ShownObject, { ink, tickSizeNanos }: ViewContext): Row {
  const bar = object.data as FootprintData;
  const price = (ticks: number) => formatPrice(ticks, tickSizeNanos);
  const close = bar.close >= bar.open ? ink.green : ink.red;
  return [
    clockText(object.ts),
    price(bar.open),
    price(bar.high),
    price(bar.low),
    close(price(bar.close)),
    wholeText(bar.volume),
    deltaText(bar.delta, ink),
    bar.poc === null ? '' : price(bar.poc),
    wholeText(bar.trades),
  ];
}

function volumeOf(level: Level): number {
  return level[1] + level[2] + (level[3] ?? 0);
}

/** A row's price is its lowest, also below zero. */
function rowOf(price: number, group: number): number {
  return Math.floor(price / group) * group;
}

function volumeBar(share: number): string {
  const eighths = Math.max(1, Math.round(share * BAR_CELLS * 8));
  return '█'.repeat(Math.trunc(eighths / 8)) + EIGHTHS[eighths % 8]!;
}
