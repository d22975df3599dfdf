/**
 * The input of the painters: batches of shapes that are painted alike, in order from back to front. A scene decides all
 * positions; a painter only fills, strokes and writes. Coordinates are CSS pixels from the chart's top left corner.
 */

/** Two dyes and ink, with the page's colour tokens. `ground` is the chart's background; `on-…` is readable on a fill. */
export const DYE_TOKENS = {
  ask: 'ask',
  bid: 'bid',
  'on-ask': 'on-ask',
  'on-bid': 'on-bid',
  ink: 'ink',
  'on-ink': 'on-ink',
  muted: 'muted',
  faint: 'faint',
  page: 'bg',
  sunken: 'sunken',
  ground: 'chart-bg',
  grid: 'chart-grid',
  axis: 'chart-axis',
  neutral: 'chart-neutral',
  line: 'line',
  'line-strong': 'line-strong',
  accent: 'accent',
  'accent-soft': 'accent-soft',
  'on-accent': 'on-accent',
} as const;
export type Dye = keyof typeof DYE_TOKENS;

/** A dye with its opacity in the light and in the dark theme, since tones differ between them. */
export interface Paint {
  readonly dye: Dye;
  readonly alpha: number;
  readonly darkAlpha: number;
}

export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export type Align = 'left' | 'center' | 'right';

/** Numbers that grow without an allocation for each; kept from frame to frame by a `ShapePool`. */
export class Numbers {
  values = new Float64Array(64);
  count = 0;

  add(value: number): void {
    if (this.count === this.values.length) this.#grow();
    this.values[this.count] = value;
    this.count += 1;
  }

  add2(a: number, b: number): void {
    if (this.count + 2 > this.values.length) this.#grow();
    const { values, count } = this;
    values[count] = a;
    values[count + 1] = b;
    this.count = count + 2;
  }

  add3(a: number, b: number, c: number): void {
    this.add2(a, b);
    this.add(c);
  }

  add4(a: number, b: number, c: number, d: number): void {
    if (this.count + 4 > this.values.length) this.#grow();
    const { values, count } = this;
    values[count] = a;
    values[count + 1] = b;
    values[count + 2] = c;
    values[count + 3] = d;
    this.count = count + 4;
  }

  toArray(): number[] {
    return [...this.values.subarray(0, this.count)];
  }

  #grow(): void {
    const wider = new Float64Array(this.values.length * 2);
    wider.set(this.values);
    this.values = wider;
  }
}

/** Filled rectangles: left, top, width and height of each. */
export interface RectsBatch extends Paint {
  readonly kind: 'rects';
  readonly radius: number;
  readonly rects: Numbers;
}

/** Outlined rectangles. The rectangle is the middle of the stroke. */
export interface FramesBatch extends Paint {
  readonly kind: 'frames';
  readonly radius: number;
  readonly lineWidth: number;
  readonly rects: Numbers;
}

/** Open lines of points x, y. `ends` are the counts of `points` at which each line ends. */
export interface LinesBatch extends Paint {
  readonly kind: 'lines';
  readonly lineWidth: number;
  readonly dash: readonly number[];
  readonly points: Numbers;
  readonly ends: Numbers;
}

/** Filled polygons. */
export interface AreasBatch extends Paint {
  readonly kind: 'areas';
  readonly points: Numbers;
  readonly ends: Numbers;
}

/** Circles: centre and radius of each. Painted one by one, so that a later one covers an earlier one. */
export interface DiscsBatch extends Paint {
  readonly kind: 'discs';
  /** Opacity of the chart's ground below each disc; 0: none. */
  readonly groundAlpha: number;
  /** Of the rim in the full dye; 0: no rim. */
  readonly lineWidth: number;
  readonly discs: Numbers;
}

/** Texts: the middle of the line's height, and its left end, middle or right end. */
export interface WordsBatch extends Paint {
  readonly kind: 'words';
  readonly size: number;
  readonly weight: number;
  readonly align: Align;
  readonly family: 'figures' | 'mono';
  readonly places: Numbers;
  readonly texts: string[];
}

/** All batches up to the matching `unclip` are painted inside this rectangle only. */
interface ClipBatch {
  readonly kind: 'clip';
  readonly rect: Rect;
}

interface UnclipBatch {
  readonly kind: 'unclip';
}

export type ShapeBatch =
  | RectsBatch
  | FramesBatch
  | LinesBatch
  | AreasBatch
  | DiscsBatch
  | WordsBatch;
export type Batch = ShapeBatch | ClipBatch | UnclipBatch;
