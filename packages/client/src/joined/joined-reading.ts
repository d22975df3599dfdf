/**
 * The past and the present of an indicator as one series without gaps or duplicates. A stream reports its cursor C,
 * history provides everything from `from` up to C, and a stream that resumes after C provides the rest. The service
 * recomputes what it no longer has in memory, so slow pages and lost connections leave no gap. A later `reset` voids
 * the whole series, which restarts with the stream's snapshot; the past of that needs another joined reading.
 */

import type { StreamMode } from '@tapeloom/protocol/client-messages';
import { Finals } from '../finals.ts';
import type {
  IndicatorName,
  IndicatorObject,
  NamedIndicator,
  ParamsOf,
  Snapshot,
} from '../indicator-objects.ts';
import type { HistoryReading } from '../rest/history-reading.ts';
import type { HistoryRequest } from '../rest/history-request.ts';
import { keptFinals } from '../stream/kept-objects.ts';
import type { SubscribeRequest, Subscription } from '../stream/subscription.ts';
import type { SubscriptionState } from '../stream/subscription-state.ts';
import type { StreamUpdate } from '../stream/update.ts';
import { TapeloomError } from '../tapeloom-error.ts';
import type { Time } from '../times.ts';
import { JoinedState } from './joined-state.ts';
import { LiveTail } from './live-tail.ts';

const QUEUE_MAX = 10_000;
/** The stream's own state is not shown to the caller, so it keeps no more than a snapshot can have. */
const STREAM_KEEP_FINAL = 5_000;

export interface JoinedRequest<I extends string = IndicatorName> {
  readonly indicator: I & NamedIndicator<I>;
  /** A contract, or an alias that has meant the same contract since `from`. */
  readonly instrument: string;
  readonly params?: ParamsOf<I>;
  readonly mode?: StreamMode;
  /** The start of the past. */
  readonly from: Time;
  /** Also for the past: the state at `from`, then every version that a stream published. Default: settled versions. */
  readonly everyVersion?: boolean;
  /** Results per page of history. */
  readonly limit?: number;
  /** Aborting it ends the iteration with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Updates that may be pending for a slow reader before the stream is paused. Default: 10,000. */
  readonly queueMax?: number;
  /** How many of the newest final objects the state keeps. Default: all of the range. */
  readonly keepFinal?: number;
}

/** The client functions that a joined reading uses. */
export interface JoinedSources<I extends string> {
  subscribe(request: SubscribeRequest<I>): Subscription<I>;
  history(request: HistoryRequest<I>): HistoryReading<I>;
}

/** `waiting`: for the stream's cursor. `history` and `live`: reading. `ended`: closed or failed. */
export type JoinedPhase = 'idle' | 'waiting' | 'history' | 'live' | 'ended';

/** History followed by the live stream. Iterate over it once, or over `finals()`. */
export class JoinedReading<I extends string = IndicatorName>
  implements AsyncIterable<StreamUpdate<I>>, AsyncDisposable
{
  readonly #sources: JoinedSources<I>;
  readonly #request: JoinedRequest<I>;
  readonly #state: JoinedState<I>;
  readonly #closing = new AbortController();
  #phase: JoinedPhase = 'idle';
  #tail: LiveTail<I> | null = null;

  constructor(sources: JoinedSources<I>, request: JoinedRequest<I>) {
    this.#sources = sources;
    this.#request = request;
    this.#state = new JoinedState(keptFinals(request.keepFinal));
  }

  get phase(): JoinedPhase {
    return this.#phase;
  }

  /** The state after all updates read so far. */
  get state(): SubscriptionState<I> {
    return this.#state;
  }

  /** Iterate once: the results of history in order, the objects still forming, then each update of the stream. */
  async *[Symbol.asyncIterator](): AsyncGenerator<StreamUpdate<I>, void, undefined> {
    if (this.#phase !== 'idle') {
      throw new TapeloomError('CONFIGURATION', 'A joined series can be iterated over once.');
    }
    try {
      yield* this.#updates();
    } catch (error) {
      if (!this.#closing.signal.aborted || this.#request.signal?.aborted === true) throw error;
    } finally {
      this.#phase = 'ended';
      await this.#tail?.close();
    }
  }

  /** Every object once, when it is final. Use it instead of the loop above. */
  finals(): Finals<I> {
    return new Finals(this);
  }

  /** Ends the iteration. */
  async close(): Promise<void> {
    this.#closing.abort(new TapeloomError('CLOSED', 'The joined series was closed.'));
    await this.#tail?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async *#updates(): AsyncGenerator<StreamUpdate<I>, void, undefined> {
    const { signal } = this.#request;
    const ended = signal === undefined ? this.#ended() : AbortSignal.any([signal, this.#ended()]);
    this.#phase = 'waiting';
    const { cursor, objects } = await this.#place(ended);
    this.#phase = 'history';
    for await (const update of this.#history(cursor, ended)) yield this.#taken(update);
    for (const object of objects) yield this.#taken({ t: 'upsert', cursor, object });
    this.#phase = 'live';
    this.#state.cursor = cursor;
    const { queueMax = QUEUE_MAX } = this.#request;
    const tail = new LiveTail((after) => this.#subscribe(after, ended), cursor, queueMax);
    this.#tail = tail;
    for (;;) {
      const update = await tail.next();
      ended.throwIfAborted();
      if (update === null) return;
      this.#state.note(tail.stream);
      yield this.#taken(update);
    }
  }

  #ended(): AbortSignal {
    return this.#closing.signal;
  }

  #taken(update: StreamUpdate<I>): StreamUpdate<I> {
    this.#state.take(update);
    return update;
  }

  /** The stream's cursor, and the objects still forming there, which history does not contain. */
  async #place(signal: AbortSignal): Promise<{
    readonly cursor: string;
    readonly objects: readonly IndicatorObject<I>[];
  }> {
    const subscription = this.#subscribe(null, signal);
    let first: Snapshot<I> | null = null;
    subscription.on('snapshot', (snapshot) => {
      first ??= snapshot;
    });
    try {
      await subscription.ready;
      this.#state.note(subscription.state);
    } finally {
      await subscription.close();
    }
    const { cursor, objects } = first as unknown as Snapshot<I>;
    const isWanted = this.#request.everyVersion !== true;
    return { cursor, objects: isWanted ? objects.filter(({ final }) => !final) : [] };
  }

  async *#history(
    untilCursor: string,
    signal: AbortSignal,
  ): AsyncGenerator<StreamUpdate<I>, void, undefined> {
    const { indicator, instrument, params, mode, from, limit, everyVersion } = this.#request;
    const reading = this.#sources.history({
      indicator,
      instrument,
      from,
      untilCursor,
      signal,
      ...(params === undefined ? {} : { params }),
      ...(mode === undefined ? {} : { mode }),
      ...(limit === undefined ? {} : { limit }),
      ...(everyVersion === undefined ? {} : { snapshot: everyVersion }),
    });
    try {
      for await (const page of reading.pages()) {
        this.#state.note(page);
        yield* page.items;
      }
    } catch (error) {
      if (!isBeforeFrom(error)) throw error;
    }
  }

  #subscribe(cursor: string | null, signal: AbortSignal): Subscription<I> {
    const { indicator, instrument, params, mode } = this.#request;
    return this.#sources.subscribe({
      indicator,
      instrument,
      signal,
      keepFinal: STREAM_KEEP_FINAL,
      from: cursor === null ? 'live' : { cursor },
      ...(params === undefined ? {} : { params }),
      ...(mode === undefined ? {} : { mode }),
    });
  }
}

/** The stream's cursor is before `from`, for example while the market is closed: there is no past to read. */
function isBeforeFrom(error: unknown): boolean {
  return error instanceof TapeloomError && error.endsBeforeFrom;
}
