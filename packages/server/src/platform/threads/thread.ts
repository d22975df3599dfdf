/**
 * A thread from its owner's side: calls with responses, orders without, news from the thread. Every call is settled
 * exactly once: by the thread, or by a rejection when it is gone, as are all later calls. An unrequested end is
 * reported once, after the calls are rejected. A stop lets calls in progress finish within a bounded time. Both
 * directions are ordered. The thread's side is `thread-desk.ts`; `thread-crew.ts` replaces lost threads.
 */

import type { Transferable } from 'node:worker_threads';

export interface ThreadShape {
  /** Calls by name. A thread that must load first has the call `open`. */
  readonly calls: Readonly<Record<string, (...args: never[]) => unknown>>;
  /** Messages to the thread without a response. */
  readonly orders: unknown;
  /** Unrequested messages from the thread. */
  readonly news: unknown;
  /** What the caller receives of an error: errors cross as data. */
  readonly refusal: unknown;
}

export type CallName<S extends ThreadShape> = keyof S['calls'] & string;
export type CallArgs<S extends ThreadShape, N extends CallName<S>> = Parameters<S['calls'][N]>;
export type Answer<S extends ThreadShape, N extends CallName<S>> = Awaited<
  ReturnType<S['calls'][N]>
>;

export type ToThread<S extends ThreadShape> =
  | {
      readonly t: 'call';
      readonly id: number;
      readonly name: CallName<S>;
      readonly args: readonly unknown[];
    }
  | { readonly t: 'order'; readonly order: S['orders'] }
  /** Finish calls in progress, close resources, and end. */
  | { readonly t: 'stop' };

export type FromThread<S extends ThreadShape> =
  | { readonly t: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly t: 'refused'; readonly id: number; readonly why: S['refusal'] }
  | { readonly t: 'news'; readonly news: S['news'] };

/** A worker, or its substitute in a test. */
export interface ThreadPort {
  on(event: 'message', hear: (message: unknown) => void): unknown;
  on(event: 'error', hear: (error: unknown) => void): unknown;
  on(event: 'exit', hear: (code: number) => void): unknown;
  postMessage(message: unknown, moves: readonly Transferable[]): void;
  terminate(): Promise<unknown>;
}

export interface ThreadOptions<S extends ThreadShape> {
  /** Its name in messages about its end: `the engine`. */
  readonly name: string;
  /** Whether the memory of arguments is transferred: the caller must not use it afterwards. */
  readonly movesMemory?: boolean;
  readonly hear?: (news: S['news']) => void;
  readonly onGone?: (cause: Error) => void;
  /** Makes the error of a rejected call. */
  readonly errorOf?: (why: S['refusal']) => Error;
  /** Makes the error of calls when the thread is gone by itself; default: the cause. */
  readonly goneError?: (cause: Error) => Error;
  /** Makes the error of calls after a requested end. */
  readonly closedError?: () => Error;
}

export class Thread<S extends ThreadShape> implements AsyncDisposable {
  readonly #port: ThreadPort;
  readonly #options: ThreadOptions<S>;
  readonly #calls = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #exited = Promise.withResolvers<'exited'>();
  #lastCall = 0;
  /** Makes the error of later calls; null while the thread serves. */
  #over: (() => Error) | null = null;

  constructor(port: ThreadPort, options: ThreadOptions<S>) {
    const { name } = options;
    this.#port = port;
    this.#options = options;
    port.on('message', (message) => this.#receive(message as FromThread<S>));
    port.on('error', (error) =>
      this.#end(error instanceof Error ? error : new Error(`${name} failed`, { cause: error })),
    );
    port.on('exit', (code) => {
      this.#exited.resolve('exited');
      this.#end(new Error(`${name} ended with code ${code}`));
    });
  }

  get callCount(): number {
    return this.#calls.size;
  }

  async call<N extends CallName<S>>(name: N, ...args: CallArgs<S, N>): Promise<Answer<S, N>> {
    if (this.#over !== null) throw this.#over();
    this.#lastCall += 1;
    const id = this.#lastCall;
    // Throws for data that cannot be transferred, which is a programming error; no call is registered then.
    const moves = this.#options.movesMemory === true ? memoryOf(args) : [];
    this.#post({ t: 'call', id, name, args }, moves);
    const answer = Promise.withResolvers<unknown>();
    this.#calls.set(id, answer);
    // The thread responds with the type that its shape gives for the name.
    return (await answer.promise) as Answer<S, N>;
  }

  /** Does nothing once the thread is gone or stopping. */
  tell(order: S['orders'], moves: readonly Transferable[] = []): void {
    if (this.#over === null) this.#post({ t: 'order', order }, moves);
  }

  /** Resolves to whether it ended by itself in time; it is gone either way. */
  async stop(withinMs: number): Promise<boolean> {
    if (this.#over === null) this.#post({ t: 'stop' });
    this.#over ??= () => this.#closedError();
    const late = Promise.withResolvers<'late'>();
    const timer = setTimeout(() => late.resolve('late'), withinMs);
    const outcome = await Promise.race([this.#exited.promise, late.promise]);
    clearTimeout(timer);
    await this[Symbol.asyncDispose]();
    return outcome === 'exited';
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over ??= () => this.#closedError();
    this.#rejectAll(this.#over);
    await this.#port.terminate();
  }

  #post(message: ToThread<S>, moves: readonly Transferable[] = []): void {
    this.#port.postMessage(message, moves);
  }

  #receive(message: FromThread<S>): void {
    if (message.t === 'news') {
      this.#options.hear?.(message.news);
      return;
    }
    const call = this.#calls.get(message.id);
    this.#calls.delete(message.id);
    if (message.t === 'answer') call?.resolve(message.answer);
    else call?.reject(this.#options.errorOf?.(message.why) ?? message.why);
  }

  #end(cause: Error): void {
    const { goneError = (error) => error, onGone } = this.#options;
    const isAsked = this.#over !== null;
    this.#over ??= () => goneError(cause);
    this.#rejectAll(this.#over);
    if (!isAsked) onGone?.(cause);
  }

  #rejectAll(error: () => Error): void {
    for (const call of this.#calls.values()) call.reject(error());
    this.#calls.clear();
  }

  #closedError(): Error {
    const { name, closedError } = this.#options;
    return closedError?.() ?? new Error(`${name} is closed`);
  }
}

/**
 * The transferable memory of plain data: buffers, and those of columns that span their whole buffer. A buffer with
 * several columns must be listed itself, or it is copied.
 */
export function memoryOf(value: unknown): readonly ArrayBuffer[] {
  const found = new Set<ArrayBuffer>();
  collect(value, found);
  return [...found];
}

function collect(value: unknown, found: Set<ArrayBuffer>): void {
  if (typeof value !== 'object' || value === null) return;
  if (ArrayBuffer.isView(value)) {
    if (value.buffer.byteLength === value.byteLength) collect(value.buffer, found);
  } else if (value instanceof ArrayBuffer) {
    // Empty buffers may be shared by unrelated data.
    if (value.byteLength > 0) found.add(value);
  } else if (!(value instanceof SharedArrayBuffer))
    for (const part of Object.values(value)) collect(part, found);
}
