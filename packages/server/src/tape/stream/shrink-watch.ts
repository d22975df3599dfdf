/**
 * Detects that a stream may have lost acknowledged messages. A server that is cut off reports an old end, so one
 * response proves nothing: a loss is suspected when all responses of half a minute report an old end. The proof is a
 * stored claim that expects the lower end, because a server that is cut off cannot store.
 */

import type { Clock } from '../../platform/clock.ts';
import { lostClaim } from './claim-body.ts';
import type { TapeStream } from './tape-stream.ts';

/** Servers that are cut off report old ends for up to 26 seconds. */
const SHRUNK_SUSPECTED_MS = 30_000;

export class ShrinkWatch implements Disposable {
  readonly #clock: Pick<Clock, 'after'>;
  #timer: Disposable | null = null;
  #isRipe = false;

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  /** Records a reported end; true when for half a minute every reported end was below `known`. */
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

/** Whether the stream now ends at `end`, though `known` was stored. If so, it leaves a `lost` claim for all nodes. */
export async function isProvedShrunk(
  stream: TapeStream,
  writer: string,
  known: number,
  end: number,
): Promise<boolean> {
  const claim = { subject: 'claim', writer, body: lostClaim(known) } as const;
  return (await stream.publish(claim, end)).outcome === 'stored';
}
