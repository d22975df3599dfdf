/**
 * A thread's side of the messages with its owner (`thread.ts`): responds to every call exactly once, and sends news.
 * Errors that the module knows cross as data; any other error ends the thread, and its owner gets the cause. Messages
 * that arrive before `open` wait for it.
 */

import type { Transferable } from 'node:worker_threads';
import {
  type CallArgs,
  type CallName,
  type FromThread,
  memoryOf,
  type ThreadShape,
  type ToThread,
} from './thread.ts';

export interface DeskOptions<S extends ThreadShape> {
  readonly calls: {
    readonly [N in CallName<S>]: (
      ...args: CallArgs<S, N>
    ) => ReturnType<S['calls'][N]> | Promise<ReturnType<S['calls'][N]>>;
  };
  readonly obey?: (order: S['orders']) => void;
  /** What the caller receives of an error; throws unknown errors. */
  readonly refusalOf?: (error: unknown) => S['refusal'];
  /** Whether the memory of responses is transferred: the thread must not use it afterwards. */
  readonly movesMemory?: boolean;
  /** Closes resources once all calls have finished. */
  readonly stop?: () => Promise<void>;
}

export interface DeskPort {
  on(event: 'message', hear: (message: unknown) => void): unknown;
  postMessage(message: unknown, moves: readonly Transferable[]): void;
  close(): void;
}

type Call<S extends ThreadShape> = Extract<ToThread<S>, { t: 'call' }>;

export class ThreadDesk<S extends ThreadShape> {
  readonly #port: DeskPort;
  readonly #underWay = new Set<Promise<void>>();

  constructor(port: DeskPort) {
    this.#port = port;
  }

  get callCount(): number {
    return this.#underWay.size;
  }

  open(options: DeskOptions<S>): void {
    this.#port.on('message', (message) => this.#receive(message as ToThread<S>, options));
  }

  tell(news: S['news'], moves: readonly Transferable[] = []): void {
    this.#post({ t: 'news', news }, moves);
  }

  #receive(message: ToThread<S>, options: DeskOptions<S>): void {
    switch (message.t) {
      case 'call': {
        const answered = this.#answer(message, options);
        this.#underWay.add(answered);
        // A rejection here ends the thread.
        void answered.then(() => this.#underWay.delete(answered));
        return;
      }
      case 'order':
        options.obey?.(message.order);
        return;
      case 'stop':
        void this.#stop(options);
        return;
      default:
        throw new RangeError(`no such message: ${JSON.stringify(message satisfies never)}`);
    }
  }

  async #answer({ id, name, args }: Call<S>, options: DeskOptions<S>): Promise<void> {
    try {
      const answer: unknown = await options.calls[name](...(args as CallArgs<S, typeof name>));
      const moves = options.movesMemory === true ? memoryOf(answer) : [];
      this.#post({ t: 'answer', id, answer }, moves);
    } catch (error) {
      if (options.refusalOf === undefined) throw error;
      this.#post({ t: 'refused', id, why: options.refusalOf(error) });
    }
  }

  async #stop({ stop }: DeskOptions<S>): Promise<void> {
    await Promise.all(this.#underWay);
    await stop?.();
    this.#port.close();
  }

  #post(message: FromThread<S>, moves: readonly Transferable[] = []): void {
    this.#port.postMessage(message, moves);
  }
}
