/**
 * The main thread's handle of the thread that digests the bodies of exports: SHA-256 takes longer than sending, and
 * would delay other clients. Memory moves there once it has left. The bytes not yet digested are limited, for one body
 * and for all; at the limit the sender waits. The first body starts the thread. When it dies, the digests of its bodies
 * are lost, and the next body starts another.
 */

import { isMarkedAsUntransferable, Worker } from 'node:worker_threads';
import { KIB, MIB } from '@tapeloom/core/units';
import { Refusal } from '../platform/refusal.ts';
import { type HeldBytes, SharedBytes } from '../platform/sharing/shared-bytes.ts';
import { Thread } from '../platform/threads/thread.ts';
import type { DigestShape } from './digest-wire.ts';

/** Bytes handed over and not digested. */
const WAITING_LIMITS = { eachMax: 3 * MIB, allMax: 32 * MIB };
/** Smaller parts are collected up to this size, so that buffers and messages stay few, however small the parts are. */
const ALONE_BYTES = 16 * KIB;

export interface DigestThreadOptions {
  /** The thread died. */
  readonly onFault: (error: unknown) => void;
  readonly startThread?: () => Worker;
}

export class DigestThread implements AsyncDisposable {
  readonly #options: DigestThreadOptions;
  readonly #waiting = new SharedBytes(WAITING_LIMITS);
  #thread: Thread<DigestShape> | null = null;
  #lastBody = 0;
  #lostCount = 0;
  #isOver = false;

  constructor(options: DigestThreadOptions) {
    this.#options = options;
  }

  get bytes(): number {
    return this.#waiting.bytes;
  }

  /** Threads that died. */
  get lostCount(): number {
    return this.#lostCount;
  }

  /** For a body that begins; dispose of it when the body is over, however it ends. */
  begin(): BodyDigest {
    if (this.#isOver) throw new Refusal({ t: 'shut-down' });
    this.#thread ??= this.#start();
    this.#lastBody += 1;
    return new BodyDigest(this.#lastBody, this.#thread, this.#waiting);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.#thread?.[Symbol.asyncDispose]();
  }

  #start(): Thread<DigestShape> {
    const { onFault, startThread = startDigestThread } = this.#options;
    return new Thread<DigestShape>(startThread(), {
      name: 'the thread for digests',
      movesMemory: true,
      goneError: (cause) => new Refusal({ t: 'failed' }, cause),
      closedError: () => new Refusal({ t: 'shut-down' }),
      onGone: (cause) => {
        this.#thread = null;
        this.#lostCount += 1;
        onFault(cause);
      },
    });
  }
}

/** The parts of one body, in their order. */
export class BodyDigest implements Disposable {
  readonly #body: number;
  readonly #thread: Thread<DigestShape>;
  readonly #waiting: SharedBytes;
  /** Reserved for the next part. */
  #room: HeldBytes | null = null;
  /** Parts too small to be handed over alone, one behind the other. */
  #small: Uint8Array<ArrayBuffer> | null = null;
  #smallBytes = 0;
  #isOver = false;
  #isEnded = false;

  constructor(body: number, thread: Thread<DigestShape>, waiting: SharedBytes) {
    this.#body = body;
    this.#thread = thread;
    this.#waiting = waiting;
  }

  /** Resolves when the next part may be added. */
  async room(): Promise<void> {
    this.#room ??= await this.#waiting.take(String(this.#body), 1);
  }

  /** Takes ownership of a part that is alone in its buffer. */
  add(part: Uint8Array): void {
    if (this.#isOver || part.length === 0) return;
    if (part.length >= ALONE_BYTES) {
      this.#handOver([...this.#takeSmall(), movable(part)]);
      return;
    }
    if (this.#smallBytes + part.length > ALONE_BYTES) this.#handOver(this.#takeSmall());
    this.#small ??= new Uint8Array(ALONE_BYTES);
    this.#small.set(part, this.#smallBytes);
    this.#smallBytes += part.length;
  }

  #takeSmall(): Uint8Array<ArrayBuffer>[] {
    const small = this.#small?.slice(0, this.#smallBytes);
    this.#small = null;
    this.#smallBytes = 0;
    return small === undefined ? [] : [small];
  }

  #handOver(parts: Uint8Array<ArrayBuffer>[]): void {
    const room = this.#room;
    this.#room = null;
    room?.resize(parts.reduce((sum, { length }) => sum + length, 0));
    const added = this.#thread.call('add', this.#body, parts);
    // A death of the thread is reported at the end.
    void added.catch(() => undefined).then(() => room?.[Symbol.dispose]());
  }

  /** As base64. */
  async end(): Promise<string> {
    const digest = await this.#thread.call('end', this.#body, this.#takeSmall());
    // The thread has forgotten it.
    this.#isEnded = true;
    return digest;
  }

  [Symbol.dispose](): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#takeSmall();
    this.#room?.[Symbol.dispose]();
    if (!this.#isEnded) this.#thread.tell({ t: 'drop', body: this.#body });
  }
}

/** Alone in its buffer: a part that shares one is copied. */
function movable(part: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = part;
  const isAlone = buffer instanceof ArrayBuffer && buffer.byteLength === part.length;
  const isMovable = isAlone && !isMarkedAsUntransferable(buffer);
  return isMovable ? new Uint8Array(buffer) : new Uint8Array(part);
}

function startDigestThread(): Worker {
  return new Worker(new URL('./digest-worker.ts', import.meta.url), { name: 'digests' });
}
