/**
 * One response whose body is read as it arrives. The caller's signal works until the body has ended; a server that
 * sends nothing for `timeoutMs` is given up. No timer, listener or open body is left behind.
 */

import type { ClientClock } from '../options.ts';
import { TapeloomError } from '../tapeloom-error.ts';

export interface AskedAnswer {
  readonly fetch: typeof fetch;
  readonly clock: ClientClock;
  /** The longest time without a byte. */
  readonly timeoutMs: number;
  readonly url: string;
  readonly init: RequestInit;
  /** For messages: the request without secrets. */
  readonly name: string;
  readonly signal: AbortSignal | undefined;
}

export class OpenAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly type: Response['type'];
  readonly name: string;
  readonly #watch: Watch;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | null;

  private constructor(response: Response, watch: Watch) {
    this.status = response.status;
    this.headers = response.headers;
    this.type = response.type;
    this.name = watch.name;
    this.#watch = watch;
    this.#reader = response.body?.getReader() ?? null;
  }

  /** Rejects with the signal's reason, or with `NETWORK`. */
  static async of(asked: AskedAnswer): Promise<OpenAnswer> {
    asked.signal?.throwIfAborted();
    const watch = new Watch(asked);
    try {
      const { fetch, url, init } = asked;
      const answered = fetch(url, { ...init, signal: watch.signal });
      return new OpenAnswer(await watch.awaited(answered), watch);
    } catch (error) {
      watch.end();
      throw watch.failure(error);
    }
  }

  /** The next piece of the body; null at its end, where everything is released. */
  async next(): Promise<Uint8Array | null> {
    if (this.#reader === null) {
      this.#watch.end();
      return null;
    }
    try {
      const { done, value } = await this.#watch.awaited(this.#reader.read());
      if (!done) return value;
      this.#watch.end();
      return null;
    } catch (error) {
      this.dispose();
      throw this.#watch.failure(error);
    }
  }

  /** The whole body; null if it is longer than `bytesMax`. */
  async whole(bytesMax: number): Promise<Uint8Array | null> {
    const pieces: Uint8Array[] = [];
    let length = 0;
    for (let piece = await this.next(); piece !== null; piece = await this.next()) {
      pieces.push(piece);
      length += piece.length;
      if (length > bytesMax) {
        this.dispose();
        return null;
      }
    }
    return joinBytes(pieces, length);
  }

  /** Ends the request; the rest of the body is not read. */
  dispose(): void {
    this.#watch.end();
    this.#watch.abort();
    this.#reader?.cancel().catch(() => {});
  }
}

export function joinBytes(pieces: readonly Uint8Array[], length: number): Uint8Array {
  if (pieces.length === 1) return pieces[0]!;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** Watches the caller's signal and the time without data. */
class Watch {
  readonly name: string;
  readonly #controller = new AbortController();
  readonly #clock: ClientClock;
  readonly #timeoutMs: number;
  readonly #signal: AbortSignal | undefined;
  readonly #stopped: Promise<never>;
  readonly #stop: (reason: unknown) => void;
  readonly #onAbort = () => this.#give(this.#signal?.reason);

  constructor({ name, clock, timeoutMs, signal }: AskedAnswer) {
    this.name = name;
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#signal = signal;
    let stop: (reason: unknown) => void = () => {};
    this.#stopped = new Promise((_, reject) => {
      stop = reject;
    });
    this.#stopped.catch(() => {});
    this.#stop = stop;
    signal?.addEventListener('abort', this.#onAbort);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Awaits `wanted`, but rejects at an abort or timeout, even if `fetch` ignores its signal. */
  async awaited<T>(wanted: Promise<T>): Promise<T> {
    const timer = this.#clock.after(this.#timeoutMs, () => {
      const seconds = this.#timeoutMs / 1_000;
      this.#give(new TapeloomError('NETWORK', `${this.name}: nothing came for ${seconds} s.`));
    });
    try {
      return await Promise.race([wanted, this.#stopped]);
    } finally {
      timer.cancel();
    }
  }

  /** The caller's own reason, or the cause of the failure. */
  failure(error: unknown): unknown {
    if (this.#signal?.aborted === true) return this.#signal.reason;
    if (error instanceof TapeloomError) return error;
    return new TapeloomError('NETWORK', `${this.name}: ${reasonOf(error)}`, { cause: error });
  }

  end(): void {
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }

  abort(): void {
    this.#controller.abort();
  }

  #give(reason: unknown): void {
    this.#stop(reason);
    this.#controller.abort(reason);
  }
}

/** The message of `fetch` is vague; its cause has the details. */
function reasonOf(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  const inner = cause instanceof Error && cause.message !== '' ? ` (${cause.message})` : '';
  return `no answer, or not all of it: ${message}${inner}`;
}
