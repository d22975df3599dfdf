/** The letters of a session at the side: one for each half hour in which a price was traded. */

import type { TpoData } from '@tapeloom/protocol/indicators';
import type { KeptObject } from '../series/object-series.ts';
import type { Frame } from './frame.ts';
import { firstLayer, type Layer } from './layer-objects.ts';
import { paint, write } from './shapes.ts';
import { objectShown } from './side-objects.ts';

const LETTERS_FROM_PX = 8;
const LETTER = { width: 11, ofRow: 0.8, least: 7, most: 11 };
/** The names of the value area stand behind the letters. */
const LETTERS_MARGIN = 40;

export function paintLetters(frame: Frame, left: number, width: number): void {
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
