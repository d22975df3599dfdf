/**
 * Answers that are written piece by piece, no further ahead than the socket takes them; one chunk more is
 * asked for meanwhile. What left for the socket is counted and told once, before the client can know that
 * the answer is over; a client that is gone, or takes nothing for a minute, ends it.
 */

import type { ServerResponse } from 'node:http';
import type { Clock } from '../platform/clock.ts';
import { freeMemory } from '../platform/free-memory.ts';

/** What is written at once: so little is not counted when it did not leave as a whole. */
const PIECE_BYTES = 65_536;
const STALLED_AFTER_MS = 60_000;

export interface StreamedAnswerOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** They are given away: the memory of one is given back as soon as it has left. */
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
    await writeAll(chunks, writer);
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

/** Like a `for await`, but that the next chunk is made while one is written. */
async function writeAll(
  chunks: AsyncIterableIterator<Uint8Array>,
  writer: PieceWriter,
): Promise<void> {
  try {
    let next = chunks.next();
    for (let one = await next; one.done !== true; one = await next) {
      next = chunks.next();
      // What it rejects with is told when its turn comes, if it comes.
      next.catch(() => undefined);
      await writer.write(one.value);
    }
  } finally {
    await chunks.return?.();
  }
}

class PieceWriter {
  written = 0;
  readonly #response: ServerResponse;
  readonly #clock: Pick<Clock, 'after'>;
  #pending = 0;
  #idle = Promise.withResolvers<void>();
  /** The client has gone: what waits may never be told of then. */
  readonly #over = Promise.withResolvers<void>();

  constructor(response: ServerResponse, clock: Pick<Clock, 'after'>) {
    this.#response = response;
    this.#clock = clock;
    response.once('close', () => this.#over.resolve());
  }

  /** The response hears of the end of its socket a little later. */
  get isGone(): boolean {
    return this.#response.destroyed || this.#response.socket?.destroyed === true;
  }

  async write(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      const piece = chunk.subarray(at, at + PIECE_BYTES);
      const isLast = at + PIECE_BYTES >= chunk.length;
      const isOwner = chunk.byteLength === chunk.buffer.byteLength;
      const hasRoom = this.#send(piece, isLast && isOwner ? chunk.buffer : null);
      if (!hasRoom) await this.#drained();
    }
  }

  /** Resolves when everything has left. */
  async flushed(): Promise<void> {
    using _stall = this.#endWhenStalled();
    while (this.#pending > 0 && !this.isGone) {
      await Promise.race([this.#idle.promise, this.#over.promise]);
    }
    if (this.isGone) throw new Error('the client has gone');
  }

  /** Memory, if it is named, is given back when the piece has left. */
  #send(piece: Uint8Array, memory: ArrayBufferLike | null): boolean {
    if (this.isGone) throw new Error('the client has gone');
    const { length } = piece;
    this.#pending += 1;
    return this.#response.write(piece, (error) => {
      this.#pending -= 1;
      if (error === null || error === undefined) {
        this.written += length;
        if (memory !== null) freeMemory(memory);
      }
      if (this.#pending > 0) return;
      this.#idle.resolve();
      this.#idle = Promise.withResolvers();
    });
  }

  async #drained(): Promise<void> {
    if (!this.#response.writableNeedDrain) return;
    using _stall = this.#endWhenStalled();
    const { promise, resolve } = Promise.withResolvers<void>();
    const response = this.#response.on('drain', resolve);
    if (!this.isGone) await Promise.race([promise, this.#over.promise]);
    response.off('drain', resolve);
    if (this.isGone) throw new Error('the client has gone');
  }

  #endWhenStalled(): Disposable {
    return this.#clock.after(STALLED_AFTER_MS, () => {
      this.#response.destroy();
      this.#over.resolve();
    });
  }
}
