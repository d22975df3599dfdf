/**
 * The main thread's hold on the ingest thread. It tells once and for all when trades are no longer
 * taken in, whether the thread said so or died; asked to stop, it gives the thread a bounded time.
 */

import { once } from 'node:events';
import { type MessagePort, Worker } from 'node:worker_threads';
import type { FromIngest, IngestOpened, IngestWorkerData, ToIngest } from './ingest-wire.ts';
import { StartRefusedError } from './start-refused-error.ts';

/** What is left of the two seconds of a clean stop is for the rest of the process. */
const STOP_WITHIN_MS = 1_500;

/** What the ingest thread tells while it runs. */
export type IngestNews = Exclude<FromIngest, { readonly t: 'opened' | 'refused' | 'down' }>;

export interface IngestEvents {
  hear(message: IngestNews): void;
  /** Called once. */
  down(error: unknown): void;
}

export class IngestHandle implements AsyncDisposable {
  readonly #worker: Worker;
  readonly #events: IngestEvents;
  readonly #opened = Promise.withResolvers<IngestOpened>();
  readonly #exited: Promise<unknown>;
  #isOpen = false;
  #isDown = false;
  #isStopping = false;

  constructor(setting: IngestWorkerData, events: IngestEvents) {
    this.#events = events;
    this.#worker = new Worker(new URL('./ingest-worker.ts', import.meta.url), {
      name: 'ingest',
      workerData: setting,
    });
    this.#exited = once(this.#worker, 'exit');
    // Whoever waits for it hears of it; a start that fails before it waits has told why already.
    this.#opened.promise.catch(() => undefined);
    this.#worker.on('message', (message: FromIngest) => this.#receive(message));
    this.#worker.on('error', (error) => this.#end(error));
    this.#worker.on('exit', (code) => this.#end(new Error(`the ingest ended with code ${code}`)));
  }

  /** Resolves when the tape is open; rejects when it cannot be opened. */
  get opened(): Promise<IngestOpened> {
    return this.#opened.promise;
  }

  follow(port: MessagePort): void {
    const message: ToIngest = { t: 'follow', port };
    this.#worker.postMessage(message, [port]);
  }

  /** Whether the thread closed its tape in time; it is gone either way. */
  async stop(): Promise<boolean> {
    this.#isStopping = true;
    const message: ToIngest = { t: 'stop' };
    this.#worker.postMessage(message);
    const { promise: late, resolve } = Promise.withResolvers<'late'>();
    const timer = setTimeout(() => resolve('late'), STOP_WITHIN_MS);
    const outcome = await Promise.race([this.#exited, late]);
    clearTimeout(timer);
    if (outcome === 'late') await this.#worker.terminate();
    return outcome !== 'late' && !this.#isDown;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true;
    await this.#worker.terminate();
  }

  #receive(message: FromIngest): void {
    if (message.t === 'opened') {
      this.#isOpen = true;
      this.#opened.resolve(message);
    } else if (message.t === 'refused') this.#opened.reject(new StartRefusedError(message.reason));
    else if (message.t === 'down') this.#end(message.error);
    else this.#events.hear(message);
  }

  #end(error: unknown): void {
    this.#opened.reject(error);
    if (!this.#isOpen || this.#isDown || this.#isStopping) return;
    this.#isDown = true;
    this.#events.down(error);
  }
}
