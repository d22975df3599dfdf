/**
 * Beside the price axis: the session's volume by price, neutral, growing from the axis, or its letters. Rows keep the
 * profile's own group, so zooming does not move its point of control.
 */

import type { Numbers } from './batch.ts';
import type { Frame } from './frame.ts';
import { plateWidth } from './plates.ts';
import { paint } from './shapes.ts';
import { PROFILE_NAME, type ProfileRows, profileShown } from './side-objects.ts';

/** Left of the longest bar, so that the point of control's name hides nothing of its row. */
const NAME_AIR_PX = 4;
const INSIDE = paint('neutral', 0.36, 0.42);
const OUTSIDE = paint('neutral', 0.16, 0.2);

export function paintSide(frame: Frame): void {
  const { shapes, layout, input } = frame;
  const { side } = layout;
  const right = layout.size.width - layout.plotWidth;
  shapes.clip({ x: layout.plotWidth, y: 0, width: right, height: layout.main.height });
  shapes.rect(paint('ground'), layout.plotWidth, 0, right, layout.main.height);
  if (side !== null && input.spec.side === 'tpo')
    frame.parts.objects?.paintLetters(frame, side.x, side.width);
  paintProfileSide(frame);
  shapes.unclip();
}

/** The session's volume by price, growing from the axis. */
export function paintProfileSide(frame: Frame): void {
  const { side } = frame.layout;
  const profile = side === null ? null : profileShown(frame);
  if (side === null || profile === null) return;
  const name = PROFILE_NAME.inset + plateWidth(frame, 'POC', PROFILE_NAME) + NAME_AIR_PX;
  const names = Math.min(side.width / 2, name);
  paintProfile(frame, profile, side.x + side.width, names - side.width);
}

/** Bars from `x` on; a negative length grows to the left. */
export function paintProfile(frame: Frame, profile: ProfileRows, x: number, length: number): void {
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
