/**
 * One study on its way over the tape, and what it publishes. It is quiet while it warms up, in settled
 * speed. `goLive` is called at a whole second of tape time and takes the objects still forming at that
 * very position; from there on every flush goes out. From then on the kept objects are the state at the
 * last closed flush edge. Trades arrive in order and without a gap; those already taken are passed over.
 */

import type { SessionTable } from '@tapeloom/core/calendar/session';
import { type Cursor, compareCursors, formatCursor } from '@tapeloom/core/cursor';
import type { EpochNs } from '@tapeloom/core/numbers';
import {
  type PublishedObjects,
  SNAPSHOT_BYTES_MAX,
} from '@tapeloom/core/studies/published-objects';
import {
  type IsWholeUpTo,
  type RunOutput,
  type RunStart,
  StudyRun,
} from '@tapeloom/core/studies/run';
import type { ObjectVersion, Study } from '@tapeloom/core/studies/study';
import { sliceBatch, type TradeBatch } from '@tapeloom/core/trade-batch';
import type { StreamMode } from '@tapeloom/protocol/client-messages';
import type { TapePlace } from '../tape/tape.ts';
import { type EncodedFlush, FrameEncoder } from './frame-encoder.ts';

/** Leaves room for what surrounds the items: kind, subscription name, cursor. */
const ITEMS_BYTES_MAX = SNAPSHOT_BYTES_MAX - 1_024;

/** Hears every flush: its messages, its edge and the position there. */
export type PublishFlush = (flush: EncodedFlush, edge: EpochNs, position: Cursor) => void;

export interface TopicRunSetup {
  readonly study: Study;
  readonly objects: PublishedObjects;
  readonly sessions: SessionTable;
  readonly start: RunStart;
  /** Whether a session is whole on the tape, up to and with a day. */
  readonly isWholeUpTo: IsWholeUpTo;
  /** Where its flush edges lie inside a second. */
  readonly phase: number;
}

export class TopicRun implements RunOutput {
  readonly #study: Study;
  readonly #run: StudyRun;
  readonly #objects: PublishedObjects;
  readonly #frames = new FrameEncoder();
  /** Nothing before it was read. */
  readonly startedAt: EpochNs;
  #reached: EpochNs;
  /** Where the newest of the updates that are settled stands. */
  #settled: Cursor | null = null;
  /** Null while the run is quiet. */
  #publish: PublishFlush | null = null;

  constructor({ study, objects, sessions, start, isWholeUpTo, phase }: TopicRunSetup) {
    this.#study = study;
    this.#objects = objects;
    this.startedAt = start.at;
    this.#reached = start.at;
    this.#run = new StudyRun(study, sessions, start, { output: this, isWholeUpTo, phase });
  }

  /** The last tape entry it has passed: a trade, or a midnight after it. */
  get place(): TapePlace {
    return this.#run.position;
  }

  /** The position of everything taken so far. */
  get position(): Cursor {
    return this.#run.position;
  }

  /** The promise it has advanced to. */
  get reached(): EpochNs {
    return this.#reached;
  }

  /** Once live: the position at the last closed flush edge. */
  get closed(): Cursor {
    return this.#run.closed;
  }

  get warm(): boolean {
    return this.#study.warm;
  }

  /** The newest update of all so far, also those of objects still forming; null when there was none. */
  get lastUpdate(): Cursor | null {
    let last = this.#settled;
    this.#study.forming(null, (_version, mark) => {
      if (last === null || compareCursors(mark, last) > 0) last = { ...mark };
    });
    return last;
  }

  take(batch: TradeBatch): void {
    const { day, rank } = this.place;
    if (batch.day < day) return;
    const taken = batch.day === day ? Math.max(0, rank + 1 - batch.firstRank) : 0;
    if (taken >= batch.count) return;
    this.#run.apply(sliceBatch(batch, taken, batch.count));
  }

  advance(promise: EpochNs): void {
    this.#run.advance(promise);
    if (promise > this.#reached) this.#reached = promise;
  }

  /** Starts publishing; the run stands at a whole second, with no trade at or after it taken. */
  goLive(publish: PublishFlush): void {
    this.#study.forming(null, (version) => {
      this.#objects.upsert(version);
    });
    this.#run.goLive(() => this.#objects.formingBytes);
    this.#publish = publish;
  }

  /** The state at the last closed flush edge. */
  snapshot(depth: number, mode: StreamMode): EncodedFlush {
    return this.#snapshotAt(this.#run.closed, depth, mode);
  }

  /** The state at `position`, which need not be an edge; the last snapshot the run can give. */
  lastSnapshot(depth: number, mode: StreamMode): EncodedFlush {
    const objects = this.#objects;
    this.#run.handPending({
      upsert: (version) => void objects.upsert(version),
      remove: (id, final, ts) => void objects.remove(id, final, ts),
      openSession: () => objects.openSession(),
      flushed: () => {},
    });
    const snapshot = this.#snapshotAt(this.#run.position, depth, mode);
    this.giveUpSnapshots();
    return snapshot;
  }

  /** Frees the memory of the objects that are kept for snapshots: none will be asked for. */
  giveUpSnapshots(): void {
    this.#objects.keepFormingOnly();
  }

  upsert(version: ObjectVersion, at: Cursor): void {
    const members = this.#objects.upsert(version);
    if (this.#publish === null) {
      this.#settled = at;
      return;
    }
    const { id, final } = version;
    this.#frames.add({ kind: 'upsert', id, final, cursor: formatCursor(at) }, members);
  }

  remove(id: string, final: boolean, ts: string, at: Cursor): void {
    const members = this.#objects.remove(id, final, ts);
    if (this.#publish === null) {
      this.#settled = at;
      return;
    }
    this.#frames.add({ kind: 'remove', id, final, cursor: formatCursor(at) }, members);
  }

  openSession(): void {
    this.#objects.openSession();
  }

  flushed(edge: EpochNs, position: Cursor): void {
    if (!this.#frames.isEmpty) this.#publish?.(this.#frames.take(), edge, position);
  }

  #snapshotAt(position: Cursor, depth: number, mode: StreamMode): EncodedFlush {
    const { cursor, items } = this.#objects.snapshot(position, depth, mode, ITEMS_BYTES_MAX);
    const frames = new FrameEncoder();
    frames.add({ kind: 'snapshot', id: '', final: false, cursor }, `"items":${items}`);
    return frames.take();
  }
}
