/**
 * A study's run and what it publishes. It warms up quietly, in settled speed. `goLive` is called at a whole second of
 * tape time and takes the objects still forming at that position. From then on every flush is published, and the stored
 * objects are the state at the last closed flush edge. Trades arrive in order and without a gap; those already taken
 * are skipped.
 */

import type { SessionTable } from '@tapeloom/core/calendar/session';
import { type Cursor, compareCursors } from '@tapeloom/core/cursor';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import {
  type PublishedObjects,
  SNAPSHOT_BYTES_MAX,
} from '@tapeloom/core/studies/published-objects';
import { type IsWholeUpTo, type RunStart, StudyRun } from '@tapeloom/core/studies/run';
import type { RunOutput } from '@tapeloom/core/studies/run-output';
import type { ObjectVersion, Study } from '@tapeloom/core/studies/study';
import { sliceBatch, type TradeBatch } from '@tapeloom/core/trade-batch';
import { epochNs } from '@tapeloom/core/utc-day';
import type { StreamMode } from '@tapeloom/protocol/client-messages';
import type { Block, UpdateKind } from '../blocks/block.ts';
import type { BlockWriter } from '../blocks/block-writer.ts';
import type { TapePlace } from '../tape/tape.ts';

/** Leaves space for the fields around the items: kind, subscription name, cursor. */
const ITEMS_BYTES_MAX = SNAPSHOT_BYTES_MAX - 1_024;

/** Receives every flush and the position at its edge. */
export type PublishFlush = (flush: Block, position: Cursor) => void;

export interface TopicRunSetup {
  readonly study: Study;
  readonly objects: PublishedObjects;
  readonly sessions: SessionTable;
  readonly start: RunStart;
  readonly isWholeUpTo: IsWholeUpTo;
  /** The offset of its flush edges inside a second. */
  readonly phase: number;
}

export class TopicRun implements RunOutput {
  readonly #study: Study;
  readonly #run: StudyRun;
  readonly #objects: PublishedObjects;
  /** Data before it was not read. */
  readonly startedAt: EpochNs;
  #reached: EpochNs;
  /** The position of the newest settled update. */
  #settled: Cursor | null = null;
  /** Both null until `goLive`. */
  #publish: PublishFlush | null = null;
  #writer: BlockWriter | null = null;
  #flushDay: UtcDay | null = null;

  constructor({ study, objects, sessions, start, isWholeUpTo, phase }: TopicRunSetup) {
    this.#study = study;
    this.#objects = objects;
    this.startedAt = start.at;
    this.#reached = start.at;
    this.#run = new StudyRun(study, sessions, start, { output: this, isWholeUpTo, phase });
  }

  get place(): TapePlace {
    return this.#run.position;
  }

  /** The position after everything taken so far. */
  get position(): Cursor {
    return this.#run.position;
  }

  /** The watermark (`promise`) that it has advanced to. */
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

  /** The newest update so far, including those of objects still forming; null if there was none. */
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

  /**
   * Starts publishing; the run stands at a whole second, and no trade at or after it is taken. All runs of a thread may
   * share the writer: it holds nothing between two of their calls.
   */
  goLive(writer: BlockWriter, publish: PublishFlush): void {
    this.#study.forming(null, (version) => {
      this.#objects.upsert(version);
    });
    this.#run.goLive(() => this.#objects.formingBytes);
    this.#writer = writer;
    this.#publish = publish;
  }

  /** The state at the last closed flush edge. */
  snapshot(depth: number, mode: StreamMode): Block {
    return this.#snapshotAt(this.#run.closed, depth, mode);
  }

  /** The state at `position`, which need not be an edge. No snapshot is possible afterwards. */
  lastSnapshot(depth: number, mode: StreamMode): Block {
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

  /** Frees the objects stored for snapshots: no snapshot will be requested. */
  giveUpSnapshots(): void {
    this.#objects.keepFormingOnly();
  }

  upsert(version: ObjectVersion, at: Cursor): void {
    this.#tell('upsert', version.final, at, this.#objects.upsert(version));
  }

  remove(id: string, final: boolean, ts: string, at: Cursor): void {
    this.#tell('remove', final, at, this.#objects.remove(id, final, ts));
  }

  openSession(): void {
    this.#objects.openSession();
  }

  flushed(edge: EpochNs, position: Cursor): void {
    const day = this.#flushDay;
    if (day === null) return;
    this.#flushDay = null;
    this.#publish!(this.#writer!.take(day, Number(edge - epochNs(day, 0))), position);
  }

  #tell(kind: UpdateKind, isFinal: boolean, at: Cursor, members: string): void {
    const writer = this.#writer;
    if (writer === null) {
      this.#settled = at;
      return;
    }
    // Another run may have failed in the middle of a flush.
    if (this.#flushDay === null) writer.clear();
    this.#flushDay ??= at.day;
    if (at.day !== this.#flushDay) throw new Error(`a flush of ${this.#flushDay} has ${at.day}`);
    writer.add(kind, isFinal, at, members, 0);
  }

  #snapshotAt(position: Cursor, depth: number, mode: StreamMode): Block {
    const { items } = this.#objects.snapshot(position, depth, mode, ITEMS_BYTES_MAX);
    const writer = this.#writer!;
    writer.clear();
    writer.add('snapshot', false, position, `"items":${items}`, 0);
    return writer.take(position.day);
  }
}
