/** Where a card covers the fewest bars: it must not hide what one compares. */

import type { Column } from '../series/chart-bar.ts';
import type { ChartScene } from './scene-types.ts';
import { xOf, yOf } from './window.ts';

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface GroundRequest {
  readonly width: number;
  readonly height: number;
  /** The plot that the card stays in. */
  readonly plot: { readonly width: number; readonly height: number };
  /** What it should not cover. */
  readonly boxes: readonly Box[];
  /** Where it would best be. */
  readonly near: { readonly x: number; readonly y: number };
  /** Left edges to try; those outside the plot are left out. */
  readonly xs: readonly number[];
}

const EDGE_PX = 6;
const STEP_PX = 14;
/** Pixels of a bar's area that one pixel of distance is worth, per pixel of the card's side. */
const FAR_COST = 0.055;
const AIR_PX = 6;

/** The best top left corner; a corner of the plot if the card fits nowhere. */
export function emptyGround(request: GroundRequest): { readonly x: number; readonly y: number } {
  const { width, height, plot, near, xs } = request;
  let best = { x: EDGE_PX, y: EDGE_PX };
  let least = Number.POSITIVE_INFINITY;
  for (const x of xs) {
    if (x < EDGE_PX || x + width > plot.width - EDGE_PX) continue;
    const beside = request.boxes.filter((box) => x < box.x + box.width && x + width > box.x);
    for (let y = EDGE_PX; y <= Math.max(EDGE_PX, plot.height - height - EDGE_PX); y += STEP_PX) {
      const far =
        (Math.abs(y + height / 2 - near.y) * width + Math.abs(x + width / 2 - near.x) * height) *
        FAR_COST;
      const cost = far + covered({ x, y, width, height }, beside);
      if (cost >= least) continue;
      least = cost;
      best = { x, y };
    }
  }
  return best;
}

/** Where bars are on screen. */
export function barBoxes(
  { window, layout, shown }: Pick<ChartScene, 'window' | 'layout' | 'shown'>,
  columns: readonly Column[],
): Box[] {
  const boxes: Box[] = [];
  for (let at = shown[0]; at < shown[1]; at += 1) {
    const bar = columns[at];
    if (bar === undefined || bar.kind === 'gap') continue;
    const y = yOf(window, layout, bar.high + 1);
    const height = yOf(window, layout, bar.low) - y;
    boxes.push({ x: xOf(window, layout, at), y, width: window.columnWidth, height });
  }
  return boxes;
}

function covered(card: Box, boxes: readonly Box[]): number {
  let area = 0;
  for (const box of boxes) {
    const width = Math.min(card.x + card.width, box.x + box.width) - Math.max(card.x, box.x);
    const bottom = Math.min(card.y + card.height + AIR_PX, box.y + box.height);
    const height = bottom - Math.max(card.y - AIR_PX, box.y);
    if (width > 0 && height > 0) area += width * height;
  }
  return area;
}
