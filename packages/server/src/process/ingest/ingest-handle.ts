/**
 * The main thread's handle of the ingest thread. It reports exactly once that trades are no longer ingested, whether
 * the thread reported that or died. A stop gives the thread a bounded time.
 */

import { type MessagePort, Worker } from 'node:worker_threads';
import type { UtcDay } from '@tapeloom/core/numbers';
import type { PushPosition } from '@tapeloom/protocol/push';
import type { ListedDataset } from '../../markets/instruments/instruments-file.ts';
import { StartRefusedError } from '../../operations/start/start-refused-error.ts';
import type { PushAnswer, PushRequest } from '../../platform/push-exchange.ts';
import { Thread } from '../../platform/threads/thread.ts';
import type { Computations } from '../../topics/epoch-floors.ts';
import type {
  FromIngest,
  IngestOpened,
  IngestShape,
  IngestWorkerData,
  TapeSpread,
} from './ingest-wire.ts';

/** The rest of the two seconds of a clean stop is for the rest of the process. */
const STOP_WITHIN_MS = 1_500;
/** For each further dataset: their threads end at the same time, on as many cores as there are. */
const STOP_FURTHER_MS = 500;
/** A node that appends waits for its successor, about two seconds if servers respond, and gives up before this. */
const SHARED_STOP_WITHIN_MS = 8_000;

export type IngestNews = Exclude<FromIngest, { readonly t: 'down' }>;

export interface IngestEvents {
  hear(message: IngestNews): void;
  down(error: unknown): void;
}

export class IngestHandle implements AsyncDisposable {
  readonly #thread: Thread<IngestShape>;
  readonly #events: IngestEvents;
  readonly #stopWithinMs: number;
  readonly #opened = Promise.withResolvers<IngestOpened>();
  #isOpen = false;
  #isDown = false;
  #isStopping = false;

  constructor(workerData: IngestWorkerData, events: IngestEvents) {
    this.#events = events;
    const isShared = workerData.shared !== undefined;
    this.#stopWithinMs = isShared ? SHARED_STOP_WITHIN_MS : STOP_WITHIN_MS;
    const options = { name: `ingest-${workerData.market.kind}`, workerData };
    const worker = isShared
      ? new Worker(new URL('./shared-ingest-worker.ts', import.meta.url), options)
      : new Worker(new URL('./ingest-worker.ts', import.meta.url), options);
    this.#thread = new Thread<IngestShape>(worker, {
      name: 'the ingest',
      hear: (news) => (news.t === 'down' ? this.#end(news.error) : events.hear(news)),
      errorOf: (reason) => new StartRefusedError(reason),
      onGone: (cause) => this.#end(cause),
    });
    void this.#open();
    // Callers that await it get the error. If a start fails before it awaits this, it has reported the reason already.
    this.#opened.promise.catch(() => undefined);
  }

  get opened(): Promise<IngestOpened> {
    return this.#opened.promise;
  }

  follow(port: MessagePort): void {
    this.#thread.tell({ t: 'follow', port }, [port]);
  }

  /** The port follows the tape of another dataset. */
  join(dataset: string, port: MessagePort): void {
    this.#thread.tell({ t: 'join', dataset, port }, [port]);
  }

  /** A reader waits for the present: requests a watermark from the source, on whichever node it runs. */
  wantWatermark(): void {
    this.#thread.tell({ t: 'watermark-wanted' });
  }

  relist(listed: ListedDataset): void {
    this.#thread.tell({ t: 'relist', listed });
  }

  agree(computations: Computations): void {
    this.#thread.tell({ t: 'agree', computations });
  }

  /** The main thread applies these floors: the tape may proceed. */
  floorsHold(text: string): void {
    this.#thread.tell({ t: 'floors-hold', text });
  }

  spread(spread: TapeSpread): void {
    this.#thread.tell({ t: 'spread', spread });
  }

  /** A thread could not read a day: its files are checked, and the result arrives as `checked`. */
  check(symbol: string, day: UtcDay): void {
    this.#thread.tell({ t: 'check', symbol, day });
  }

  /** Whether the days that other nodes have are here too; true if the thread can no longer respond. */
  async daysHere(symbol: string, first: UtcDay, last: UtcDay): Promise<boolean> {
    return await this.#thread.call('daysHere', symbol, first, last).catch(() => true);
  }

  /** Rejects if the thread is gone. */
  async push(request: PushRequest): Promise<PushAnswer> {
    return await this.#thread.call('push', request);
  }

  async pushPosition(): Promise<PushPosition | null> {
    return await this.#thread.call('pushPosition');
  }

  /** Resolves to whether the thread closed its tape in time; it has ended either way. `others`: so many stop too. */
  async stop(others: number): Promise<boolean> {
    this.#isStopping = true;
    const isInTime = await this.#thread.stop(this.#stopWithinMs + others * STOP_FURTHER_MS);
    return isInTime && !this.#isDown;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true;
    await this.#thread[Symbol.asyncDispose]();
  }

  async #open(): Promise<void> {
    try {
      const opened = await this.#thread.call('open');
      this.#isOpen = true;
      this.#opened.resolve(opened);
    } catch (error) {
      this.#opened.reject(error);
    }
  }

  #end(error: unknown): void {
    this.#opened.reject(error);
    if (!this.#isOpen || this.#isDown || this.#isStopping) return;
    this.#isDown = true;
    this.#events.down(error);
  }
}
