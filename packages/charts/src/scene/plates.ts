/** Names on plates of the chart's ground, pushed apart so that none lies on another. */

import type { Align, Dye } from './batch.ts';
import type { Frame } from './frame.ts';
import { paint } from './shapes.ts';
import { textWidth } from './text-width.ts';

const PLATE_HEIGHT = 18;
const PLATE_ALPHA = 0.9;
const PADDING = 5;
const ROUNDS = 8;

interface PlateStyle {
  readonly align: Align;
  readonly dye: Dye;
  readonly size: number;
  readonly weight: number;
}

export function plateWidth(
  frame: Frame,
  text: string,
  { size, weight }: Pick<PlateStyle, 'size' | 'weight'>,
): number {
  return Math.ceil(textWidth(text, frame.text(size), weight)) + 2 * PADDING;
}

export function plateHeight(frame: Frame, { size }: PlateStyle): number {
  return Math.max(PLATE_HEIGHT, Math.round(frame.text(size) * 1.5));
}

/** `x`: its left edge, middle or right edge. */
export function plate(frame: Frame, x: number, y: number, text: string, style: PlateStyle): void {
  const width = plateWidth(frame, text, style);
  const left = style.align === 'left' ? x : style.align === 'right' ? x - width : x - width / 2;
  const height = plateHeight(frame, style);
  const { shapes } = frame;
  shapes.rect(paint('ground', PLATE_ALPHA), left, y - height / 2, width, height, 4);
  const size = frame.text(style.size);
  shapes.word(paint(style.dye), size, style.weight, 'left', left + PADDING, y + 0.5, text);
}

/** Moves heights apart to at least `distance`, around where they were but between the edges; sorts them. */
export function pushApart(
  names: { y: number }[],
  distance: number,
  edges: { readonly top: number; readonly bottom: number },
): void {
  names.sort((a, b) => a.y - b.y);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let at = 1; at < names.length; at += 1) {
      const [upper, lower] = [names[at - 1]!, names[at]!];
      const missing = distance - (lower.y - upper.y);
      if (missing <= 0) continue;
      upper.y -= missing / 2;
      lower.y += missing / 2;
    }
  }
  let least = edges.top;
  for (const name of names) {
    name.y = Math.max(name.y, least);
    least = name.y + distance;
  }
  let most = edges.bottom;
  for (const name of names.toReversed()) {
    name.y = Math.min(name.y, most);
    most = name.y - distance;
  }
}
