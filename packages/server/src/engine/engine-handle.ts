/**
 * The main thread's handle of an engine: it passes commands on, delivers messages in order, and reports exactly once
 * when the engine is gone without having been asked to stop.
 */

import { Worker } from 'node:worker_threads';
import { Thread } from '../platform/threads/thread.ts';
import type { TradingSessions } from '../runs/session-tables.ts';
import type { EngineCommand, EngineLink, EngineMessage, TopicSpec } from '../topics/engine-link.ts';
import type { EngineNews, EngineShape, EngineWorkerData } from './engine-wire.ts';
import { ACKNOWLEDGE_BYTES } from './outgoing-flow.ts';

export interface EngineHandleOptions extends EngineWorkerData {
  /** Its slot among the engines of the process. */
  readonly index: number;
  /** A topic's computation failed, or the worker did (then without a topic). */
  readonly onFault: (error: unknown, spec: TopicSpec | null) => void;
}

export class EngineHandle implements EngineLink, AsyncDisposable {
  readonly #thread: Thread<EngineShape>;
  readonly #onFault: EngineHandleOptions['onFault'];
  #hear: ((message: EngineMessage) => void) | null = null;
  #lost: ((cause: Error) => void) | null = null;
  #takenBytes = 0;

  constructor({ onFault, index, ...setup }: EngineHandleOptions) {
    this.#onFault = onFault;
    const worker = new Worker(new URL('./engine-worker.ts', import.meta.url), {
      name: `engine-${index}`,
      workerData: setup satisfies EngineWorkerData,
      transferList: [...setup.tapePorts.values()],
    });
    this.#thread = new Thread<EngineShape>(worker, {
      name: 'the engine',
      hear: (news) => this.#receive(news),
      onGone: (cause) => {
        onFault(cause, null);
        this.#lost?.(cause);
      },
    });
  }

  /** Called before the first command, so that no message is missed. */
  listen(hear: (message: EngineMessage) => void, lost: (cause: Error) => void): void {
    this.#hear = hear;
    this.#lost = lost;
  }

  send(command: EngineCommand): void {
    this.#thread.tell(command);
  }

  /** Session books grow as time goes on; sessions that have opened never change. */
  updateSessions(sessions: TradingSessions): void {
    this.#thread.tell({ t: 'sessions', sessions });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread[Symbol.asyncDispose]();
  }

  #receive(message: EngineNews): void {
    if (message.t === 'fault') {
      this.#onFault(message.error, message.spec);
      return;
    }
    this.#hear?.(message);
    if (message.t !== 'flush' && message.t !== 'snapshot') return;
    this.#takenBytes += message.block.memory.byteLength;
    if (this.#takenBytes < ACKNOWLEDGE_BYTES) return;
    this.#thread.tell({ t: 'acknowledge', bytes: this.#takenBytes });
    this.#takenBytes = 0;
  }
}
