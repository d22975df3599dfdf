/** One stream of the fake service: its first state, its updates, resumes after a cursor, resets and rolls. */

import type { SubscribeRequest } from '@tapeloom/client';
import {
  compareCursors,
  type IndicatorObject,
  type StreamUpdate,
  type TapeloomError,
} from '@tapeloom/client/stream';
import type { FeedSubscription } from '../src/feed/sources.ts';
import { asEntry, dayNumber, type LogEntry, sessionOpen, stateOf } from './fake-tape.ts';

/** What a stream needs of the service. */
export interface StreamedService {
  readonly nowNs: bigint;
  readonly depth: number;
  /** What the alias means now. */
  readonly contract: string;
  contractAt(ns: bigint): string;
  logOf(symbol: string, request: SubscribeRequest<string>): readonly LogEntry[];
}

export const ALIAS = 'ES.c.0';
const SNAPSHOT_BYTES = 520_000;

type Kind = StreamUpdate<string>['t'];

export class FakeSubscription implements FeedSubscription {
  readonly request: SubscribeRequest<string>;
  readonly #service: StreamedService;
  readonly #onClose: () => void;
  readonly #ended = Promise.withResolvers<TapeloomError | null>();
  readonly #hears: { readonly kind: Kind; readonly hear: (update: never) => void }[] = [];
  readonly ended = this.#ended.promise;
  isClosed = false;
  readonly state: {
    cursor: string | null;
    status: string | null;
    lagMs: number;
    partialSince: bigint | null;
    contract: string | null;
    tickSizeNanos: number | null;
    serverNs: bigint | null;
  } = {
    ...{ cursor: null, status: null, lagMs: 0, partialSince: null },
    ...{ contract: null, tickSizeNanos: null, serverNs: null },
  };

  constructor(service: StreamedService, request: SubscribeRequest<string>, onClose: () => void) {
    this.#service = service;
    this.request = request;
    this.#onClose = onClose;
    const { from } = request;
    if (typeof from === 'object' && 'cursor' in from) this.state.cursor = from.cursor;
  }

  on(kind: Kind, hear: (update: never) => void): () => void {
    const listener = { kind, hear };
    this.#hears.push(listener);
    return () => this.#hears.splice(this.#hears.indexOf(listener), 1);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.#onClose();
    this.#ended.resolve(null);
  }

  end(error: TapeloomError): void {
    this.#onClose();
    this.#ended.resolve(error);
  }

  start(): void {
    if (this.isClosed) return;
    this.state.contract ??= this.#service.contract;
    this.state.tickSizeNanos = 250_000_000;
    this.sayStatus('live', null);
    if (this.state.cursor === null) this.#snapshot();
    else this.flush();
  }

  sayStatus(state: string, partialSince: bigint | null): void {
    Object.assign(this.state, { status: state, partialSince });
    this.#say({ t: 'status', state, lagMs: 0, partialSince });
  }

  notice(effectiveAt: bigint): void {
    this.#say({ t: 'notice', kind: 'roll', effectiveAt, instrument: ALIAS });
  }

  /** Everything since the cursor; at a roll the reset comes first. */
  flush(): void {
    if (this.isClosed) return;
    this.state.serverNs = this.#service.nowNs;
    if (this.state.contract === null) {
      this.start();
      return;
    }
    for (const entry of this.#log()) {
      const { cursor } = this.state;
      if (cursor === null || compareCursors(entry.cursor, cursor) <= 0) continue;
      // A roll takes effect between two updates.
      if (this.#service.contractAt(entry.ns) !== this.state.contract) break;
      this.state.cursor = entry.cursor;
      this.#say(asEntry(entry) as StreamUpdate<string>);
    }
    if (this.#service.contract !== this.state.contract) this.reset('roll');
  }

  reset(reason: string): void {
    if (this.isClosed) return;
    this.state.cursor = null;
    this.#say({ t: 'reset', reason });
    this.state.contract = this.#service.contract;
    this.#snapshot();
  }

  #snapshot(): void {
    const { nowNs, depth } = this.#service;
    const state = [...stateOf(this.#log()).values()].map(({ object }) => object);
    const isCarried = this.request.indicator === 'unfinished-auctions';
    const open = state.reduce((newest, { ts }) => (ts > newest ? ts : newest), 0n);
    const ofSession = state.filter(({ ts }) => ts >= sessionOpen(open));
    const shown = isCarried
      ? state
      : ofSession
          .slice(-depth)
          .map((object) => (depth < ofSession.length ? padded(object, depth) : object));
    const cursor = this.#log().at(-1)?.cursor ?? `${dayNumber(nowNs)}.0.0`;
    this.state.cursor = cursor;
    this.#say({ t: 'snapshot', cursor, objects: shown });
  }

  #log(): readonly LogEntry[] {
    return this.#service.logOf(this.state.contract!, this.request);
  }

  #say(update: StreamUpdate<string>): void {
    for (const { kind, hear } of [...this.#hears]) if (kind === update.t) hear(update as never);
  }
}

/** The service limits snapshots by their size, too. */
function padded(object: IndicatorObject<string>, count: number): IndicatorObject<string> {
  const pad = 'x'.repeat(Math.ceil(SNAPSHOT_BYTES / count));
  return { ...object, data: { ...(object.data as object), pad } };
}
