/**
 * Beside the price axis: the session's volume by price, neutral, growing from the axis, or its letters. Rows keep the
 * profile's own group, so zooming does not move its point of control.
 */

import type { TpoData } from '@tapeloom/protocol/indicators';
import type { KeptObject } from '../series/object-series.ts';
import type { Numbers } from './batch.ts';
import type { Frame } from './frame.ts';
import { firstLayer, type Layer, layersOf } from './layer-objects.ts';
import { paint, write } from './shapes.ts';
import {
  isByPeriod,
  objectShown,
  type ProfileRows,
  profileRows,
  profileShown,
} from './side-objects.ts';
import { placeOfNs } from './window.ts';

const LEFT_PX = 14;
const INSIDE = paint('neutral', 0.36, 0.42);
const OUTSIDE = paint('neutral', 0.16, 0.2);
const LETTERS_FROM_PX = 8;
const LETTER = { width: 11, ofRow: 0.8, least: 7, most: 11 };
/** The names of the value area stand behind the letters. */
const LETTERS_MARGIN = 40;
/** Of a period's width. */
const PERIOD_SHARE = 0.7;

export function paintSide(frame: Frame): void {
  const { shapes, layout, input } = frame;
  const { side } = layout;
  const right = layout.size.width - layout.plotWidth;
  shapes.clip({ x: layout.plotWidth, y: 0, width: right, height: layout.main.height });
  shapes.rect(paint('ground'), layout.plotWidth, 0, right, layout.main.height);
  if (side !== null && input.spec.side === 'tpo') paintLetters(frame, side.x, side.width);
  paintProfileSide(frame);
  shapes.unclip();
}

/** The session's volume by price, growing from the axis. */
export function paintProfileSide(frame: Frame): void {
  const { side } = frame.layout;
  const profile = side === null ? null : profileShown(frame);
  if (side === null || profile === null) return;
  paintProfile(frame, profile, side.x + side.width, LEFT_PX - side.width);
}

/** Profiles of periods stand on the chart, each where its period begins. */
export function paintPeriodProfiles(frame: Frame): void {
  const { bars } = frame.input.content;
  for (const layer of layersOf(frame.input, 'volume-profile')) {
    if (!isByPeriod(layer)) continue;
    for (const object of layer.objects.all) {
      const left = frame.x(Math.floor(placeOfNs(bars, object.ts)));
      if (left > frame.layout.plotWidth) break;
      const right = frame.x(placeOfNs(bars, BigInt(object.data.end)));
      if (right < 0) continue;
      paintProfile(frame, profileRows(layer, object), left, (right - left) * PERIOD_SHARE);
    }
  }
}

/** Bars from `x` on; a negative length grows to the left. */
function paintProfile(frame: Frame, profile: ProfileRows, x: number, length: number): void {
  const { shapes, layout } = frame;
  const { levels, group, maxVolume, poc, vah, val } = profile;
  const inside = shapes.rects(INSIDE);
  const outside = shapes.rects(OUTSIDE);
  const pocs = shapes.frames(paint('ink'), 1.25);
  const solid = shapes.rects(paint('ink'));
  const rowHeight = group * frame.window.tickHeight;
  const gap = rowHeight >= 3.5 ? 1 : 0;
  const bars = new PixelBars(x, length);
  for (let at = 0; at < levels.count; at += 1) {
    const price = levels.price[at]!;
    const top = Math.round(frame.y(price + group));
    const bottom = Math.round(frame.y(price));
    if (bottom < 0) break;
    if (top > layout.main.height) continue;
    const volume = levels.bid[at]! + levels.ask[at]! + levels.unknown[at]!;
    const share = volume / maxVolume;
    bars.add(price >= val && price <= vah ? inside : outside, top, bottom - top - gap, share);
    if (frame.marks !== null) markRow(frame, profile, at, x);
    if (price !== poc) continue;
    const height = Math.max(1, bottom - top - gap);
    const [left, width] = [Math.min(x, x + length * share), Math.abs(length * share)];
    if (height > 3) pocs.add4(left + 0.5, top + 0.5, width - 1, height - 1);
    else solid.add4(left, top, width, height);
  }
  bars.end();
}

function markRow(frame: Frame, profile: ProfileRows, at: number, x: number): void {
  const { levels, group, poc, id, key } = profile;
  const price = levels.price[at]!;
  const numbers = {
    price,
    bid: levels.bid[at]!,
    ask: levels.ask[at]!,
    unknown: levels.unknown[at]!,
  };
  const y = frame.priceY(price + (group - 1) / 2);
  frame.mark(key, price === poc ? 'poc-row' : 'row', id, numbers, x, y);
}

/** Rows lower than a pixel share one: the longest is seen, and none is painted twice. */
class PixelBars {
  readonly #x: number;
  readonly #length: number;
  #into: Numbers | null = null;
  #top = 0;
  #height = 0;
  #share = 0;

  constructor(x: number, length: number) {
    this.#x = x;
    this.#length = length;
  }

  /** From the lowest row on, so tops fall. */
  add(into: Numbers, top: number, height: number, share: number): void {
    if (this.#into !== null && top >= this.#top) {
      if (share > this.#share) [this.#share, this.#into] = [share, into];
      return;
    }
    this.end();
    this.#into = into;
    this.#top = top;
    this.#height = Math.max(1, height);
    this.#share = share;
  }

  end(): void {
    const width = Math.abs(this.#length * this.#share);
    const left = this.#length < 0 ? this.#x - width : this.#x;
    this.#into?.add4(left, this.#top, width, this.#height);
    this.#into = null;
  }
}

function paintLetters(frame: Frame, left: number, width: number): void {
  const layer = firstLayer(frame.input, 'tpo');
  const object = layer === null ? null : objectShown(frame, layer);
  if (layer === null || object === null) return;
  const { data } = object;
  const group = typeof layer.params.group === 'number' ? layer.params.group : 1;
  const step = Math.max(1, Math.ceil(2 / (group * frame.window.tickHeight)));
  const rows = step === 1 ? data.rows : joinedRows(data, group, step);
  paintLetterRows(frame, layer, object, rows, group * step, left, width);
}

/** Rows too low to be seen are joined: each letter once. */
function joinedRows({ rows }: TpoData, group: number, step: number): TpoData['rows'] {
  const joined = new Map<number, Set<string>>();
  for (const [price, letters] of rows) {
    const first = Math.floor(price / (group * step)) * group * step;
    const set = joined.get(first) ?? new Set();
    joined.set(first, set);
    for (const letter of letters) set.add(letter);
  }
  return [...joined].map(([price, letters]) => [price, [...letters].join('')] as const);
}

function paintLetterRows(
  frame: Frame,
  layer: Layer<'tpo'>,
  { id, data }: KeptObject<'tpo'>,
  rows: TpoData['rows'],
  group: number,
  left: number,
  width: number,
): void {
  const { shapes, layout } = frame;
  const { poc, vah, val } = data;
  const rowHeight = group * frame.window.tickHeight;
  const most = rows.reduce((longest, [, letters]) => Math.max(longest, letters.length), 1);
  const across = Math.min(LETTER.width, (width - LETTERS_MARGIN) / Math.max(9, most));
  const [atPoc, inside, outside] = [
    shapes.rects(paint('neutral', 0.5)),
    shapes.rects(paint('neutral', 0.24)),
    shapes.rects(paint('neutral', 0.1)),
  ];
  const size = Math.min(LETTER.most, Math.max(LETTER.least, rowHeight * LETTER.ofRow));
  const hasLetters = rowHeight >= LETTERS_FROM_PX && across >= 6;
  const ink = shapes.words(paint('ink'), size, 500, 'center', 'mono');
  const muted = shapes.words(paint('muted'), size, 500, 'center', 'mono');
  for (const [price, letters] of rows) {
    const top = Math.round(frame.y(price + group));
    const height = Math.max(1, Math.round(frame.y(price)) - top - (rowHeight >= 3.5 ? 1 : 0));
    if (top > layout.main.height || top + height < 0) continue;
    const isPoc = poc >= price && poc < price + group;
    const isInside = price + group > val && price <= vah;
    const cells = isPoc ? atPoc : isInside ? inside : outside;
    for (let at = 0; at < letters.length; at += 1) {
      const x = left + 8 + at * across;
      cells.add4(x, top, Math.max(1, across - 1), height);
      if (!hasLetters) continue;
      const words = isPoc || isInside ? ink : muted;
      write(words, x + across / 2 - 0.5, top + height / 2 + 0.5, letters[at]!);
    }
    const numbers = { price, count: letters.length };
    frame.mark(layer.key, 'letters', id, numbers, left, top, [letters]);
  }
}
