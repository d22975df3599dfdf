/** Paints batches on a canvas, sharp at every pixel density, in the colours of the page's theme. */

import { type Batch, DYE_TOKENS, type Dye } from './chart-batch.ts';

const DISC_FILL = 0.3;
const DISC_GROUND = 0.82;

export interface Palette {
  readonly colours: Readonly<Record<Dye, string>>;
  /** The tone of no volume, and what the largest volume adds to it. */
  readonly toneFrom: number;
  readonly toneSpan: number;
  readonly font: string;
}

export function readPalette(element: HTMLElement): Palette {
  const probe = document.createElement('span');
  element.append(probe);
  const style = getComputedStyle(probe);
  const colours = Object.fromEntries(
    Object.entries(DYE_TOKENS).map(([dye, token]) => {
      // Set through CSSOM, which a policy without inline styles allows; the browser resolves the theme.
      probe.style.color = `var(--${token})`;
      return [dye, style.color];
    }),
  ) as Record<Dye, string>;
  const number = (name: string) => Number(style.getPropertyValue(name));
  const [toneFrom, toneSpan] = [number('--tone-from'), number('--tone-span')];
  const font = style.fontFamily;
  probe.remove();
  return { colours, toneFrom, toneSpan, font };
}

/** The device pixels that a canvas covers, as the browser snapped them. */
export interface DevicePixels {
  readonly across: number;
  readonly down: number;
}

export interface FittedCanvas {
  readonly context: CanvasRenderingContext2D;
  /** Whole CSS pixels to draw in, anchored at the right and the bottom of the canvas. */
  readonly width: number;
  readonly height: number;
}

/** Matches the canvas to the device pixels; null if it has no size. */
export function fitCanvas(canvas: HTMLCanvasElement, pixels: DevicePixels): FittedCanvas | null {
  const { across, down } = pixels;
  const ratio = Math.max(1, devicePixelRatio);
  const [width, height] = [Math.floor(across / ratio), Math.floor(down / ratio)];
  if (width === 0 || height === 0) return null;
  if (canvas.width !== across || canvas.height !== down) {
    canvas.width = across;
    canvas.height = down;
  }
  const context = canvas.getContext('2d', { alpha: false });
  if (context === null) return null;
  context.setTransform(1, 0, 0, 1, 0, 0);
  return { context, width, height };
}

/** The remainder of the division into whole pixels is at the left and the top. */
function anchorRight({ context, width, height }: FittedCanvas): void {
  const { canvas } = context;
  const ratio = Math.max(1, devicePixelRatio);
  const [left, top] = [canvas.width - width * ratio, canvas.height - height * ratio];
  context.setTransform(ratio, 0, 0, ratio, left, top);
}

export function paintCanvas(
  fitted: FittedCanvas,
  batches: readonly Batch[],
  palette: Palette,
): void {
  const { context } = fitted;
  context.fillStyle = palette.colours.ground;
  context.fillRect(0, 0, context.canvas.width, context.canvas.height);
  anchorRight(fitted);
  context.textBaseline = 'middle';
  context.lineJoin = 'round';
  for (const batch of batches) {
    context.globalAlpha = 1;
    context.fillStyle = palette.colours[batch.dye];
    context.strokeStyle = palette.colours[batch.dye];
    paint(context, batch, palette);
  }
  context.globalAlpha = 1;
}

function paint(context: CanvasRenderingContext2D, batch: Batch, palette: Palette): void {
  switch (batch.kind) {
    case 'cells':
      context.globalAlpha = alphaOf(batch, palette);
      rectPath(context, batch.rects, batch.radius);
      context.fill();
      return;
    case 'outlines':
      context.lineWidth = batch.lineWidth;
      rectPath(context, batch.rects, batch.radius);
      context.stroke();
      return;
    case 'lines':
      context.globalAlpha = batch.alpha;
      context.lineWidth = batch.lineWidth;
      context.setLineDash([...batch.dash]);
      linePath(context, batch.lines);
      context.stroke();
      context.setLineDash([]);
      return;
    case 'shapes':
      context.globalAlpha = alphaOf(batch, palette);
      linePath(context, batch.shapes);
      context.fill();
      return;
    case 'discs':
      paintDiscs(context, batch.discs, palette);
      return;
    case 'words':
      context.font = `${batch.weight} ${batch.size}px ${palette.font}`;
      context.textAlign = batch.align;
      for (const [x, y, text] of batch.words) context.fillText(text, x, y);
      return;
    default:
      batch satisfies never;
  }
}

/** A disc stays pale enough to read a number on any background. */
function paintDiscs(
  context: CanvasRenderingContext2D,
  discs: readonly number[],
  { colours }: Palette,
): void {
  const dye = context.fillStyle;
  context.lineWidth = 1.5;
  for (let i = 0; i < discs.length; i += 3) {
    context.beginPath();
    context.arc(discs[i]!, discs[i + 1]!, discs[i + 2]!, 0, Math.PI * 2);
    context.fillStyle = colours.ground;
    context.globalAlpha = DISC_GROUND;
    context.fill();
    context.fillStyle = dye;
    context.globalAlpha = DISC_FILL;
    context.fill();
    context.globalAlpha = 1;
    context.stroke();
  }
}

function alphaOf(
  strength: { readonly heat: number } | { readonly alpha: number },
  { toneFrom, toneSpan }: Palette,
): number {
  return 'heat' in strength ? toneFrom + toneSpan * strength.heat : strength.alpha;
}

function rectPath(context: CanvasRenderingContext2D, rects: readonly number[], radius: number) {
  context.beginPath();
  for (let i = 0; i < rects.length; i += 4) {
    const [x, y, width, height] = [rects[i]!, rects[i + 1]!, rects[i + 2]!, rects[i + 3]!];
    if (radius === 0) context.rect(x, y, width, height);
    else context.roundRect(x, y, width, height, radius);
  }
}

function linePath(context: CanvasRenderingContext2D, lines: readonly (readonly number[])[]): void {
  context.beginPath();
  for (const line of lines) {
    context.moveTo(line[0]!, line[1]!);
    for (let i = 2; i < line.length; i += 2) context.lineTo(line[i]!, line[i + 1]!);
  }
}
