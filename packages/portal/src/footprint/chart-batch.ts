/**
 * The input of a chart's painters: batches of shapes with a common dye, in order. A painter fills, strokes and writes.
 */

import type { ChartGeometry } from './chart-geometry.ts';
import type { ChartBar, ChartModel } from './chart-model.ts';

/** The number of tones: few batches, and finer steps would be invisible. */
export const TONES = 16;

/**
 * Two dyes and ink, with the page's colour tokens. `ground` is the chart's background; `on-…` is readable on a fill.
 */
export const DYE_TOKENS = {
  ask: 'ask',
  bid: 'bid',
  'on-ask': 'on-ask',
  'on-bid': 'on-bid',
  ink: 'ink',
  'on-ink': 'on-ink',
  muted: 'muted',
  axis: 'chart-axis',
  neutral: 'chart-neutral',
  grid: 'chart-grid',
  line: 'line',
  ground: 'chart-bg',
} as const;
export type Dye = keyof typeof DYE_TOKENS;

/** `heat` is a tone between the theme's faintest and strongest; `alpha` is the same in every theme. */
type Strength = { readonly heat: number } | { readonly alpha: number };

export type Batch =
  | ({
      readonly kind: 'cells';
      readonly dye: Dye;
      readonly radius: number;
      /** Left, top, width and height of each. */
      readonly rects: number[];
    } & Strength)
  | {
      readonly kind: 'outlines';
      readonly dye: Dye;
      readonly lineWidth: number;
      readonly radius: number;
      readonly rects: number[];
    }
  | {
      readonly kind: 'lines';
      readonly dye: Dye;
      readonly alpha: number;
      readonly lineWidth: number;
      readonly dash: readonly number[];
      /** The points of each line, alternating x and y. */
      readonly lines: (readonly number[])[];
    }
  | ({
      readonly kind: 'shapes';
      readonly dye: Dye;
      readonly shapes: (readonly number[])[];
    } & Strength)
  | {
      readonly kind: 'discs';
      readonly dye: Dye;
      /** Centre and radius of each. */
      readonly discs: number[];
    }
  | {
      readonly kind: 'words';
      readonly dye: Dye;
      readonly size: number;
      readonly weight: number;
      readonly align: 'left' | 'center' | 'right';
      readonly words: (readonly [x: number, y: number, text: string])[];
    };

export interface ScenePicture {
  readonly geometry: ChartGeometry;
  readonly model: ChartModel;
  readonly middleRow: number;
  readonly priceText: (ticks: number) => string;
  /** The glow of a half cell of the forming bar, 0 to 1, by row and side. */
  readonly glow: (row: number, side: -1 | 1) => number;
}

/** A bar with its position. */
export interface PlacedBar {
  readonly bar: ChartBar;
  /** The left edge of its ladder. */
  readonly left: number;
}

/** Groups shapes that are painted alike. */
export class Tones {
  readonly #batches = new Map<string, Extract<Batch, { kind: 'cells' }>>();

  add(dye: Dye, heat: number, rect: readonly [number, number, number, number]): void {
    const step = Math.min(TONES, Math.round(heat * TONES));
    const key = `${dye} ${step}`;
    const known = this.#batches.get(key);
    const batch = known ?? { kind: 'cells', dye, radius: 2, rects: [], heat: step / TONES };
    if (known === undefined) this.#batches.set(key, batch);
    batch.rects.push(...rect);
  }

  get all(): Batch[] {
    return [...this.#batches.values()];
  }
}

export function cells(dye: Dye, alpha = 1): Extract<Batch, { kind: 'cells' }> & { alpha: number } {
  return { kind: 'cells', dye, alpha, radius: 0, rects: [] };
}

export function lines(
  dye: Dye,
  alpha: number,
  lineWidth: number,
  dash: readonly number[] = [],
): Extract<Batch, { kind: 'lines' }> {
  return { kind: 'lines', dye, alpha, lineWidth, dash, lines: [] };
}

export function words(
  dye: Dye,
  size: number,
  weight: number,
  align: 'left' | 'center' | 'right',
): Extract<Batch, { kind: 'words' }> {
  return { kind: 'words', dye, size, weight, align, words: [] };
}

/** 1,234 */
export function countText(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** With a true minus. */
export function signedText(count: number): string {
  return `${count < 0 ? '−' : '+'}${countText(Math.abs(count))}`;
}
