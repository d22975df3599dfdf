/**
 * All versions that one topic's stream published in a session, kept as changes, and the state after any number of them.
 * A jump begins at the last state that was kept whole.
 */

import type { HistoryEntry } from '@tapeloom/client';
import type { IndicatorObject, Remove, Snapshot } from '@tapeloom/client/stream';
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
  /** Shared by all versions of an object. */
  readonly of: ObjectName;
  readonly final: boolean;
  /** Of a removal. */
  readonly removedNs: bigint | null;
  /** A `VersionDelta` as JSON: a fifth of its size as objects. Empty: it is removed. */
  readonly delta: string;
}

interface ObjectName {
  readonly id: string;
  readonly ts: bigint;
}

export class ReplayTrack {
  readonly topic: Topic;
  /** The versions that were appended last, until someone takes them. */
  readonly #news: PublishedVersion[] = [];
  readonly #versions: Version[] = [];
  /** The state after everything that was appended. */
  readonly #loaded = new Map<string, ReplayedObject>();
  readonly #names = new Map<string, ObjectName>();
  /** States at every `KEPT_EVERY`th version. */
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
    const kept = Math.floor(count / KEPT_EVERY);
    if (count < this.#at || kept * KEPT_EVERY > this.#at) this.#jump(kept, changed);
    for (; this.#at < count; this.#at += 1) changed.add(this.#apply(this.#versions[this.#at]!));
    return changed;
  }

  #start({ objects }: Snapshot<string>): void {
    for (const object of objects) this.#loaded.set(object.id, { object, removedNs: null });
    this.#kept[0] = new Map(this.#loaded);
    this.#state = new Map(this.#loaded);
  }

  #append(entry: Exclude<HistoryEntry<string>, Snapshot<string>>): void {
    const { cursor } = entry;
    if (entry.t === 'remove') this.#appendRemoval(entry);
    else this.#appendUpsert(entry.object);
    const isBar = entry.t === 'upsert' && this.topic.key === BARS;
    this.#news.push({ cursor, bar: isBar ? barOf(entry.object) : null });
    if (this.count % KEPT_EVERY === 0) this.#kept[this.count / KEPT_EVERY] = new Map(this.#loaded);
  }

  #appendRemoval({ id, final, ts }: Remove): void {
    this.#versions.push({ of: this.#named(id, ts), final, removedNs: ts, delta: '' });
    const known = this.#loaded.get(id);
    if (known !== undefined) this.#loaded.set(id, { ...known, removedNs: ts });
  }

  #appendUpsert(object: IndicatorObject<string>): void {
    const { id, final, ts, data } = object;
    const delta = JSON.stringify(deltaOf(this.#loaded.get(id)?.object.data, data));
    this.#versions.push({ of: this.#named(id, ts), final, removedNs: null, delta });
    this.#loaded.set(id, { object, removedNs: null });
  }

  #named(id: string, ts: bigint): ObjectName {
    const known = this.#names.get(id);
    if (known?.ts === ts) return known;
    const name = { id, ts };
    this.#names.set(id, name);
    return name;
  }

  #apply({ of: { id, ts }, final, removedNs, delta }: Version): string {
    const before = this.#state.get(id);
    if (delta !== '') {
      const change = JSON.parse(delta) as VersionDelta;
      const data = applied(before?.object.data, change) as IndicatorObject<string>['data'];
      this.#state.set(id, { object: { id, final, ts, data }, removedNs: null });
    } else if (before !== undefined) this.#state.set(id, { ...before, removedNs });
    return id;
  }

  /** To a kept state. */
  #jump(kept: number, changed: Set<string>): void {
    const before = this.#state;
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
