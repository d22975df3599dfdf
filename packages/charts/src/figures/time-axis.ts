/**
 * Maps instants to x. Every candle has a slot of the same width, and time runs evenly inside it. Volume bars therefore
 * stand side by side like minute bars, and hours without trades take no room.
 */

import { MINUTE_NS_BIG, MS_NS_BIG } from '@tapeloom/core/units';

const DAY_MINUTES = 1_440;
const LABELS_MAX = 8;
const LABEL_ROOM = 46;
const STEPS = [1, 5, 15, 30, 60, 120, 240, 720, 1, 2, 7, 30, 90, 365].map((step, index) =>
  index < 8 ? step : step * DAY_MINUTES,
);

export interface Slot {
  readonly startNs: bigint;
  readonly endNs: bigint;
}

export interface TimeLabel {
  readonly x: number;
  readonly words: string;
}

export class TimeAxis {
  readonly #slots: readonly Slot[];
  readonly #left: number;
  readonly slotWidth: number;

  constructor(slots: readonly Slot[], left: number, right: number) {
    this.#slots = slots;
    this.#left = left;
    this.slotWidth = (right - left) / slots.length;
  }

  /** Instants before the first candle map to the left edge, those after the last one to the right edge. */
  x(ns: bigint): number {
    const at = this.#slotAt(ns);
    if (at < 0) return this.#left;
    const { startNs, endNs } = this.#slots[at]!;
    const share = endNs > startNs ? Number(ns - startNs) / Number(endNs - startNs) : 0;
    return this.#left + (at + Math.min(1, share)) * this.slotWidth;
  }

  /** Round times, spaced apart; midnight shows its date. */
  labels(): readonly TimeLabel[] {
    const minutes = this.#slots.reduce((sum, slot) => sum + minutesOf(slot), 0);
    const step = STEPS.find((it) => minutes / it <= LABELS_MAX) ?? STEPS.at(-1)!;
    const stepNs = BigInt(step) * MINUTE_NS_BIG;
    const { startNs } = this.#slots[0]!;
    const { endNs } = this.#slots.at(-1)!;
    const labels: (TimeLabel & { readonly isDate: boolean })[] = [];
    for (let ns = ((startNs + stepNs - 1n) / stepNs) * stepNs; ns <= endNs; ns += stepNs) {
      const isDate = ns % (BigInt(DAY_MINUTES) * MINUTE_NS_BIG) === 0n;
      if (!isDate && !this.#isTraded(ns)) continue;
      const label = { x: this.x(ns), words: wordsOf(ns, isDate), isDate };
      const before = labels.at(-1);
      if (before !== undefined && label.x - before.x < LABEL_ROOM) {
        if (!isDate) continue;
        labels.pop();
      }
      labels.push(label);
    }
    return labels;
  }

  /** The last slot that begins at or before this time; -1 if none does. */
  #slotAt(ns: bigint): number {
    let [low, high] = [0, this.#slots.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#slots[middle]!.startNs <= ns) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  #isTraded(ns: bigint): boolean {
    const at = this.#slotAt(ns);
    return at >= 0 && ns <= this.#slots[at]!.endNs;
  }
}

function minutesOf({ startNs, endNs }: Slot): number {
  return Number(endNs - startNs) / Number(MINUTE_NS_BIG);
}

function wordsOf(ns: bigint, isDate: boolean): string {
  const iso = new Date(Number(ns / MS_NS_BIG)).toISOString();
  return isDate ? iso.slice(5, 10) : iso.slice(11, 16);
}
