/**
 * The digests of bodies (RFC 9530), made in a thread of their own: a megabyte takes some milliseconds, and the main
 * thread has streams to serve. What has left is moved there in place of being freed, so nothing is copied. A body has
 * one call under way at most, and says when enough of it waits for the next. The thread is started when the first
 * body begins; one that dies takes the digests of its bodies with it, and the next body starts another.
 */

import { Worker } from 'node:worker_threads';
import { KIB } from '@tapeloom/core/units';
import { Thread } from '../platform/thread.ts';
import type { DigestShape } from './digest-wire.ts';

/** So much is hashed at once: a call takes about as long as a tenth of it does to be hashed. */
const BATCH_BYTES = 512 * KIB;

export interface DigestThreadOptions {
  /** The thread died. */
  readonly onFault: (error: unknown) => void;
  readonly startThread?: () => Worker;
}

export class DigestThread implements AsyncDisposable {
  readonly #options: DigestThreadOptions;
  #thread: Thread<DigestShape> | null = null;
  #lastBody = 0;

  constructor(options: DigestThreadOptions) {
    this.#options = options;
  }

  begin(): BodyDigest {
    this.#thread ??= this.#start();
    this.#lastBody += 1;
    return new BodyDigest(this.#thread, this.#lastBody);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread?.[Symbol.asyncDispose]();
  }

  #start(): Thread<DigestShape> {
    const { onFault, startThread = startDigestThread } = this.#options;
    return new Thread<DigestShape>(startThread(), {
      name: 'the thread of digests',
      movesMemory: true,
      onGone: (cause) => {
        this.#thread = null;
        onFault(cause);
      },
    });
  }
}

/** The digest of one body. */
export class BodyDigest implements Disposable {
  readonly #thread: Thread<DigestShape>;
  readonly #body: number;
  #pieces: Uint8Array<ArrayBuffer>[] = [];
  #bytes = 0;
  #hashing: Promise<void> | null = null;
  #fault: unknown = null;

  constructor(thread: Thread<DigestShape>, body: number) {
    this.#thread = thread;
    this.#body = body;
  }

  /** Of its body what comes next, which is given away. */
  add(piece: Uint8Array): void {
    const isOwner = piece.length === piece.buffer.byteLength && piece.buffer instanceof ArrayBuffer;
    this.#pieces.push(isOwner ? (piece as Uint8Array<ArrayBuffer>) : new Uint8Array(piece));
    this.#bytes += piece.length;
    this.#hashOn();
  }

  /** Resolves when more may be added; rejects when there will be no digest. */
  async room(): Promise<void> {
    while (this.#bytes >= BATCH_BYTES && this.#hashing !== null) await this.#hashing;
    if (this.#fault !== null) throw this.#fault;
  }

  /** Of all that was added, in base64; once. */
  async end(): Promise<string> {
    await this.#hashing;
    await this.room();
    return await this.#thread.call('end', this.#body, this.#take());
  }

  /** It ended otherwise. */
  [Symbol.dispose](): void {
    this.#pieces = [];
    this.#thread.tell({ t: 'close', body: this.#body });
  }

  #hashOn(): void {
    if (this.#bytes < BATCH_BYTES || this.#hashing !== null || this.#fault !== null) return;
    this.#hashing = this.#thread.call('add', this.#body, this.#take()).then(
      () => {
        this.#hashing = null;
        this.#hashOn();
      },
      (error: unknown) => {
        this.#hashing = null;
        this.#fault = error;
      },
    );
  }

  #take(): Uint8Array<ArrayBuffer>[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#bytes = 0;
    return pieces;
  }
}

function startDigestThread(): Worker {
  return new Worker(new URL('./digest-worker.ts', import.meta.url), { name: 'digests' });
}
