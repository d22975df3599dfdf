/**
 * The main thread's hold on the replays' worker. Every call is answered exactly once: by the worker, by
 * disposal of its replay, or, when the worker is gone, by a rejection; then also every later one. A worker
 * that is gone without having been asked to go is told once.
 */

import { Worker } from 'node:worker_threads';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { CursorPlace, Replay, ReplayPage, ReplayRequest, Replays } from './replay.ts';
import {
  NotOnTapeError,
  ReplayClosedError,
  ReplayFailedError,
  ReplaysFullError,
} from './replay-errors.ts';
import type { FromReplayWorker, Refusal, ReplayWorkerData, ToReplayWorker } from './replay-wire.ts';
import type { TradingSessions } from './session-tables.ts';
import { REPLAYS_MAX } from './study-replays.ts';

export interface ReplayHandleOptions extends ReplayWorkerData {
  /** A replay failed, or the worker did (then without a request). */
  readonly onFault: (error: unknown, request: ReplayRequest | null) => void;
}

type Answer = Extract<FromReplayWorker, { t: 'located' | 'opened' | 'page' }>;
type Ask = (call: number) => ToReplayWorker;

export class ReplayHandle implements Replays, AsyncDisposable {
  readonly #worker: Worker;
  readonly #onFault: ReplayHandleOptions['onFault'];
  readonly #calls = new Map<number, PromiseWithResolvers<Answer>>();
  #lastCall = 0;
  #lastReplay = 0;
  #isOver = false;

  constructor({ onFault, ...setup }: ReplayHandleOptions) {
    this.#onFault = onFault;
    this.#worker = new Worker(new URL('./replay-worker.ts', import.meta.url), {
      name: 'replay',
      workerData: setup satisfies ReplayWorkerData,
      transferList: [setup.tapePort],
    });
    this.#worker.on('message', (message: FromReplayWorker) => this.#receive(message));
    this.#worker.on('error', (error) => this.#end(error));
    this.#worker.on('exit', (code) => this.#end(new Error(`the replays ended with code ${code}`)));
  }

  async locate(contract: string, cursor: string): Promise<CursorPlace> {
    const answer = await this.#call((call) => ({ t: 'locate', call, contract, cursor })).promise;
    if (answer.t !== 'located') throw new Error(`not an answer to locate: ${answer.t}`);
    return answer.place;
  }

  async open(request: ReplayRequest): Promise<Replay> {
    this.#lastReplay += 1;
    const replay = this.#lastReplay;
    await this.#call((call) => ({ t: 'open', call, replay, request })).promise;
    return new RemoteReplay(
      (until) => this.#call((call) => ({ t: 'next', call, replay, until })),
      () => this.#post({ t: 'close', replay }),
    );
  }

  /** Session books grow as time goes on; sessions that have opened never change. */
  updateSessions(sessions: TradingSessions): void {
    this.#post({ t: 'sessions', sessions });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#rejectAll(() => new ReplayClosedError());
    await this.#worker.terminate();
  }

  #call(ask: Ask): PromiseWithResolvers<Answer> {
    const answer = Promise.withResolvers<Answer>();
    if (this.#isOver) {
      answer.reject(new ReplayFailedError());
      return answer;
    }
    this.#lastCall += 1;
    this.#calls.set(this.#lastCall, answer);
    this.#post(ask(this.#lastCall));
    return answer;
  }

  #post(message: ToReplayWorker): void {
    if (!this.#isOver) this.#worker.postMessage(message);
  }

  #receive(message: FromReplayWorker): void {
    if (message.t === 'fault') {
      this.#onFault(message.error, message.request);
      return;
    }
    const answer = this.#calls.get(message.call);
    this.#calls.delete(message.call);
    if (message.t === 'refused') answer?.reject(errorOf(message.why));
    else answer?.resolve(message);
  }

  #end(cause: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onFault(cause, null);
    this.#rejectAll(() => new ReplayFailedError(cause));
  }

  #rejectAll(error: () => Error): void {
    for (const answer of this.#calls.values()) answer.reject(error());
    this.#calls.clear();
  }
}

class RemoteReplay implements Replay {
  readonly #ask: (until: EpochNs | null) => PromiseWithResolvers<Answer>;
  readonly #close: () => void;
  #asked: PromiseWithResolvers<Answer> | null = null;
  #isClosed = false;

  constructor(ask: (until: EpochNs | null) => PromiseWithResolvers<Answer>, close: () => void) {
    this.#ask = ask;
    this.#close = close;
  }

  async next(until?: EpochNs): Promise<ReplayPage> {
    if (this.#isClosed) throw new ReplayClosedError();
    if (this.#asked !== null) throw new Error('one page at a time');
    this.#asked = this.#ask(until ?? null);
    try {
      const answer = await this.#asked.promise;
      if (answer.t !== 'page') throw new Error(`not an answer to next: ${answer.t}`);
      return answer.page;
    } finally {
      this.#asked = null;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // An answer that is under way finds nobody waiting.
    this.#asked?.reject(new ReplayClosedError());
    this.#close();
  }
}

function errorOf(why: Refusal): Error {
  switch (why) {
    case 'full':
      return new ReplaysFullError(REPLAYS_MAX);
    case 'not-on-tape':
      return new NotOnTapeError('the tape does not have what was asked for');
    case 'failed':
      return new ReplayFailedError();
    default:
      throw new RangeError(`no such refusal: ${why satisfies never}`);
  }
}
