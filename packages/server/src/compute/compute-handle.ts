/**
 * The main thread's hold on one compute thread. Every call is answered exactly once: by the thread, or by
 * a rejection when it is gone; then also every later one. A thread that is gone without having been asked
 * to go is told once.
 */

import { Worker } from 'node:worker_threads';
import type { UtcDay } from '@tapeloom/core/numbers';
import { Refusal } from '../platform/refusal.ts';
import type {
  ComputeAnswer,
  ComputeCall,
  ComputeCallName,
  ComputeCalls,
  ComputeRequest,
  ComputeThreadData,
  FromComputeThread,
  ToComputeThread,
} from './compute-wire.ts';

/** A thread, or what stands for one in a test. */
export interface ComputeThread {
  post(message: ToComputeThread): void;
  /** Names the one who hears the thread; `ended` may be called more than once. */
  listen(hear: (message: FromComputeThread) => void, ended: (cause: unknown) => void): void;
  end(): Promise<void>;
}

export interface ComputeHandleEvents {
  /** A call failed. */
  fault(error: unknown, request: ComputeRequest | null): void;
  damaged(contract: string, day: UtcDay): void;
  /** The thread is gone. */
  ended(cause: unknown): void;
}

export function startComputeThread(data: ComputeThreadData): ComputeThread {
  const sent = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const worker = new Worker(new URL('./compute-worker.ts', import.meta.url), {
    name: 'compute',
    workerData: { ...data, sent: sent.buffer } satisfies ComputeThreadData,
    transferList: [data.tapePort],
  });
  return {
    post(message) {
      Atomics.add(sent, 0, 1);
      worker.postMessage(message);
    },
    listen(hear, ended) {
      worker.on('message', hear);
      worker.on('error', ended);
      worker.on('exit', (code) => ended(new Error(`a compute thread ended with code ${code}`)));
    },
    async end() {
      await worker.terminate();
    },
  };
}

export class ComputeHandle implements AsyncDisposable {
  readonly #thread: ComputeThread;
  readonly #events: ComputeHandleEvents;
  readonly #calls = new Map<number, PromiseWithResolvers<ComputeAnswer>>();
  #lastCall = 0;
  #isOver = false;
  #isDisposed = false;

  constructor(thread: ComputeThread, events: ComputeHandleEvents) {
    this.#thread = thread;
    this.#events = events;
    thread.listen(
      (message) => this.#receive(message),
      (cause) => this.#end(cause),
    );
  }

  /** Calls that are not answered. */
  get callCount(): number {
    return this.#calls.size;
  }

  /** Who called may reject the answer himself, and then waits for it no longer. */
  call<Name extends ComputeCallName>(
    name: Name,
    of: ComputeCalls[Name]['of'],
  ): PromiseWithResolvers<ComputeCalls[Name]['answer']> {
    const answer = Promise.withResolvers<ComputeAnswer>();
    if (this.#isOver) answer.reject(new Refusal({ t: this.#isDisposed ? 'shut-down' : 'failed' }));
    else {
      this.#lastCall += 1;
      this.#calls.set(this.#lastCall, answer);
      this.post({ t: 'call', call: this.#lastCall, name, of } as ComputeCall);
    }
    // The thread answers a call with what the wire says of its name.
    return answer as PromiseWithResolvers<ComputeCalls[Name]['answer']>;
  }

  post(message: ToComputeThread): void {
    if (!this.#isOver) this.#thread.post(message);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#isDisposed = true;
    this.#rejectAll(() => new Refusal({ t: 'shut-down' }));
    await this.#thread.end();
  }

  #receive(message: FromComputeThread): void {
    if (message.t === 'fault') {
      this.#events.fault(message.error, message.request);
      return;
    }
    const answer = this.#calls.get(message.call);
    this.#calls.delete(message.call);
    if (message.t === 'answer') {
      answer?.resolve(message.answer);
      return;
    }
    const { why } = message;
    if (why.t === 'day-damaged') this.#events.damaged(why.contract, why.day);
    answer?.reject(new Refusal(why));
  }

  #end(cause: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#rejectAll(() => new Refusal({ t: 'failed' }, cause));
    this.#events.ended(cause);
  }

  #rejectAll(error: () => Error): void {
    for (const answer of this.#calls.values()) answer.reject(error());
    this.#calls.clear();
  }
}
