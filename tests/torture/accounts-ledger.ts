/**
 * A log of what one process did to a shared store: first the attempt, then its acknowledgement. It
 * is written line by line, so that it survives a kill of the process.
 */

import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

export type Entry =
  | { readonly t: 'settling' | 'settled'; readonly id: string; readonly amount: number }
  | { readonly t: 'created' | 'revoking' | 'revoked'; readonly id: string }
  | { readonly t: 'consumed'; readonly token: string }
  | { readonly t: 'refused'; readonly what: 'budget' | 'keys' | 'token' }
  | { readonly t: 'end' };

export class LedgerWriter implements Disposable {
  readonly #file: number;

  constructor(path: string) {
    this.#file = openSync(path, 'w');
  }

  write(entry: Entry): void {
    writeSync(this.#file, `${JSON.stringify(entry)}\n`);
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }
}

/** Reads every complete line; a kill may have cut the last one. */
export function readLedger(path: string): readonly Entry[] {
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Entry);
}
