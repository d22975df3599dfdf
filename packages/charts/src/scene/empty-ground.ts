/** Where a card covers the fewest bars near a point: it must not hide what a reader compares. */

import type { Frame } from './frame.ts';

const EDGE = 6;
const STEP = 14;
/** What a pixel of distance costs, in covered pixels per pixel of the card. */
const PER_PX = { down: 0.055, across: 0.05 };
const AIR = 6;

/** The top left corner, at one of the left edges `xs`. */
export function emptyGround(
  frame: Frame,
  width: number,
  height: number,
  near: { readonly x: number; readonly y: number },
  xs: readonly number[],
): readonly [x: number, y: number] {
  const { layout } = frame;
  const { plotWidth, main } = layout;
  let best = Number.POSITIVE_INFINITY;
  let place: readonly [number, number] = [
    Math.max(EDGE, Math.min(near.x, plotWidth - width - EDGE)),
    Math.max(EDGE, Math.min(near.y - height / 2, main.height - height - EDGE)),
  ];
  for (const x of xs) {
    if (x < EDGE || x + width > plotWidth - EDGE) continue;
    for (let y = EDGE; y <= main.height - height - EDGE; y += STEP) {
      const far =
        Math.abs(y + height / 2 - near.y) * width * PER_PX.down +
        Math.abs(x + width / 2 - near.x) * height * PER_PX.across;
      if (far >= best) continue;
      const cost = far + coveredArea(frame, x, y, width, height);
      if (cost < best) [best, place] = [cost, [x, y]];
    }
  }
  return place;
}

function coveredArea(frame: Frame, x: number, y: number, width: number, height: number): number {
  const { columns, window, from, to } = frame;
  const begin = Math.max(from, Math.floor((x - frame.x(0)) / window.columnWidth));
  const end = Math.min(to, Math.ceil((x + width - frame.x(0)) / window.columnWidth));
  let area = 0;
  for (let at = begin; at < end; at += 1) {
    const bar = columns[at]!;
    if (bar.kind === 'gap') continue;
    const left = frame.x(at);
    const across = Math.min(x + width, left + window.columnWidth) - Math.max(x, left);
    const down =
      Math.min(y + height + AIR, frame.y(bar.low)) - Math.max(y - AIR, frame.y(bar.high + 1));
    if (across > 0 && down > 0) area += across * down;
  }
  return area;
}
