/**
 * All versions that one topic's stream published in a session, kept as changes, and the state after any number of them.
 * Going back starts at the last state that was kept on the way.
 */

import type { HistoryEntry } from '@tapeloom/client';
import type { IndicatorObject, Snapshot } from '@tapeloom/client/stream';
import type { BarsData } from '@tapeloom/protocol/indicators';
import { BARS, type Topic } from './topics.ts';
import { applied, deltaOf, type VersionDelta } from './version-delta.ts';

/** Versions between two kept states. */
const KEPT_EVERY = 2_000;

export interface ReplayedObject {
  readonly object: IndicatorObject<string>;
  /** Null: it still stands. */
  readonly removedNs: bigint | null;
}

/** Of a bar: when it was published, and what it had. */
export interface PublishedBar {
  readonly id: string;
  readonly isFinal: boolean;
  /** Nanoseconds since 1970: of its last trade, or where it ended. */
  readonly endNs: bigint;
  readonly delta: number;
  readonly volume: number;
}

export interface PublishedVersion {
  readonly cursor: string;
  /** Null: it is none of a bar. */
  readonly bar: PublishedBar | null;
}

type State = ReadonlyMap<string, ReplayedObject>;

interface Version {
  readonly id: string;
  readonly final: boolean;
  /** Of the object, or of its removal. */
  readonly ts: bigint;
  /** Null: it is removed. */
  readonly delta: VersionDelta | null;
}

export class ReplayTrack {
  readonly topic: Topic;
  /** The versions that were appended last, until someone takes them. */
  readonly #news: PublishedVersion[] = [];
  readonly #versions: Version[] = [];
  /** The newest data by id, of what was appended. */
  readonly #newest = new Map<string, unknown>();
  readonly #kept: State[] = [new Map()];
  #state = new Map<string, ReplayedObject>();
  #at = 0;
  isWhole = false;

  constructor(topic: Topic) {
    this.topic = topic;
  }

  /** Versions that are here. */
  get count(): number {
    return this.#versions.length;
  }

  /** How many of them the state has. */
  get at(): number {
    return this.#at;
  }

  get state(): State {
    return this.#state;
  }

  /** The versions since the last call. */
  takeNews(): readonly PublishedVersion[] {
    return this.#news.splice(0);
  }

  append(entries: readonly HistoryEntry<string>[]): void {
    for (const entry of entries) {
      if (entry.t === 'snapshot') this.#start(entry);
      else this.#append(entry);
    }
  }

  /** The state after this many versions. Returns the ids of what may have changed. */
  moveTo(count: number): ReadonlySet<string> {
    const changed = new Set<string>();
    if (count < this.#at) this.#goBack(count, changed);
    for (; this.#at < count; this.#at += 1) {
      changed.add(this.#apply(this.#versions[this.#at]!));
      if ((this.#at + 1) % KEPT_EVERY === 0) {
        this.#kept[(this.#at + 1) / KEPT_EVERY] ??= new Map(this.#state);
      }
    }
    return changed;
  }

  #start({ objects }: Snapshot<string>): void {
    for (const object of objects) {
      this.#newest.set(object.id, object.data);
      this.#state.set(object.id, { object, removedNs: null });
    }
    this.#kept[0] = new Map(this.#state);
  }

  #append(entry: Exclude<HistoryEntry<string>, Snapshot<string>>): void {
    const { cursor } = entry;
    if (entry.t === 'remove') {
      const { id, final, ts } = entry;
      this.#news.push({ cursor, bar: null });
      this.#versions.push({ id, final, ts, delta: null });
      return;
    }
    const { id, final, ts, data } = entry.object;
    const delta = deltaOf(this.#newest.get(id), data);
    this.#versions.push({ id, final, ts, delta });
    this.#newest.set(id, data);
    this.#news.push({ cursor, bar: this.topic.key === BARS ? barOf(entry.object) : null });
  }

  #apply({ id, final, ts, delta }: Version): string {
    const before = this.#state.get(id);
    if (delta !== null) {
      const data = applied(before?.object.data, delta) as IndicatorObject<string>['data'];
      this.#state.set(id, { object: { id, final, ts, data }, removedNs: null });
    } else if (before !== undefined) this.#state.set(id, { ...before, removedNs: ts });
    return id;
  }

  #goBack(count: number, changed: Set<string>): void {
    const before = this.#state;
    const kept = Math.floor(count / KEPT_EVERY);
    this.#state = new Map(this.#kept[kept]);
    this.#at = kept * KEPT_EVERY;
    for (const [id, shown] of before) if (this.#state.get(id) !== shown) changed.add(id);
    for (const id of this.#state.keys()) if (!before.has(id)) changed.add(id);
  }
}

function barOf({ id, final, data }: IndicatorObject<string>): PublishedBar {
  const { end, delta, volume } = data as BarsData;
  return { id, isFinal: final, endNs: BigInt(end), delta, volume };
}
