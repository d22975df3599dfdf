/**
 * Whether a stream may have lost what it had acknowledged. An old end is named by every server that is cut off from the
 * others, for as long as it is, so one answer means nothing: suspected is only what every answer of half a minute says.
 * And a suspicion is no proof. That is a claim which expects the lower end and is stored: who is cut off can store nothing.
 */

import type { Clock } from '../../platform/clock.ts';
import { lostClaim } from './claim-body.ts';
import type { TapeStream } from './tape-stream.ts';

/** Cut-off servers named old ends for up to 26 seconds. */
const SHRUNK_SUSPECTED_MS = 30_000;

export class ShrinkWatch implements Disposable {
  readonly #clock: Pick<Clock, 'after'>;
  #timer: Disposable | null = null;
  #isRipe = false;

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  /** Takes note of an end that was named; true when only ends below what is known were, for half a minute. */
  hear(known: number, end: number): boolean {
    if (end >= known) {
      this[Symbol.dispose]();
      return false;
    }
    this.#timer ??= this.#clock.after(SHRUNK_SUSPECTED_MS, () => {
      this.#isRipe = true;
    });
    return this.#isRipe;
  }

  get isSuspected(): boolean {
    return this.#timer !== null;
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = null;
    this.#isRipe = false;
  }
}

/** Whether the stream now ends at `end`, though `known` was stored. Leaves a claim behind that tells everybody. */
export async function isProvedShrunk(
  stream: TapeStream,
  writer: string,
  known: number,
  end: number,
): Promise<boolean> {
  const claim = { subject: 'claim', writer, body: lostClaim(known) } as const;
  return (await stream.publish(claim, end)).outcome === 'stored';
}
