/** Progress of a download: how much, how fast, and how long it will take. */

import { SECOND_NS_BIG } from '@tapeloom/core/units';
import type { CommandIo } from '../command.ts';
import { ProgressLine, type ProgressSurroundings } from '../progress-line.ts';
import { sizeText } from '../size-text.ts';
import { spanText, wholeText } from '../stream/text-format.ts';

/** A rate over less time means nothing. */
const RATE_SECONDS_MIN = 0.5;

/** The amount transferred so far; unknown values are null. */
export interface Transferred {
  readonly objects: number | null;
  readonly bytes: number | null;
  /** The share of the whole, from 0 to 1. */
  readonly fraction: number | null;
}

export const NOTHING: Transferred = { objects: 0, bytes: 0, fraction: 0 };

export class TransferProgress {
  readonly #line: ProgressLine;
  /** What existed before this command started: excluded from its rate. */
  readonly #held: Transferred;
  /** The starting point for the remaining time; null until a fraction is known. */
  #base: { readonly fraction: number; readonly seconds: number } | null;

  constructor(io: CommandIo, held: Transferred, surroundings: ProgressSurroundings = {}) {
    this.#line = new ProgressLine(io, surroundings);
    this.#held = held;
    this.#base = held.fraction === null ? null : { fraction: held.fraction, seconds: 0 };
  }

  get seconds(): number {
    return this.#line.seconds;
  }

  /** Calls `transferred` only when it is time to redraw. */
  show(transferred: () => Transferred): void {
    this.#line.show(() => this.#text(transferred()));
  }

  erase(): void {
    this.#line.erase();
  }

  #text(transferred: Transferred): string {
    const { objects, bytes, fraction } = transferred;
    const percent = fraction === null ? [] : [`${Math.floor(fraction * 100)} %`];
    const counted = objects === null ? [] : [`${wholeText(objects)} objects`];
    const size = bytes === null ? [] : [sizeText(bytes)];
    const pace = [...this.#rate(transferred), ...this.#left(fraction)];
    return [...percent, ...counted, ...size, ...pace].join('  ');
  }

  /** In bytes if known: bytes measure the connection. */
  #rate({ objects, bytes }: Transferred): readonly string[] {
    const { seconds } = this;
    if (seconds < RATE_SECONDS_MIN) return [];
    if (bytes !== null) {
      return [`${sizeText(Math.round((bytes - (this.#held.bytes ?? 0)) / seconds))}/s`];
    }
    return objects === null
      ? []
      : [`${wholeText((objects - (this.#held.objects ?? 0)) / seconds)} objects/s`];
  }

  #left(fraction: number | null): readonly string[] {
    if (fraction === null) return [];
    this.#base ??= { fraction, seconds: this.seconds };
    const come = fraction - this.#base.fraction;
    const took = this.seconds - this.#base.seconds;
    if (come <= 0 || fraction >= 1 || took < RATE_SECONDS_MIN) return [];
    const left = BigInt(Math.max(1, Math.round(((1 - fraction) * took) / come)));
    return [`${spanText(left * SECOND_NS_BIG)} left`];
  }
}
