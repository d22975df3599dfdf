/** A digest of trades, feed numbers, lateness, held trades, notes and watermark, however the commits are cut. */

import { createHash, type Hash } from 'node:crypto';
import type { LoggedNote } from '../notes/logged-note.ts';
import type { Commit } from './log-payload.ts';
import { idsOf } from './merged-commits.ts';

export class TradesDigest {
  readonly #columns = new Map<string, Hash>();
  readonly #symbols: string[] = [];
  readonly #held = createHash('sha256');
  readonly #notes = createHash('sha256');
  #promiseNs = 0;
  trades = 0;

  /** `symbols`: the contracts that an opening names. */
  constructor(symbols: readonly string[]) {
    this.#symbols.push(...symbols);
  }

  add({ promiseNs, contracts, sections, held, notes }: Commit): void {
    for (const { symbol } of contracts) this.#symbols.push(symbol);
    for (const section of sections) {
      const { ts, price, size, side, count } = section;
      const late = section.late ?? new Float64Array(count);
      const columns = { ts, id: idsOf(section), late, price, size, side };
      for (const [name, column] of Object.entries(columns)) {
        const key = `${section.index} ${this.#symbols[section.index]} ${name}`;
        const hash = this.#columns.getOrInsertComputed(key, () => createHash('sha256'));
        const { buffer, byteOffset, BYTES_PER_ELEMENT } = column;
        hash.update(new Uint8Array(buffer, byteOffset, count * BYTES_PER_ELEMENT));
      }
      this.trades += count;
    }
    for (const trade of held) this.#held.update(`${JSON.stringify(trade)}\n`);
    for (const note of notes) this.#notes.update(`${textOf(note)}\n`);
    this.#promiseNs = promiseNs;
  }

  /** Nothing can be added afterwards. */
  end(): string {
    const others = `${this.#held.digest('hex')} ${this.#notes.digest('hex')}`;
    const whole = createHash('sha256').update(`${this.#promiseNs} ${others}`);
    for (const [key, hash] of [...this.#columns].sort(([a], [b]) => (a < b ? -1 : 1))) {
      whole.update(`\n${key} ${hash.digest('hex')}`);
    }
    return whole.digest('hex');
  }
}

function textOf(note: LoggedNote): string {
  return JSON.stringify(note, (_, value) => (typeof value === 'bigint' ? `${value}` : value));
}
