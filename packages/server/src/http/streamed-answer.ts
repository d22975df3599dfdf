/**
 * Answers that are written piece by piece, no further ahead than the socket takes them. What left for the
 * socket is counted and told once, before the client can know that the answer is over; a client that is
 * gone, or takes nothing for a minute, ends it.
 */

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Clock } from '../platform/clock.ts';

/** What is written at once: so little is not counted when it did not leave as a whole. */
const PIECE_BYTES = 65_536;
const STALLED_AFTER_MS = 60_000;

export interface StreamedAnswerOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: AsyncIterableIterator<Uint8Array>;
  /** Told how many bytes of the body were written, also when the answer was cut. */
  readonly onWritten: (bytes: number) => Promise<void>;
}

export class StreamedAnswer {
  readonly options: StreamedAnswerOptions;
  /** Bytes of the body, once it is over. */
  written = 0;

  constructor(options: StreamedAnswerOptions) {
    this.options = options;
  }

  /** In place of being written. */
  async discard(): Promise<void> {
    const { chunks, onWritten } = this.options;
    await chunks.return?.();
    await onWritten(0);
  }
}

/** Resolves when all is over; rejects with what cut the answer off, unless that was the client. */
export async function writeStreamed(
  response: ServerResponse,
  answer: StreamedAnswer,
  clock: Pick<Clock, 'after'>,
): Promise<void> {
  const { chunks, onWritten } = answer.options;
  const writer = new PieceWriter(response, clock);
  let fault: unknown = null;
  try {
    for await (const chunk of chunks) await writer.write(chunk);
    await writer.flushed();
  } catch (error) {
    fault = error;
  }
  const isGone = writer.isGone;
  if (fault !== null) response.destroy();
  answer.written = writer.written;
  await onWritten(writer.written);
  if (fault === null) response.end();
  else if (!isGone) throw fault;
}

class PieceWriter {
  written = 0;
  readonly #response: ServerResponse;
  readonly #clock: Pick<Clock, 'after'>;
  #pending = 0;
  #idle = Promise.withResolvers<void>();

  constructor(response: ServerResponse, clock: Pick<Clock, 'after'>) {
    this.#response = response;
    this.#clock = clock;
  }

  get isGone(): boolean {
    return this.#response.destroyed;
  }

  async write(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      const hasRoom = this.#send(chunk.subarray(at, at + PIECE_BYTES));
      if (!hasRoom) await this.#drained();
    }
  }

  /** Resolves when everything has left. */
  async flushed(): Promise<void> {
    using _stall = this.#endWhenStalled();
    while (this.#pending > 0) await this.#idle.promise;
    if (this.isGone) throw new Error('the client has gone');
  }

  #send(piece: Uint8Array): boolean {
    if (this.isGone) throw new Error('the client has gone');
    this.#pending += 1;
    return this.#response.write(piece, (error) => {
      if (error === null || error === undefined) this.written += piece.length;
      this.#pending -= 1;
      if (this.#pending > 0) return;
      this.#idle.resolve();
      this.#idle = Promise.withResolvers();
    });
  }

  async #drained(): Promise<void> {
    if (!this.#response.writableNeedDrain) return;
    using _stall = this.#endWhenStalled();
    const ended = new AbortController();
    const { signal } = ended;
    try {
      const gone = once(this.#response, 'close', { signal });
      await Promise.race([once(this.#response, 'drain', { signal }), gone]);
    } finally {
      ended.abort();
    }
    if (this.isGone) throw new Error('the client has gone');
  }

  #endWhenStalled(): Disposable {
    return this.#clock.after(STALLED_AFTER_MS, () => this.#response.destroy());
  }
}
