/** Paints batches on a canvas, sharp at every pixel density. */

import type { Batch } from '../scene/batch.ts';
import type { Colours } from './colours.ts';

/** The part of a canvas's context that is painted with. */
export type PaintContext = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

/** Paints from the canvas's top left corner. The caller clears it where batches leave it open. */
export function paintCanvas(
  _context: PaintContext,
  _batches: readonly Batch[],
  _colours: Colours,
  _pixelRatio: number,
): void {}
