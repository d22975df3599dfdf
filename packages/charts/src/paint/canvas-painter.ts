/**
 * Paints batches on a canvas, sharp at every pixel density: at a fraction such as 1.25 edges are moved to whole device
 * pixels.
 */

import type {
  Batch,
  DiscsBatch,
  FramesBatch,
  LinesBatch,
  Numbers,
  Paint,
  RectsBatch,
  WordsBatch,
} from '../scene/batch.ts';
import type { Colours } from './colours.ts';

/** The part of a canvas's context that is painted with. */
export type PaintContext = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

/** Paints from the canvas's top left corner. The caller clears it where batches leave it open. */
export function paintCanvas(
  context: PaintContext,
  batches: readonly Batch[],
  colours: Colours,
  pixelRatio: number,
): void {
  context.save();
  context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
  context.textBaseline = 'middle';
  context.lineJoin = 'round';
  for (const batch of batches) paint(context, batch, colours, pixelRatio);
  context.restore();
}

function paint(context: PaintContext, batch: Batch, colours: Colours, pixelRatio: number): void {
  switch (batch.kind) {
    case 'rects':
      paintRects(context, batch, colours, pixelRatio);
      return;
    case 'frames':
      paintFrames(context, batch, colours);
      return;
    case 'lines':
      paintLines(context, batch, colours);
      return;
    case 'areas':
      if (batch.ends.count === 0) return;
      context.fillStyle = colourOf(batch, colours);
      trace(context, batch.points, batch.ends);
      context.fill();
      return;
    case 'discs':
      paintDiscs(context, batch, colours);
      return;
    case 'words':
      paintWords(context, batch, colours);
      return;
    case 'clip':
      context.save();
      context.beginPath();
      context.rect(batch.rect.x, batch.rect.y, batch.rect.width, batch.rect.height);
      context.clip();
      return;
    case 'unclip':
      context.restore();
      return;
    default:
      batch satisfies never;
  }
}

function paintRects(
  context: PaintContext,
  batch: RectsBatch,
  colours: Colours,
  pixelRatio: number,
): void {
  const { values, count } = batch.rects;
  if (count === 0 || alphaOf(batch, colours) === 0) return;
  context.fillStyle = colourOf(batch, colours);
  if (batch.radius > 0) {
    roundRects(context, batch.rects, batch.radius);
    context.fill();
  } else if (Number.isInteger(pixelRatio)) {
    for (let at = 0; at < count; at += 4) {
      context.fillRect(values[at]!, values[at + 1]!, values[at + 2]!, values[at + 3]!);
    }
  } else snapRects(context, batch.rects, pixelRatio);
}

/** In whole device pixels; nothing is thinner than one. */
function snapRects(context: PaintContext, { values, count }: Numbers, pixelRatio: number): void {
  context.setTransform(1, 0, 0, 1, 0, 0);
  for (let at = 0; at < count; at += 4) {
    const [x, y] = [values[at]! * pixelRatio, values[at + 1]! * pixelRatio];
    const [left, top] = [Math.round(x), Math.round(y)];
    const right = Math.round(x + values[at + 2]! * pixelRatio);
    const bottom = Math.round(y + values[at + 3]! * pixelRatio);
    context.fillRect(left, top, Math.max(1, right - left), Math.max(1, bottom - top));
  }
  context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
}

function paintFrames(context: PaintContext, batch: FramesBatch, colours: Colours): void {
  const { values, count } = batch.rects;
  if (count === 0) return;
  context.strokeStyle = colourOf(batch, colours);
  context.lineWidth = batch.lineWidth;
  if (batch.radius > 0) {
    roundRects(context, batch.rects, batch.radius);
    context.stroke();
    return;
  }
  for (let at = 0; at < count; at += 4) {
    context.strokeRect(values[at]!, values[at + 1]!, values[at + 2]!, values[at + 3]!);
  }
}

function paintLines(context: PaintContext, batch: LinesBatch, colours: Colours): void {
  if (batch.ends.count === 0) return;
  context.strokeStyle = colourOf(batch, colours);
  context.lineWidth = batch.lineWidth;
  context.setLineDash(batch.dash as number[]);
  trace(context, batch.points, batch.ends);
  context.stroke();
  if (batch.dash.length > 0) context.setLineDash([]);
}

function paintDiscs(context: PaintContext, batch: DiscsBatch, colours: Colours): void {
  const { values, count } = batch.discs;
  if (count === 0) return;
  const { dye, groundAlpha, lineWidth } = batch;
  const rim = colourOf({ dye, alpha: 1, darkAlpha: 1 }, colours);
  const ground = colourOf({ dye: 'ground', alpha: groundAlpha, darkAlpha: groundAlpha }, colours);
  const fill = alphaOf(batch, colours) === 0 ? null : colourOf(batch, colours);
  context.strokeStyle = rim;
  context.lineWidth = lineWidth;
  for (let at = 0; at < count; at += 3) {
    context.beginPath();
    context.arc(values[at]!, values[at + 1]!, values[at + 2]!, 0, Math.PI * 2);
    if (groundAlpha > 0) {
      context.fillStyle = ground;
      context.fill();
    }
    if (fill !== null) {
      context.fillStyle = fill;
      context.fill();
    }
    if (lineWidth > 0) context.stroke();
  }
}

function paintWords(context: PaintContext, batch: WordsBatch, colours: Colours): void {
  const { places, texts, size, weight, family } = batch;
  if (texts.length === 0) return;
  context.fillStyle = colourOf(batch, colours);
  context.font = `${weight} ${size}px ${family === 'mono' ? colours.mono : colours.figures}`;
  context.textAlign = batch.align;
  const { values } = places;
  for (let at = 0; at < texts.length; at += 1) {
    context.fillText(texts[at]!, values[at * 2]!, values[at * 2 + 1]!);
  }
}

function roundRects(context: PaintContext, { values, count }: Numbers, radius: number): void {
  context.beginPath();
  for (let at = 0; at < count; at += 4) {
    context.roundRect(values[at]!, values[at + 1]!, values[at + 2]!, values[at + 3]!, radius);
  }
}

function trace(context: PaintContext, { values }: Numbers, ends: Numbers): void {
  context.beginPath();
  let at = 0;
  for (let line = 0; line < ends.count; line += 1) {
    const end = ends.values[line]!;
    context.moveTo(values[at]!, values[at + 1]!);
    for (at += 2; at < end; at += 2) context.lineTo(values[at]!, values[at + 1]!);
  }
}

function alphaOf({ alpha, darkAlpha }: Paint, { isDark }: Colours): number {
  return isDark ? darkAlpha : alpha;
}

function colourOf(ink: Paint, colours: Colours): string {
  const [red, green, blue] = colours.dyes[ink.dye];
  const alpha = alphaOf(ink, colours);
  return alpha === 1
    ? `rgb(${red} ${green} ${blue})`
    : `rgb(${red} ${green} ${blue} / ${Math.round(alpha * 1000) / 1000})`;
}
