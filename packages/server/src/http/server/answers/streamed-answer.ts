/**
 * Answers written piece by piece, no further ahead than the socket takes them. The next chunk is requested when the
 * socket has all of the last one, so a stalled reader holds at most one. The bytes that left are reported once, before
 * the client can know that the answer is over. A client that has gone, or was cut for not reading, ends the answer. A
 * complete answer ends with its digest (RFC 9530), unless its headers have it, so a changed body can be detected.
 */

import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { freeMemory } from '../../../platform/memory/free-memory.ts';
import type { AnswerLine } from './answer-line.ts';

/** The size of one write. A write that did not leave as a whole is not counted. */
const PIECE_BYTES = 65_536;
export const CONTENT_DIGEST = 'Content-Digest';

/** A digest computed while the body is sent, over the parts that have left, in order. */
export interface RunningDigest extends Disposable {
  /** Resolves when the next part may be added. */
  room(): Promise<void>;
  /** Takes ownership of a part that is alone in its buffer. */
  add(part: Uint8Array): void;
  /** As base64. */
  end(): Promise<string>;
}

export interface StreamedAnswerOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** The writer takes ownership: a buffer is freed as soon as all of it has left, in one chunk or in several. */
  readonly chunks: AsyncIterableIterator<Uint8Array>;
  /** Begins a digest; only a chunked answer can send one at its end. */
  readonly digest: () => RunningDigest;
  /** Called with the bytes of the body that were written, also when the answer was cut. */
  readonly onWritten: (bytes: number) => Promise<void>;
}

export class StreamedAnswer {
  readonly options: StreamedAnswerOptions;
  /** Bytes of the body, once it is over. */
  written = 0;

  constructor(options: StreamedAnswerOptions) {
    this.options = options;
  }

  /** Instead of writing it. */
  async discard(): Promise<void> {
    const { chunks, onWritten } = this.options;
    await chunks.return?.();
    await onWritten(0);
  }
}

/** The header's form of the digest of a complete body. */
export function digestText(body: Uint8Array): string {
  return `sha-256=:${hash('sha256', body, 'base64')}:`;
}

export type StreamLine = Pick<AnswerLine, 'hold' | 'isAhead' | 'room'>;

/** Resolves when all is over; rejects with the error that cut the answer off, unless the client did. */
export async function writeStreamed(
  response: ServerResponse,
  answer: StreamedAnswer,
  line: StreamLine,
): Promise<void> {
  const { chunks, onWritten } = answer.options;
  using digest = response.chunkedEncoding ? answer.options.digest() : null;
  const writer = new PieceWriter(response, line, digest);
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
  const digested = fault === null && digest !== null ? digest.end() : Promise.resolve(null);
  // A rejection is handled below; until then the promise has no reader.
  digested.catch(() => undefined);
  await onWritten(writer.written);
  if (fault !== null && !isGone) throw fault;
  if (fault !== null) return;
  const sha256 = await digested;
  if (sha256 !== null) response.addTrailers({ [CONTENT_DIGEST]: `sha-256=:${sha256}:` });
  response.end();
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
  readonly #response: ServerResponse;
  readonly #line: StreamLine;
  readonly #digest: RunningDigest | null;
  /** Nothing is left to write: the next chunk is being made. */
  #isAsking = false;
  #pending = 0;
  /** Bytes that left and are not freed yet: more of their buffer may follow. */
  #left: Uint8Array | null = null;
  #idle = Promise.withResolvers<void>();
  /** The client has gone: pending writes may never be reported then. */
  readonly #over = Promise.withResolvers<void>();

  constructor(response: ServerResponse, line: StreamLine, digest: RunningDigest | null) {
    this.#response = response;
    this.#line = line;
    this.#digest = digest;
    response.once('close', () => this.#over.resolve());
  }

  /** The response learns of the end of its socket a little later. */
  get isGone(): boolean {
    return this.#response.destroyed || this.#response.socket?.destroyed === true;
  }

  /** The next chunk, as soon as its reader may have more pending output. */
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
    await this.#digest?.room();
    for (let at = 0; at < length; at += PIECE_BYTES) {
      this.#line.hold(length - at);
      await this.#drained();
      this.#send(chunk.subarray(at, at + PIECE_BYTES));
    }
    this.#line.hold(0);
  }

  /** Resolves when everything has left and was given away. */
  async flushed(): Promise<void> {
    while (this.#pending > 0 && !this.isGone) {
      await Promise.race([this.#idle.promise, this.#over.promise]);
    }
    this.#requireClient();
    this.#giveAway();
  }

  #requireClient(): void {
    if (this.isGone) throw new Error('the client has gone');
  }

  #send(piece: Uint8Array): void {
    this.#requireClient();
    const { length } = piece;
    this.#pending += 1;
    this.#response.write(piece, (error) => {
      this.#pending -= 1;
      if (error === null || error === undefined) {
        this.written += length;
        this.#noteLeft(piece);
      }
      if (this.#pending > 0) return;
      if (this.#isAsking) this.#line.isAhead();
      this.#idle.resolve();
      this.#idle = Promise.withResolvers();
    });
  }

  /** Pieces that follow each other in one buffer are given away together: only a whole buffer can be moved. */
  #noteLeft(piece: Uint8Array): void {
    const before = this.#left;
    const { buffer, byteOffset, length } = piece;
    const isNext = before?.buffer === buffer && before.byteOffset + before.length === byteOffset;
    if (before !== null && !isNext) this.#giveAway();
    const from = isNext ? before.byteOffset : byteOffset;
    this.#left = new Uint8Array(buffer, from, byteOffset + length - from);
    if (byteOffset + length === buffer.byteLength) this.#giveAway();
  }

  #giveAway(): void {
    const left = this.#left;
    this.#left = null;
    if (left === null) return;
    if (this.#digest !== null) this.#digest.add(left);
    else if (left.length === left.buffer.byteLength) freeMemory(left.buffer);
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
