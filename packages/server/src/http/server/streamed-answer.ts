/**
 * Answers that are written piece by piece, no further ahead than the socket takes them. The next chunk is asked
 * for when the socket has the whole of one, so of a reader that stops there is never more than one. What left for
 * the socket is counted and told once, before the client can know that the answer is over; a client that is
 * gone, or that was cut because it does not read, ends it. A whole answer ends with its digest (RFC 9530), unless
 * its headers have it: a body that arrived can be told from one that was changed on the way.
 */

import { createHash, type Hash, hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { freeMemory } from '../../platform/free-memory.ts';
import type { AnswerLine } from './answer-line.ts';

/** What is written at once: so little is not counted when it did not leave as a whole. */
const PIECE_BYTES = 65_536;
export const CONTENT_DIGEST = 'Content-Digest';

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

/** As the header has it, of a body that is known. */
export function digestText(body: Uint8Array): string {
  return `sha-256=:${hash('sha256', body, 'base64')}:`;
}

/** Where an answer goes. */
export type StreamLine = Pick<AnswerLine, 'hold' | 'isAhead' | 'room'>;

/** Resolves when all is over; rejects with what cut the answer off, unless that was the client. */
export async function writeStreamed(
  response: ServerResponse,
  answer: StreamedAnswer,
  line: StreamLine,
): Promise<void> {
  const { chunks, onWritten } = answer.options;
  const writer = new PieceWriter(response, line);
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
  if (fault === null) {
    const digest = writer.digest();
    if (digest !== null) response.addTrailers({ [CONTENT_DIGEST]: digest });
    response.end();
  } else if (!isGone) throw fault;
}

async function writeAll(
  chunks: AsyncIterableIterator<Uint8Array>,
  writer: PieceWriter,
): Promise<void> {
  try {
    for (;;) {
      const one = await writer.asked(() => chunks.next());
      if (one.done === true) return;
      await writer.write(one.value);
    }
  } finally {
    await chunks.return?.();
  }
}

class PieceWriter {
  written = 0;
  /** Only a chunked answer can say anything at its end. */
  readonly #hash: Hash | null;
  readonly #response: ServerResponse;
  readonly #line: StreamLine;
  /** Nothing is there to be written: the next chunk is being made. */
  #isAsking = false;
  #pending = 0;
  #idle = Promise.withResolvers<void>();
  /** The client has gone: what waits may never be told of then. */
  readonly #over = Promise.withResolvers<void>();

  constructor(response: ServerResponse, line: StreamLine) {
    this.#response = response;
    this.#line = line;
    this.#hash = response.chunkedEncoding ? createHash('sha256') : null;
    response.once('close', () => this.#over.resolve());
  }

  /** The response hears of the end of its socket a little later. */
  get isGone(): boolean {
    return this.#response.destroyed || this.#response.socket?.destroyed === true;
  }

  /** The next chunk, as soon as its reader may have more waiting. */
  async asked<Chunk>(next: () => Promise<Chunk>): Promise<Chunk> {
    this.#isAsking = true;
    if (this.#pending === 0) this.#line.isAhead();
    await this.#line.room();
    this.#requireClient();
    const chunk = await next();
    this.#isAsking = false;
    return chunk;
  }

  /** Resolves when the socket has all of it. */
  async write(chunk: Uint8Array): Promise<void> {
    const { length } = chunk;
    const isOwner = length === chunk.buffer.byteLength;
    for (let at = 0; at < length; at += PIECE_BYTES) {
      this.#line.hold(length - at);
      await this.#drained();
      const isLast = at + PIECE_BYTES >= length;
      const piece = chunk.subarray(at, at + PIECE_BYTES);
      this.#send(piece, isLast && isOwner ? chunk.buffer : null);
    }
    this.#line.hold(0);
  }

  /** Resolves when everything has left. */
  async flushed(): Promise<void> {
    while (this.#pending > 0 && !this.isGone) {
      await Promise.race([this.#idle.promise, this.#over.promise]);
    }
    this.#requireClient();
  }

  /** Of all that has left, once. */
  digest(): string | null {
    return this.#hash && `sha-256=:${this.#hash.digest('base64')}:`;
  }

  #requireClient(): void {
    if (this.isGone) throw new Error('the client has gone');
  }

  /** Memory, if it is named, is given back when the piece has left. */
  #send(piece: Uint8Array, memory: ArrayBufferLike | null): void {
    this.#requireClient();
    const { length } = piece;
    this.#pending += 1;
    this.#response.write(piece, (error) => {
      this.#pending -= 1;
      if (error === null || error === undefined) {
        this.written += length;
        this.#hash?.update(piece);
        if (memory !== null) freeMemory(memory);
      }
      if (this.#pending > 0) return;
      if (this.#isAsking) this.#line.isAhead();
      this.#idle.resolve();
      this.#idle = Promise.withResolvers();
    });
  }

  async #drained(): Promise<void> {
    if (!this.#response.writableNeedDrain) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const response = this.#response.on('drain', resolve);
    if (!this.isGone) await Promise.race([promise, this.#over.promise]);
    response.off('drain', resolve);
    this.#requireClient();
  }
}
