/**
 * The objects that a topic has published and a snapshot must show: those of the current session, and those carried by a
 * look-back, each encoded once. The content changes only at flushes. So a snapshot, with the run's position at its last
 * closed flush edge, is the state at exactly one position in the log.
 */

import { type Cursor, formatCursor } from '../cursor.ts';
import { KIB } from '../units.ts';
import { DEPTH_MAX } from './bar-parameters.ts';
import type { ObjectVersion } from './study.ts';

/** The limit for snapshots. The oldest objects by first trade are dropped, many at once, which is cheap for a map. */
const OBJECTS_MAX = DEPTH_MAX;
const DROPPED_AT_ONCE = 1_000;
/** Approximate bytes around an object in its message. */
const AROUND_BYTES = 64;
/** A snapshot is a starting state, not free history. */
export const SNAPSHOT_BYTES_MAX = 512 * KIB;

/** `confirmed` shows final objects only. */
export type PublishMode = 'live' | 'confirmed';

export interface EncodedSnapshot {
  readonly cursor: string;
  /** A JSON array of `{ id, final, ts, data }`, oldest first. */
  readonly items: string;
  readonly count: number;
}

interface Published {
  readonly final: boolean;
  readonly body: string;
}

export class PublishedObjects {
  /** By id; while `#inOrder` is true, in the order of their first trades, which the ids contain. */
  readonly #objects = new Map<string, Published>();
  readonly #outlivesSession: boolean;
  #inOrder = true;
  #newestId = '';
  #formingBytes = 0;
  #isFormingOnly = false;

  /**
   * `outlivesSession`: objects stay until they are removed, as with a look-back. Their study limits them by published
   * removes; dropping them here would not be published.
   */
  constructor(outlivesSession = false) {
    this.#outlivesSession = outlivesSession;
  }

  /**
   * The approximate size of all objects that are not final. At a flush edge these are exactly the forming objects, so
   * this is a function of the tape, whenever the run began.
   */
  get formingBytes(): number {
    return this.#formingBytes;
  }

  /** Stores the version and returns its members as JSON text, ready for messages. */
  upsert(version: ObjectVersion): string {
    const body = encodeVersion(version);
    const before = this.#objects.get(version.id);
    if (before === undefined) this.#noteOrder(version.id);
    const published = { final: version.final, body };
    this.#formingBytes += formingBytesOf(published) - formingBytesOf(before);
    if (this.#isFormingOnly && version.final) this.#objects.delete(version.id);
    else this.#objects.set(version.id, published);
    const isFull = this.#objects.size >= OBJECTS_MAX + DROPPED_AT_ONCE;
    if (isFull && !this.#outlivesSession) this.#dropOldest();
    return body;
  }

  remove(id: string, final: boolean, ts: string): string {
    this.#formingBytes -= formingBytesOf(this.#objects.get(id));
    this.#objects.delete(id);
    return encodeRemoved(id, final, ts);
  }

  openSession(): void {
    if (this.#outlivesSession) return;
    this.#objects.clear();
    this.#formingBytes = 0;
    this.#inOrder = true;
    this.#newestId = '';
  }

  /**
   * The newest `depth` objects by first trade (or all, if they outlive sessions), as many as fit; `position` is
   * `StudyRun.closed`.
   */
  snapshot(
    position: Cursor,
    depth: number,
    mode: PublishMode,
    bytesMax = SNAPSHOT_BYTES_MAX,
  ): EncodedSnapshot {
    this.#order();
    const bodies: string[] = [];
    for (const { final, body } of this.#objects.values()) {
      if (final || mode === 'live') bodies.push(body);
    }
    const countMax = this.#outlivesSession ? bodies.length : Math.min(depth, OBJECTS_MAX);
    let from = bodies.length;
    let bytes = '[]'.length - ','.length;
    while (from > 0 && bodies.length - from < countMax) {
      // All text of an object is ASCII, so its length is its size in bytes.
      bytes += bodies[from - 1]!.length + '{},'.length;
      if (bytes > bytesMax) break;
      from -= 1;
    }
    const count = bodies.length - from;
    const items = count === 0 ? '[]' : `[{${bodies.slice(from).join('},{')}}]`;
    return { cursor: formatCursor(position), items, count };
  }

  /** Frees the memory that only snapshots need: no more will be requested. */
  keepFormingOnly(): void {
    this.#isFormingOnly = true;
    for (const [id, { final }] of this.#objects) {
      if (final) this.#objects.delete(id);
    }
  }

  /** Objects that form at the same time may be first published in any order. */
  #noteOrder(id: string): void {
    if (compareIds(id, this.#newestId) < 0) this.#inOrder = false;
    else this.#newestId = id;
  }

  #order(): void {
    if (this.#inOrder) return;
    const sorted = [...this.#objects].sort(([a], [b]) => compareIds(a, b));
    this.#objects.clear();
    for (const [id, published] of sorted) this.#objects.set(id, published);
    this.#inOrder = true;
  }

  /** Forming objects stay: they are few, and their size counts. */
  #dropOldest(): void {
    this.#order();
    for (const [id, { final }] of this.#objects) {
      if (this.#objects.size === OBJECTS_MAX) return;
      if (final) this.#objects.delete(id);
    }
  }
}

function formingBytesOf(published: Published | undefined): number {
  return published === undefined || published.final ? 0 : published.body.length + AROUND_BYTES;
}

/** The members of an object's version as JSON text, ASCII only; all messages and lines carry this text. */
export function encodeVersion({ id, final, ts, data }: ObjectVersion): string {
  return `"id":${JSON.stringify(id)},"final":${final},"ts":"${ts}","data":${JSON.stringify(data)}`;
}

/** The same for a removed object. */
export function encodeRemoved(id: string, final: boolean, ts: string): string {
  return `"id":${JSON.stringify(id)},"final":${final},"ts":"${ts}"`;
}

/** By UTC day, rank and further numbers; a shorter id comes before its continuations. */
function compareIds(a: string, b: string): number {
  const [one, other] = [a.split('.'), b.split('.')];
  for (let at = 0; at < Math.max(one.length, other.length); at += 1) {
    const difference = Number(one[at] ?? 0) - Number(other[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
