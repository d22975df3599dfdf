/**
 * Collects the cells of all ladders by what paints them: each tone is one batch, whatever number of bars is on screen.
 */

import type { Dye, Numbers, Paint, WordsBatch } from './batch.ts';
import type { Frame } from './frame.ts';
import { NIGHT } from './ground.ts';
import { paint } from './shapes.ts';

/** Steps of tone: finer ones could not be told apart. */
export const TONES = 14;
/** Opacity without volume, and what the largest volume adds; the weave has no numbers to protect. */
const TONE = { from: 0.04, span: 0.36, darkFrom: 0.06, darkSpan: 0.48 };
const WEAVE = { from: 0.09, span: 0.6, darkFrom: 0.1, darkSpan: 0.72 };
const OUTSIDE = { numbers: 0.42, weave: 0.55 };
const SOLID_WEAVE = 0.92;

export type ToneDye = 'ask' | 'bid' | 'neutral';
type Style = 'inside' | 'outside' | 'on-ask' | 'on-bid';

const WEIGHTS = { inside: 500, outside: 450, 'on-ask': 680, 'on-bid': 680 } as const;
const INKS: Readonly<Record<Style, Dye>> = {
  inside: 'ink',
  outside: 'muted',
  'on-ask': 'on-ask',
  'on-bid': 'on-bid',
};

export function tonePaint(dye: ToneDye, step: number, isWeave = false): Paint {
  const { from, span, darkFrom, darkSpan } = isWeave ? WEAVE : TONE;
  const share = step / TONES;
  return paint(dye, from + span * share, darkFrom + darkSpan * share);
}

/** The step of a volume's tone. */
export function toneStep(lots: number, most: number): number {
  return Math.round(TONES * Math.sqrt(lots / most));
}

export class CellSink {
  readonly hasNumbers: boolean;
  /** Below the ladders, so that no line shines through. */
  readonly grounds: Numbers;
  /** As `grounds`, in the colour of the night. */
  readonly nightGrounds: Numbers;
  readonly solidAsk: Numbers;
  readonly solidBid: Numbers;
  readonly #frame: Frame;
  readonly #tones: Readonly<Record<ToneDye, (Numbers | undefined)[]>> = {
    ask: [],
    bid: [],
    neutral: [],
  };
  readonly #words = new Map<string, WordsBatch>();

  constructor(frame: Frame) {
    const { shapes, cell } = frame;
    this.#frame = frame;
    this.hasNumbers = cell.numbers > 0;
    this.grounds = shapes.numbers();
    this.nightGrounds = shapes.numbers();
    this.solidAsk = shapes.numbers();
    this.solidBid = shapes.numbers();
  }

  /** The step of a cell's tone. */
  step(lots: number, most: number, isOutside: boolean): number {
    const share = lots / most;
    const strength = this.hasNumbers ? Math.sqrt(share) : share ** 0.4;
    const part = isOutside ? (this.hasNumbers ? OUTSIDE.numbers : OUTSIDE.weave) : 1;
    return Math.round(TONES * strength * part);
  }

  tone(dye: ToneDye, step: number): Numbers {
    const tones = this.#tones[dye];
    const known = tones[step];
    if (known !== undefined) return known;
    const fresh = this.#frame.shapes.numbers();
    tones[step] = fresh;
    return fresh;
  }

  words(style: Style, align: 'left' | 'right'): WordsBatch {
    const key = style + align;
    const known = this.#words.get(key);
    if (known !== undefined) return known;
    const { shapes, cell } = this.#frame;
    const fresh: WordsBatch = {
      kind: 'words',
      ...paint(INKS[style], cell.numbers),
      ...{ size: cell.textSize, weight: WEIGHTS[style], align, family: 'figures' },
      ...{ places: shapes.numbers(), texts: [] },
    };
    this.#words.set(key, fresh);
    return fresh;
  }

  /** Grounds and tones: marks come in front of them. */
  paintCells(): void {
    const { shapes, cell } = this.#frame;
    const isWeave = !this.hasNumbers;
    shapes.rects(paint('ground', cell.weave), 0, this.grounds);
    if (this.nightGrounds.count > 0) {
      for (const { dye, alpha, darkAlpha } of [paint('ground'), ...NIGHT]) {
        const night = paint(dye, alpha * cell.weave, darkAlpha * cell.weave);
        shapes.rects(night, 0, this.nightGrounds);
      }
    }
    for (const dye of ['bid', 'ask', 'neutral'] as const) {
      for (let step = 0; step <= TONES; step += 1) {
        const rects = this.#tones[dye][step];
        if (rects === undefined) continue;
        const { alpha, darkAlpha } = tonePaint(dye, step, isWeave);
        shapes.rects(paint(dye, alpha * cell.weave, darkAlpha * cell.weave), 0, rects);
      }
    }
    const alpha = (isWeave ? SOLID_WEAVE : 1) * cell.weave;
    shapes.rects(paint('bid', alpha), 0, this.solidBid);
    shapes.rects(paint('ask', alpha), 0, this.solidAsk);
  }

  /** Numbers are in front of all marks. */
  paintWords(): void {
    this.#frame.shapes.batches.push(...this.#words.values());
  }
}
