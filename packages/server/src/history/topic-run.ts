/**
 * One study on its way over the tape, and what it publishes. It is quiet while it warms up: only final
 * objects are built then. `goLive` is called at a flush edge and takes the objects still forming at that
 * very position; from there on every flush goes out. At any time the kept objects are the state at the
 * last closed flush edge. Trades arrive in order and without a gap; those already taken are passed over.
 */

import type { SessionTable } from '@tapeloom/core/calendar/session';
import { type Cursor, formatCursor } from '@tapeloom/core/cursor';
import type { EpochNs } from '@tapeloom/core/numbers';
import {
  type PublishedObjects,
  SNAPSHOT_BYTES_MAX,
} from '@tapeloom/core/studies/published-objects';
import { FLUSH_STEP_NS, type RunOutput, type RunStart, StudyRun } from '@tapeloom/core/studies/run';
import type { FormingVisitor, Mark, ObjectVersion, Study } from '@tapeloom/core/studies/study';
import { sliceBatch, type TradeBatch } from '@tapeloom/core/trade-batch';
import type { StreamMode } from '@tapeloom/protocol/client-messages';
import type { TapePlace } from '../tape/tape.ts';
import { type EncodedFlush, FrameEncoder } from './frame-encoder.ts';

/** Leaves room for what surrounds the items: kind, subscription name, cursor. */
const ITEMS_BYTES_MAX = SNAPSHOT_BYTES_MAX - 1_024;

/** Hears every flush: its messages, its edge and the position there. */
export type PublishFlush = (flush: EncodedFlush, edge: EpochNs, position: Cursor) => void;

export class TopicRun implements RunOutput {
  readonly #study: Study;
  readonly #run: StudyRun;
  readonly #objects: PublishedObjects;
  readonly #frames = new FrameEncoder();
  #reached: EpochNs;
  /** Null while the run is quiet. */
  #publish: PublishFlush | null = null;

  constructor(study: Study, objects: PublishedObjects, sessions: SessionTable, start: RunStart) {
    this.#study = study;
    this.#objects = objects;
    this.#reached = start.at;
    const watched = new QuietableStudy(study, () => this.#publish !== null);
    this.#run = new StudyRun(watched, sessions, start, { output: this, stepNs: FLUSH_STEP_NS });
  }

  /** The last tape entry it has passed: a trade, or a midnight after it. */
  get place(): TapePlace {
    return this.#run.position;
  }

  /** The promise it has advanced to. */
  get reached(): EpochNs {
    return this.#reached;
  }

  /** The position at the last closed flush edge. */
  get closed(): Cursor {
    return this.#run.closed;
  }

  get warm(): boolean {
    return this.#study.warm;
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

  /** Starts publishing; the run stands at a flush edge, with no trade at or after it taken. */
  goLive(publish: PublishFlush): void {
    this.#publish = publish;
    this.#study.forming(null, (version) => {
      this.#objects.upsert(version);
    });
  }

  snapshot(depth: number, mode: StreamMode): EncodedFlush {
    const { cursor, items } = this.#objects.snapshot(
      this.#run.closed,
      depth,
      mode,
      ITEMS_BYTES_MAX,
    );
    const frames = new FrameEncoder();
    frames.add({ kind: 'snapshot', id: '', final: false, cursor }, `"items":${items}`);
    return frames.take();
  }

  upsert(version: ObjectVersion, at: Cursor): void {
    const members = this.#objects.upsert(version);
    if (this.#publish === null) return;
    const { id, final } = version;
    this.#frames.add({ kind: 'upsert', id, final, cursor: formatCursor(at) }, members);
  }

  remove(id: string, final: boolean, ts: string, at: Cursor): void {
    const members = this.#objects.remove(id, final, ts);
    if (this.#publish === null) return;
    this.#frames.add({ kind: 'remove', id, final, cursor: formatCursor(at) }, members);
  }

  openSession(): void {
    this.#objects.openSession();
  }

  flushed(edge: EpochNs, position: Cursor): void {
    if (!this.#frames.isEmpty) this.#publish?.(this.#frames.take(), edge, position);
  }
}

/** A study that shows nothing forming while nobody could see it, which makes warming up cheap. */
class QuietableStudy implements Study {
  readonly #study: Study;
  readonly #isLive: () => boolean;

  constructor(study: Study, isLive: () => boolean) {
    this.#study = study;
    this.#isLive = isLive;
  }

  get dueNs(): number {
    return this.#study.dueNs;
  }

  get warm(): boolean {
    return this.#study.warm;
  }

  openSession(...args: Parameters<Study['openSession']>): void {
    this.#study.openSession(...args);
  }

  apply(batch: TradeBatch, from: number, to: number, offsetNs: number): number {
    return this.#study.apply(batch, from, to, offsetNs);
  }

  fire(entry: Readonly<Mark>): number {
    return this.#study.fire(entry);
  }

  closeSession(entry: Readonly<Mark>): number {
    return this.#study.closeSession(entry);
  }

  forming(since: Readonly<Mark> | null, visit: FormingVisitor): void {
    if (this.#isLive()) this.#study.forming(since, visit);
  }
}
