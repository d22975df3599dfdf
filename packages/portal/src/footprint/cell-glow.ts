/** Tracks which half cells of the forming bar have just traded, and how strongly they still glow. */

import type { ChartBar } from './chart-model.ts';

const GLOW_MS = 300;

export class CellGlow {
  readonly #lots = new Map<string, number>();
  readonly #tradedAt = new Map<string, number>();
  #id: string | null = null;
  #now = 0;

  get isGlowing(): boolean {
    return this.#tradedAt.size > 0;
  }

  /** A bar seen for the first time does not glow, nor does a final one. */
  note(bar: ChartBar | null, nowMs: number): void {
    this.#now = nowMs;
    for (const [key, at] of this.#tradedAt) {
      if (nowMs - at >= GLOW_MS) this.#tradedAt.delete(key);
    }
    const isNew = bar?.id !== this.#id;
    if (isNew || bar === null || bar.isFinal) this.#tradedAt.clear();
    if (isNew) this.#lots.clear();
    this.#id = bar?.id ?? null;
    for (const { row, bid, ask } of bar?.levels ?? []) {
      this.#see(keyOf(row, -1), bid, isNew || bar?.isFinal === true);
      this.#see(keyOf(row, 1), ask, isNew || bar?.isFinal === true);
    }
  }

  /** From 1 at the trade down to 0. */
  of(row: number, side: -1 | 1): number {
    const at = this.#tradedAt.get(keyOf(row, side));
    return at === undefined ? 0 : 1 - (this.#now - at) / GLOW_MS;
  }

  #see(key: string, lots: number, isQuiet: boolean): void {
    if ((this.#lots.get(key) ?? 0) === lots) return;
    this.#lots.set(key, lots);
    if (!isQuiet) this.#tradedAt.set(key, this.#now);
  }
}

function keyOf(row: number, side: -1 | 1): string {
  return `${row} ${side}`;
}
