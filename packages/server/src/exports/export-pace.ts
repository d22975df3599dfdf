/**
 * The chunks of exports, no further ahead of their readers than memory allows. Bytes that are computed and have not
 * left count in one budget, of the account and of all. A chunk is made when there is room for it; while one is written,
 * one more is made if there is room then. Chunks are handed on in small pieces: a request for the next piece proves
 * that the socket has the one before.
 */

import { MIB } from '@tapeloom/core/units';
import type { Clock } from '../platform/clock.ts';
import { Refusal } from '../platform/refusal.ts';
import { type HeldBytes, SharedBytes } from '../platform/sharing/shared-bytes.ts';
import type { ShareLimits } from '../platform/sharing/shares.ts';

export const PACE_LIMITS: ShareLimits = {
  eachMax: 8 * MIB,
  allMax: 192 * MIB,
  keptForNew: 96 * MIB,
};
/** Reserved for a chunk until it is made: most are smaller. */
const EXPECTED_BYTES = MIB;
const PIECE_BYTES = 65_536;
/** How long the first chunk may wait for room; later ones wait as long as needed. */
const WAIT_MS = 10_000;

interface Made {
  readonly held: HeldBytes;
  readonly next: IteratorResult<Uint8Array>;
}

export class ExportPace {
  readonly #timers: Pick<Clock, 'after'>;
  readonly #budget: SharedBytes;
  #refused = 0;

  constructor(timers: Pick<Clock, 'after'>, limits: ShareLimits = PACE_LIMITS) {
    this.#timers = timers;
    this.#budget = new SharedBytes(limits);
  }

  /** Bytes that are computed and have not left. */
  get bytes(): number {
    return this.#budget.bytes;
  }

  /** Exports that wait for bytes to leave. */
  get waitingCount(): number {
    return this.#budget.waitingCount;
  }

  /** Exports rejected because no bytes left in time, since the start. */
  get refusedCount(): number {
    return this.#refused;
  }

  /** The caller owns each chunk with its last piece. The first one is rejected when there is no room for it in time. */
  async *paced(
    chunks: AsyncGenerator<Uint8Array>,
    account: string,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    const make = async (held: HeldBytes): Promise<Made> => {
      try {
        const next = await chunks.next();
        held.resize(next.done === true ? 0 : next.value.length);
        return { held, next };
      } catch (error) {
        held[Symbol.dispose]();
        throw error;
      }
    };
    let room = await this.#firstRoom(account, signal);
    let ahead: Promise<Made> | null = null;
    try {
      for (;;) {
        const { held, next } = await (ahead ?? make(room));
        using _held = held;
        ahead = null;
        if (next.done === true) return;
        for (const piece of pieces(next.value, held)) {
          yield piece;
          const more = ahead === null ? this.#budget.takeNow(account, EXPECTED_BYTES) : null;
          if (more === null) continue;
          ahead = make(more);
          // A rejection is thrown when this chunk is taken, if it ever is.
          ahead.catch(() => undefined);
        }
        held[Symbol.dispose]();
        if (ahead === null) room = await this.#budget.take(account, EXPECTED_BYTES, signal);
      }
    } finally {
      const made = await ahead?.catch(() => null);
      made?.held[Symbol.dispose]();
      await chunks.return(undefined);
    }
  }

  async #firstRoom(account: string, signal: AbortSignal): Promise<HeldBytes> {
    const late = new AbortController();
    using _ = this.#timers.after(WAIT_MS, () => {
      late.abort(new Refusal({ t: 'full', what: 'bytes' }));
    });
    try {
      return await this.#budget.take(
        account,
        EXPECTED_BYTES,
        AbortSignal.any([signal, late.signal]),
      );
    } catch (error) {
      if (late.signal.aborted) this.#refused += 1;
      throw error;
    }
  }
}

/** The rest of the chunk stays counted while a piece is being sent. */
function* pieces(chunk: Uint8Array, held: HeldBytes): Generator<Uint8Array> {
  for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
    yield chunk.subarray(at, at + PIECE_BYTES);
    held.resize(Math.max(0, chunk.length - at - PIECE_BYTES));
  }
}
