/**
 * A footprint on a canvas, in the theme's colours and at device resolution. The caller triggers each draw. Cells that
 * have just traded glow for a moment; nothing else animates.
 */

import { paintCanvas } from '@tapeloom/charts/paint/canvas-painter';
import { type Colours, readColours } from '@tapeloom/charts/paint/colours';
import { FIGURES_FACE } from '@tapeloom/charts/paint/theme-tokens';
import { type FootprintForm, RowFollower } from '@tapeloom/charts/scene/footprint-layout';
import { ShapePool } from '@tapeloom/charts/scene/shapes';
import { CellGlow } from '@tapeloom/charts/view/cell-glow';
import { type Footprint, footprintPicture } from './footprint-picture.ts';

/** In device pixels. */
interface Pixels {
  readonly across: number;
  readonly down: number;
}

export class FootprintCanvas {
  readonly #canvas: HTMLCanvasElement;
  readonly #formOf: (size: { readonly width: number; readonly height: number }) => FootprintForm;
  readonly #pool = new ShapePool();
  readonly #rows = new RowFollower();
  readonly #glow = new CellGlow();
  #colours: Colours | null = null;
  #pixels: Pixels | null = null;

  constructor(
    canvas: HTMLCanvasElement,
    formOf: (size: { readonly width: number; readonly height: number }) => FootprintForm,
  ) {
    this.#canvas = canvas;
    this.#formOf = formOf;
  }

  /** True while cells glow: the next draw will differ. */
  get isGlowing(): boolean {
    return this.#glow.isActive;
  }

  recolour(): void {
    this.#colours = null;
  }

  resize({ devicePixelContentBoxSize }: ResizeObserverEntry): void {
    const [size] = devicePixelContentBoxSize ?? [];
    this.#pixels = size === undefined ? null : { across: size.inlineSize, down: size.blockSize };
  }

  draw(footprint: Footprint, nowMs: number): void {
    const canvas = this.#canvas;
    const ratio = Math.max(1, devicePixelRatio);
    const { across, down } = pixelsOf(canvas, this.#pixels, ratio);
    if (across === 0 || down === 0) return;
    if (canvas.width !== across || canvas.height !== down) {
      canvas.width = across;
      canvas.height = down;
    }
    const context = canvas.getContext('2d', { alpha: false });
    if (context === null) return;
    this.#colours ??= readColours(canvas.parentElement ?? document.body);
    this.#glow.step(nowMs);
    this.#glow.take(footprint.content.bars.last, nowMs);
    const size = { width: across / ratio, height: down / ratio };
    const { batches } = footprintPicture(footprint, {
      size,
      form: this.#formOf(size),
      rows: this.#rows,
      glow: (ticks, side) => this.#glow.strength(ticks, side, nowMs),
      pool: this.#pool,
    });
    paintCanvas(context, batches, this.#colours, ratio);
  }
}

/** Resolves once a canvas can write figures: no browser loads a canvas's font before the first draw. Never rejects. */
export async function figuresLoaded(): Promise<void> {
  try {
    await document.fonts.load(`12px ${FIGURES_FACE}`);
  } catch {
    // The page's own font has figures too, of unequal width.
  }
}

/** Some browsers report no device pixels, and one that emulates another screen reports its own. */
function pixelsOf(canvas: HTMLCanvasElement, told: Pixels | null, ratio: number): Pixels {
  const across = Math.round(canvas.clientWidth * ratio);
  const down = Math.round(canvas.clientHeight * ratio);
  const isNear =
    told !== null && Math.abs(told.across - across) <= ratio && Math.abs(told.down - down) <= ratio;
  return isNear ? told : { across, down };
}
