/** Opens batches in painting order and keeps their memory from frame to frame. */

import {
  type Align,
  type AreasBatch,
  type Batch,
  type Dye,
  type LinesBatch,
  Numbers,
  type Paint,
  type Rect,
  type WordsBatch,
} from './batch.ts';

/** The memory of one chart's batches. With it, the batches of a scene are valid until the chart's next scene. */
export class ShapePool {
  readonly #numbers: Numbers[] = [];
  #used = 0;

  restart(): void {
    this.#used = 0;
  }

  numbers(): Numbers {
    const numbers = this.#numbers[this.#used] ?? new Numbers();
    this.#numbers[this.#used] = numbers;
    this.#used += 1;
    numbers.count = 0;
    return numbers;
  }
}

export function paint(dye: Dye, alpha = 1, darkAlpha = alpha): Paint {
  return { dye, alpha, darkAlpha };
}

export class Shapes {
  readonly batches: Batch[] = [];
  readonly #pool: ShapePool;

  constructor(pool: ShapePool = new ShapePool()) {
    this.#pool = pool;
    pool.restart();
  }

  /** Numbers that become a batch later, in their place. */
  numbers(): Numbers {
    return this.#pool.numbers();
  }

  rects({ dye, alpha, darkAlpha }: Paint, radius = 0, rects = this.#pool.numbers()): Numbers {
    this.batches.push({ kind: 'rects', dye, alpha, darkAlpha, radius, rects });
    return rects;
  }

  rect(fill: Paint, x: number, y: number, width: number, height: number, radius = 0): void {
    if (width > 0 && height > 0) this.rects(fill, radius).add4(x, y, width, height);
  }

  frames({ dye, alpha, darkAlpha }: Paint, lineWidth = 1, radius = 0): Numbers {
    const rects = this.#pool.numbers();
    this.batches.push({ kind: 'frames', dye, alpha, darkAlpha, radius, lineWidth, rects });
    return rects;
  }

  lines({ dye, alpha, darkAlpha }: Paint, lineWidth = 1, dash: readonly number[] = []): LinesBatch {
    const [points, ends] = [this.#pool.numbers(), this.#pool.numbers()];
    const batch: LinesBatch = {
      kind: 'lines',
      ...{ dye, alpha, darkAlpha, lineWidth, dash, points, ends },
    };
    this.batches.push(batch);
    return batch;
  }

  areas({ dye, alpha, darkAlpha }: Paint): AreasBatch {
    const [points, ends] = [this.#pool.numbers(), this.#pool.numbers()];
    const batch: AreasBatch = { kind: 'areas', dye, alpha, darkAlpha, points, ends };
    this.batches.push(batch);
    return batch;
  }

  discs({ dye, alpha, darkAlpha }: Paint, groundAlpha: number, lineWidth: number): Numbers {
    const discs = this.#pool.numbers();
    this.batches.push({ kind: 'discs', dye, alpha, darkAlpha, groundAlpha, lineWidth, discs });
    return discs;
  }

  words(
    { dye, alpha, darkAlpha }: Paint,
    size: number,
    weight: number,
    align: Align = 'left',
    family: 'figures' | 'mono' = 'figures',
  ): WordsBatch {
    const places = this.#pool.numbers();
    const batch: WordsBatch = {
      kind: 'words',
      ...{ dye, alpha, darkAlpha, size, weight, align, family, places, texts: [] },
    };
    this.batches.push(batch);
    return batch;
  }

  /** A single text. */
  word(
    ink: Paint,
    size: number,
    weight: number,
    align: Align,
    x: number,
    y: number,
    text: string,
  ): void {
    write(this.words(ink, size, weight, align), x, y, text);
  }

  clip(rect: Rect): void {
    this.batches.push({ kind: 'clip', rect });
  }

  unclip(): void {
    this.batches.push({ kind: 'unclip' });
  }
}

export function write({ places, texts }: WordsBatch, x: number, y: number, text: string): void {
  places.add2(x, y);
  texts.push(text);
}

/** One straight line. */
export function segment(
  { points, ends }: LinesBatch | AreasBatch,
  x0: number,
  y0: number,
  x1: number,
  y1: number,
): void {
  points.add4(x0, y0, x1, y1);
  ends.add(points.count);
}
