/**
 * The kept results that were read last, expanded, in memory: who asks for the pages of a day one after the
 * other, or for the same page again and again, reads its file once in a while. Good as long as the file is
 * the same, and for a time: then it is read again, and its use noted there. Bounded by bytes, those used
 * longest ago go first; what is given is a copy.
 */

import { isDeepStrictEqual } from 'node:util';
import type { Lines, SettledLines } from '../runs/day-lines.ts';
import { copiedLines, copiedSettled } from '../runs/day-lines.ts';
import type { ResultInputs } from './settled-inputs.ts';

const BYTES_MAX = 16 * 1024 * 1024;
/** A larger one would push out too many others. */
const RESULT_BYTES_MAX = BYTES_MAX / 4;

/** A whole day's result, ready to be sent. */
export interface ExpandedResult {
  readonly end: string | null;
  readonly trades: number;
  readonly isWarm: boolean;
  readonly settled: SettledLines;
  readonly tail: Lines;
}

/** What a result was read from. */
export interface ResultOrigin {
  readonly inputs: ResultInputs;
  /** Of the file. */
  readonly version: string;
}

interface Recent extends ResultOrigin {
  readonly result: ExpandedResult;
  readonly bytes: number;
  readonly untilMs: number;
}

export class RecentResults {
  /** By the file it is in; those used last are last. */
  readonly #results = new Map<string, Recent>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** If it is here, and from exactly there. */
  find(path: string, { inputs, version }: ResultOrigin, nowMs: number): ExpandedResult | null {
    const recent = this.#results.get(path);
    if (recent === undefined) return null;
    this.#results.delete(path);
    const isGood = nowMs < recent.untilMs && recent.version === version;
    if (!isGood || !isDeepStrictEqual(recent.inputs, inputs)) {
      this.#bytes -= recent.bytes;
      return null;
    }
    this.#results.set(path, recent);
    return copied(recent.result);
  }

  note(path: string, origin: ResultOrigin, result: ExpandedResult, untilMs: number): void {
    const { settled, tail } = result;
    const { bytes: lines, ends, ranks, ks, fromNs } = settled;
    const bytes = [lines, ends, ranks, ks, fromNs, tail.bytes, tail.ends].reduce(
      (sum, { byteLength }) => sum + byteLength,
      0,
    );
    if (bytes > RESULT_BYTES_MAX) return;
    this.#bytes += bytes - (this.#results.get(path)?.bytes ?? 0);
    this.#results.delete(path);
    this.#results.set(path, { ...origin, result: copied(result), bytes, untilMs });
    for (const [oldest, one] of this.#results) {
      if (this.#bytes <= BYTES_MAX) return;
      this.#results.delete(oldest);
      this.#bytes -= one.bytes;
    }
  }
}

function copied(result: ExpandedResult): ExpandedResult {
  return { ...result, settled: copiedSettled(result.settled), tail: copiedLines(result.tail) };
}
