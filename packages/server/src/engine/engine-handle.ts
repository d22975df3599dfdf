/**
 * The main thread's hold on an engine's worker: passes commands on, hears messages in order, and tells
 * exactly once when the worker is gone without having been asked to go.
 */

import { Worker } from 'node:worker_threads';
import type { TradingSessions } from '../runs/session-tables.ts';
import type { EngineCommand, EngineLink, EngineMessage, TopicSpec } from '../topics/engine-link.ts';
import type { EngineWorkerData, FromEngineWorker, ToEngineWorker } from './engine-wire.ts';
import { ACKNOWLEDGE_BYTES } from './outgoing-flow.ts';

export interface EngineHandleOptions extends EngineWorkerData {
  /** Its place among the engines of the process. */
  readonly index: number;
  /** A topic's computation failed, or the worker did (then without a topic). */
  readonly onFault: (error: unknown, spec: TopicSpec | null) => void;
}

export class EngineHandle implements EngineLink, AsyncDisposable {
  readonly #worker: Worker;
  readonly #onFault: EngineHandleOptions['onFault'];
  #hear: ((message: EngineMessage) => void) | null = null;
  #lost: ((cause: Error) => void) | null = null;
  #isOver = false;
  #takenBytes = 0;

  constructor({ onFault, index, ...setup }: EngineHandleOptions) {
    this.#onFault = onFault;
    this.#worker = new Worker(new URL('./engine-worker.ts', import.meta.url), {
      name: `engine-${index}`,
      workerData: setup satisfies EngineWorkerData,
      transferList: [setup.tapePort],
    });
    this.#worker.on('message', (message: FromEngineWorker) => this.#receive(message));
    this.#worker.on('error', (error) =>
      this.#end(error instanceof Error ? error : new Error('the engine failed', { cause: error })),
    );
    this.#worker.on('exit', (code) => this.#end(new Error(`the engine ended with code ${code}`)));
  }

  /** Called before the first command, so that no message is missed. */
  listen(hear: (message: EngineMessage) => void, lost: (cause: Error) => void): void {
    this.#hear = hear;
    this.#lost = lost;
  }

  send(command: EngineCommand): void {
    this.#post(command);
  }

  /** Session books grow as time goes on; sessions that have opened never change. */
  updateSessions(sessions: TradingSessions): void {
    this.#post({ t: 'sessions', sessions });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.#worker.terminate();
  }

  #post(message: ToEngineWorker): void {
    if (!this.#isOver) this.#worker.postMessage(message);
  }

  #receive(message: FromEngineWorker): void {
    if (message.t === 'fault') {
      this.#onFault(message.error, message.spec);
      return;
    }
    this.#hear?.(message);
    if (message.t !== 'flush' && message.t !== 'snapshot') return;
    this.#takenBytes += message.bytes.length;
    if (this.#takenBytes < ACKNOWLEDGE_BYTES) return;
    this.#post({ t: 'acknowledge', bytes: this.#takenBytes });
    this.#takenBytes = 0;
  }

  #end(cause: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onFault(cause, null);
    this.#lost?.(cause);
  }
}
