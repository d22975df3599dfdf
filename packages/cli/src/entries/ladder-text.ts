/** Footprints for people: each bar as a ladder of prices, with the volume sold at the bid and bought at the ask. */

import { footprintLadder } from '../stream/footprint-view.ts';
import { createInk } from '../stream/ink.ts';
import type { Entry } from './entry.ts';
import type { EntryText } from './entry-text.ts';

export class LadderText implements EntryText {
  readonly #tickSizeNanos: number;
  readonly #params: Readonly<Record<string, unknown>>;
  #isStarted = false;

  constructor(tickSizeNanos: number, params: Readonly<Record<string, unknown>>) {
    this.#tickSizeNanos = tickSizeNanos;
    this.#params = params;
  }

  add(entry: Entry): string {
    if (entry.t !== 'upsert') return '';
    const context = {
      ink: createInk(false),
      tickSizeNanos: this.#tickSizeNanos,
      params: this.#params,
    };
    const bar = { ...entry, ts: BigInt(entry.ts) };
    const lines = footprintLadder(bar, context).map((line) => `${line.trimEnd()}\n`);
    const gap = this.#isStarted ? '\n' : '';
    this.#isStarted = true;
    return gap + lines.join('');
  }

  end(): string {
    return '';
  }
}
