/**
 * A thread, as who started it holds it: calls with answers, orders without, news from it. Every call is answered
 * exactly once: by the thread, or by a rejection when it is gone; then also every later one. A thread that is
 * gone without having been asked to go is told once, after its calls have been rejected. Asked to stop, it answers
 * what is under way and has a bounded time for it. Both directions keep their order.
 *
 * The other side is `thread-desk.ts`; what follows a thread that is gone is for `thread-crew.ts`, or for who
 * hears of it.
 */

import type { Transferable } from 'node:worker_threads';

/** What passes between a thread and its holder. */
export interface ThreadShape {
  /** What it is asked, by name. A thread that must load first is asked to `open`. */
  readonly calls: Readonly<Record<string, (...args: never[]) => unknown>>;
  /** What it is told and does not answer. */
  readonly orders: unknown;
  /** What it tells unasked. */
  readonly news: unknown;
  /** What is told of an error to who asked: errors cross as data. */
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
  /** Answer what is under way, close what is open, and end. */
  | { readonly t: 'stop' };

export type FromThread<S extends ThreadShape> =
  | { readonly t: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly t: 'refused'; readonly id: number; readonly why: S['refusal'] }
  | { readonly t: 'news'; readonly news: S['news'] };

/** A worker, or what stands for one in a test. */
export interface ThreadPort {
  on(event: 'message', hear: (message: unknown) => void): unknown;
  on(event: 'error', hear: (error: unknown) => void): unknown;
  on(event: 'exit', hear: (code: number) => void): unknown;
  postMessage(message: unknown, moves: readonly Transferable[]): void;
  terminate(): Promise<unknown>;
}

export interface ThreadOptions<S extends ThreadShape> {
  /** What it is called where its end is told: `the engine`. */
  readonly name: string;
  /** Whether the memory of arguments is moved: then nobody here may use it afterwards. */
  readonly movesMemory?: boolean;
  readonly hear?: (news: S['news']) => void;
  readonly onGone?: (cause: Error) => void;
  /** What a call rejects with that was refused. */
  readonly errorOf?: (why: S['refusal']) => Error;
  /** What calls reject with when the thread is gone by itself; if nothing is said, the cause. */
  readonly goneError?: (cause: Error) => Error;
  /** The same when it was asked to go. */
  readonly closedError?: () => Error;
}

export class Thread<S extends ThreadShape> implements AsyncDisposable {
  readonly #port: ThreadPort;
  readonly #options: ThreadOptions<S>;
  readonly #calls = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #exited = Promise.withResolvers<'exited'>();
  #lastCall = 0;
  /** What later calls reject with; null while it serves. */
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

  /** Calls that are not answered. */
  get callCount(): number {
    return this.#calls.size;
  }

  async call<N extends CallName<S>>(name: N, ...args: CallArgs<S, N>): Promise<Answer<S, N>> {
    if (this.#over !== null) throw this.#over();
    this.#lastCall += 1;
    const id = this.#lastCall;
    // Throws for what cannot cross to a thread, which is our own mistake: then nobody waits for it.
    const moves = this.#options.movesMemory === true ? memoryOf(args) : [];
    this.#post({ t: 'call', id, name, args }, moves);
    const answer = Promise.withResolvers<unknown>();
    this.#calls.set(id, answer);
    // The thread answers a call with what its shape says of the name.
    return (await answer.promise) as Answer<S, N>;
  }

  /** A thread that is gone, or going, is told nothing. */
  tell(order: S['orders'], moves: readonly Transferable[] = []): void {
    if (this.#over === null) this.#post({ t: 'order', order }, moves);
  }

  /** Whether it ended by itself within the time; it is gone either way. */
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

  /** At once, whatever is under way. */
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
 * The memory of plain data that can be moved as a whole: buffers, and those of columns that take all of
 * theirs. What holds more than one column is named by itself, or is copied.
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
    // None at all may be anybody's.
    if (value.byteLength > 0) found.add(value);
  } else if (!(value instanceof SharedArrayBuffer))
    for (const part of Object.values(value)) collect(part, found);
}
