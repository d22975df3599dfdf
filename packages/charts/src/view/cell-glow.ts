/** The glow of cells that have just traded: which levels of the forming bar grew, and how long ago. */

import type { ChartBar } from '../series/chart-bar.ts';

export const GLOW_MS = 300;
/** More levels than this in one update are a load of data, not trades to look at. */
const GLOWING_MAX = 40;

export class CellGlow {
  readonly #since = new Map<string, number>();
  #bar: ChartBar | null = null;

  /** Something still glows. */
  get isActive(): boolean {
    return this.#since.size > 0;
  }

  /** Compares the newest bar with its version before. */
  take(bar: ChartBar | null, now: number): void {
    const before = this.#bar;
    if (bar === before) return;
    this.#bar = bar;
    if (bar?.id !== before?.id) this.#since.clear();
    if (bar === null || before === null || bar.id !== before.id) return;
    const grown = grownCells(before, bar);
    if (grown.length > GLOWING_MAX) return;
    for (const cell of grown) this.#since.set(cell, now);
  }

  /** Forgets what has gone out. */
  step(now: number): void {
    for (const [cell, since] of this.#since) {
      if (now - since >= GLOW_MS) this.#since.delete(cell);
    }
  }

  clear(): void {
    this.#since.clear();
  }

  /** 1 just traded, 0 not lately. */
  strength(ticks: number, side: -1 | 1, now: number): number {
    const since = this.#since.get(`${ticks} ${side}`);
    return since === undefined ? 0 : Math.max(0, 1 - (now - since) / GLOW_MS);
  }
}

function grownCells({ levels: old }: ChartBar, { levels }: ChartBar): string[] {
  if (levels === null || old === null) return [];
  const grown: string[] = [];
  let from = 0;
  for (let at = 0; at < levels.count; at += 1) {
    const price = levels.price[at]!;
    while (from < old.count && old.price[from]! < price) from += 1;
    const isKnown = from < old.count && old.price[from] === price;
    if (levels.bid[at]! > (isKnown ? old.bid[from]! : 0)) grown.push(`${price} -1`);
    if (levels.ask[at]! > (isKnown ? old.ask[from]! : 0)) grown.push(`${price} 1`);
  }
  return grown;
}
