/**
 * A footprint chart on a canvas, in the theme's colours and at device resolution. The caller triggers each draw. Cells
 * that have just traded glow for a moment; nothing else animates.
 */

import {
  type DevicePixels,
  fitCanvas,
  type Palette,
  paintCanvas,
  readPalette,
} from './canvas-painter.ts';
import { CellGlow } from './cell-glow.ts';
import { chartGeometry, PriceFollower } from './chart-geometry.ts';
import type { ChartModel } from './chart-model.ts';
import { chartScene } from './chart-scene.ts';

export interface FootprintCanvasOptions {
  readonly canvas: HTMLCanvasElement;
  readonly priceText: (ticks: number) => string;
}

export class FootprintCanvas {
  readonly #options: FootprintCanvasOptions;
  readonly #follower = new PriceFollower();
  readonly #glow = new CellGlow();
  #palette: Palette | null = null;
  #pixels: DevicePixels | null = null;

  constructor(options: FootprintCanvasOptions) {
    this.#options = options;
  }

  /** True while cells glow: the next draw will differ. */
  get isGlowing(): boolean {
    return this.#glow.isGlowing;
  }

  recolour(): void {
    this.#palette = null;
  }

  resize({ devicePixelContentBoxSize }: ResizeObserverEntry): void {
    const [size] = devicePixelContentBoxSize ?? [];
    this.#pixels = size === undefined ? null : { across: size.inlineSize, down: size.blockSize };
  }

  draw(model: ChartModel, nowMs: number): void {
    const { canvas, priceText } = this.#options;
    const fitted = fitCanvas(canvas, pixelsOf(canvas, this.#pixels));
    if (fitted === null) return;
    const { width, height } = fitted;
    this.#palette ??= readPalette(canvas.parentElement ?? document.body);
    this.#glow.note(model.bars.at(-1) ?? null, nowMs);
    const geometry = chartGeometry({ width, height });
    const middleRow = this.#follower.next(geometry, model);
    const glow = (row: number, side: -1 | 1) => this.#glow.of(row, side);
    const scene = chartScene({ geometry, model, middleRow, priceText, glow });
    paintCanvas(fitted, scene, this.#palette);
  }
}

/** Some browsers report no device pixels, and one that emulates another screen reports its own. */
function pixelsOf(canvas: HTMLCanvasElement, told: DevicePixels | null): DevicePixels {
  const ratio = Math.max(1, devicePixelRatio);
  const across = Math.round(canvas.clientWidth * ratio);
  const down = Math.round(canvas.clientHeight * ratio);
  const isNear =
    told !== null && Math.abs(told.across - across) <= ratio && Math.abs(told.down - down) <= ratio;
  return isNear ? told : { across, down };
}
