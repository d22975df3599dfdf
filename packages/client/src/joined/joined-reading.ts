/**
 * The past and the present of an indicator as one series, without a gap and without a double. A stream tells
 * where it is, C; history has everything from `from` up to C; then the stream is asked for what came after C. However
 * long the pages take, and however often a line breaks, nothing is between them: what the service no longer
 * holds for the stream it computes again.
 *
 * A `reset` later on makes all of it void, past and present, and the series begins anew with the stream's
 * snapshot. Whoever wants the past of that too reads another joined one: it costs what history costs.
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
/** The stream's own state is not what the caller sees: it needs no more than a snapshot can have. */
const STREAM_KEEP_FINAL = 5_000;

export interface JoinedRequest<I extends string = IndicatorName> {
  readonly indicator: I & NamedIndicator<I>;
  /** A contract, or an alias that has meant the same contract since `from`. */
  readonly instrument: string;
  readonly params?: ParamsOf<I>;
  readonly mode?: StreamMode;
  /** Where the past begins. */
  readonly from: Time;
  /** Also of the past every version that a stream published, after the state at `from`; else what is settled. */
  readonly everyVersion?: boolean;
  /** Results of a page of history. */
  readonly limit?: number;
  /** Ends the iteration, with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Updates that may wait for a slow reader before the stream is let go of for a while; 10,000 if left out. */
  readonly queueMax?: number;
  /** How many final objects the state keeps, the newest; all of the range, if it is left out. */
  readonly keepFinal?: number;
}

/** What it stands on. */
export interface JoinedSources<I extends string> {
  subscribe(request: SubscribeRequest<I>): Subscription<I>;
  history(request: HistoryRequest<I>): HistoryReading<I>;
}

/** `waiting` for the stream to say where it is, `history`, `live`, and `ended` once it was closed or has failed. */
export type JoinedPhase = 'idle' | 'waiting' | 'history' | 'live' | 'ended';

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

  /** All that was read so far, folded. */
  get state(): SubscriptionState<I> {
    return this.#state;
  }

  /** Once: history's results in order, then the objects that still form, then each update of the stream. */
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

  /** Every object once, when it is final; in place of the loop above. */
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

  /** Where the stream is, and what forms there: none of it is in history. */
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

/** The stream is before `from`, in a market that rests say: there is no past to be read. */
function isBeforeFrom(error: unknown): boolean {
  return error instanceof TapeloomError && error.endsBeforeFrom;
}
