/**
 * The publication of one study, as the main thread sees it: its subscribers, position and state. A subscriber gets its
 * snapshot first, then every later flush once. Or it pulls the ring's messages after its cursor: the call that returns
 * the newest message makes it a follower, so nothing is lost or doubled between. A change of state is sent once. For a
 * subscriber whose name means this contract from a day on, the topic is ready when it has come to that day.
 */

import { type Cursor, parseCursor } from '@tapeloom/core/cursor';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import type { StreamMode } from '@tapeloom/protocol/client-messages';
import type { ErrorCode } from '@tapeloom/protocol/error-codes';
import type { StreamState } from '@tapeloom/protocol/status-states';
import type { TopicSpec } from './engine-link.ts';
import type { EngineSlot } from './engine-slots.ts';
import type { Flush } from './flush.ts';
import type { Ring, RingPiece } from './ring.ts';
import type { RingHolder } from './ring-budget.ts';

export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
}

/** Resumes by cursor: the ring had everything beyond it, or the cursor lay below its floor. */
export type ResumeCounts = Record<'served' | 'refused', number>;

export interface Subscriber {
  /** The account that it subscribes for. */
  readonly account: string;
  /** How many idle topics are kept for this account. */
  readonly idleTopicsMax: number;
  /** Called when a topic would have to be opened for it. Returns the error, or null. */
  refuseOpen(): Refusal | null;
  readonly mode: StreamMode;
  /** The most objects that its snapshot may have. */
  readonly depth: number;
  /** Whether a cursor of this day may be shown to it: on other days its name means another contract. */
  shows(day: UtcDay): boolean;
  /** The topic has caught up with the tape and with the subscriber's day: a snapshot may be requested. */
  ready(): void;
  snapshot(snapshot: Flush): void;
  flush(flush: Flush): void;
  /** `partialSince`: since when the topic has all of its session; null when that is its open. */
  status(state: StreamState, lagMs: number, partialSince: EpochNs | null): void;
  /** The topic is over because the tape was repaired behind it; the subscriber can attach to its successor. */
  outdated(): void;
  /** The topic is over; nothing follows. */
  ended(code: ErrorCode, message: string): void;
}

export class Topic implements RingHolder {
  /** The text of its computation; also the `topic` of `subscribed`. */
  readonly key: string;
  readonly number: number;
  readonly spec: TopicSpec;
  /** The dataset whose tape time it has. */
  readonly dataset: string;
  /** The engine that computes it. */
  readonly slot: EngineSlot;
  /** In the service's time. */
  readonly openedAt: EpochNs;
  /** Its recent messages; null before it publishes. */
  ring: Ring | null = null;
  #position: string | null = null;
  state: StreamState = 'warming';
  lagMs = 0;
  partialSince: EpochNs | null = null;
  /** Whether the study has caught up with the tape. */
  #isReady = false;
  /** Whether it also has all of its look-back; without it, it has no objects. */
  warm = false;
  /** Each with the outcome of its last pull: an outcome counts once, however many pieces it takes. */
  readonly #subscribers = new Map<Subscriber, keyof ResumeCounts | null>();
  readonly #resumes: ResumeCounts;
  /** The number of subscribers of each account, in the order of arrival. */
  readonly #accounts = new Map<string, number>();
  #account = '';
  /** Subscribers that it is not ready for yet. */
  readonly #early = new Set<Subscriber>();
  /** Subscribers that take every flush. */
  readonly #following = new Set<Subscriber>();
  /** Subscribers that follow too, but have everything up to a cursor that may lie ahead of the next flush. */
  readonly #joining = new Map<Subscriber, Cursor>();
  /** Subscribers waiting for a snapshot, by the request they share. */
  readonly #waiting = new Map<number, Subscriber[]>();

  constructor(
    number: number,
    spec: TopicSpec,
    dataset: string,
    slot: EngineSlot,
    openedAt: EpochNs,
    resumes: ResumeCounts,
  ) {
    this.key = topicKey(spec);
    this.number = number;
    this.spec = spec;
    this.dataset = dataset;
    this.slot = slot;
    this.openedAt = openedAt;
    this.#resumes = resumes;
  }

  get subscriberCount(): number {
    return this.#subscribers.size;
  }

  /** The position at the last closed flush edge; null while warming up. */
  get position(): string | null {
    return this.#position;
  }

  /** Whether it is worth keeping: it has once caught up with the tape. */
  get wasReady(): boolean {
    return this.#isReady;
  }

  /** The account it counts for: one that watches, or the last that did. */
  get account(): string {
    return this.#account;
  }

  accounts(): readonly string[] {
    return [...this.#accounts.keys()];
  }

  isWatchedBy(account: string): boolean {
    return this.#accounts.has(account);
  }

  /** Whether its account did not watch the topic before. */
  add(subscriber: Subscriber): boolean {
    const { account } = subscriber;
    const held = this.#accounts.get(account) ?? 0;
    if (this.#accounts.size === 0) this.#countFor(account);
    this.#accounts.set(account, held + 1);
    this.#subscribers.set(subscriber, null);
    if (!this.#isReadyFor(subscriber)) this.#early.add(subscriber);
    return held === 0;
  }

  /** Whether this subscriber may request a snapshot. */
  isReadyFor(subscriber: Subscriber): boolean {
    return this.#subscribers.has(subscriber) && !this.#early.has(subscriber);
  }

  /** Whether its account watches the topic no longer. */
  remove(subscriber: Subscriber): boolean {
    if (!this.#subscribers.delete(subscriber)) return false;
    this.#early.delete(subscriber);
    this.#following.delete(subscriber);
    this.#joining.delete(subscriber);
    for (const [request, waiting] of this.#waiting) {
      const others = waiting.filter((other) => other !== subscriber);
      if (others.length > 0) this.#waiting.set(request, others);
      else this.#waiting.delete(request);
    }
    return this.#leaveAccount(subscriber.account);
  }

  /** Joins a snapshot request under way for the same depth and mode; false when there is none. */
  joinWaiting(subscriber: Subscriber): boolean {
    for (const waiting of this.#waiting.values()) {
      const first = waiting[0]!;
      if (first.depth !== subscriber.depth || first.mode !== subscriber.mode) continue;
      waiting.push(subscriber);
      return true;
    }
    return false;
  }

  waitFor(request: number, subscriber: Subscriber): void {
    this.#waiting.set(request, [subscriber]);
  }

  /** From this snapshot on, its subscribers take every flush. */
  answer(request: number, snapshot: Flush): void {
    const subscribers = this.#waiting.get(request) ?? [];
    this.#waiting.delete(request);
    for (const subscriber of subscribers) {
      // Delivering to one may have ended another of the same connection.
      if (!this.#subscribers.has(subscriber)) continue;
      this.#following.add(subscriber);
      subscriber.snapshot(snapshot);
    }
  }

  /**
   * The ring's messages after a cursor, up to `bytesMax`. Call it again after the piece's end until a piece is the
   * newest; from that piece on every flush follows without a call. Null at any of these calls when the ring does not
   * have all of them: the cursor lies below the floor.
   */
  pull(subscriber: Subscriber, after: Cursor, bytesMax: number): RingPiece | null {
    const counted = this.#subscribers.get(subscriber);
    if (counted === undefined) return null;
    const piece = this.ring?.read(after, bytesMax, subscriber.mode) ?? null;
    const outcome = piece === null ? 'refused' : 'served';
    if (outcome !== counted) this.#resumes[outcome] += 1;
    this.#subscribers.set(subscriber, outcome);
    if (piece?.isNewest === true) this.#joining.set(subscriber, parseCursor(piece.through)!);
    return piece;
  }

  /** False when the flush does not lie beyond those before it: then no subscriber gets it. */
  publish(flush: Flush, position: string): boolean {
    if (this.ring?.append(flush.block, position) === false) return false;
    this.#position = position;
    // A copy: taking a flush may make other subscribers of the same connection follow or end.
    for (const subscriber of [...this.#following]) {
      if (this.#following.has(subscriber)) subscriber.flush(flush);
    }
    for (const [subscriber, has] of this.#joining) {
      const rest = partBeyond(flush, has);
      if (rest === flush) {
        this.#joining.delete(subscriber);
        this.#following.add(subscriber);
      }
      if (rest !== null) subscriber.flush(rest);
    }
    flush.forgetFrames();
    this.#tellReady();
    return true;
  }

  moveTo(position: string | null): void {
    this.#position = position;
    this.#tellReady();
  }

  becomeReady(position: string): void {
    this.#isReady = true;
    this.moveTo(position);
  }

  changeState(state: StreamState, partialSince = this.partialSince): void {
    if (state === this.state && partialSince === this.partialSince) return;
    this.state = state;
    this.partialSince = partialSince;
    for (const subscriber of this.#subscribers.keys()) {
      subscriber.status(state, this.lagMs, partialSince);
    }
  }

  end(code: ErrorCode, message: string): void {
    for (const subscriber of this.#leave()) subscriber.ended(code, message);
  }

  endOutdated(): void {
    for (const subscriber of this.#leave()) subscriber.outdated();
  }

  /** Removes all subscribers and returns them. */
  #leave(): readonly Subscriber[] {
    const subscribers = [...this.#subscribers.keys()];
    this.#subscribers.clear();
    this.#accounts.clear();
    this.#early.clear();
    this.#following.clear();
    this.#joining.clear();
    this.#waiting.clear();
    return subscribers;
  }

  #leaveAccount(account: string): boolean {
    const rest = this.#accounts.get(account)! - 1;
    if (rest > 0) {
      this.#accounts.set(account, rest);
      return false;
    }
    this.#accounts.delete(account);
    const [first] = this.#accounts.keys();
    this.#countFor(first ?? account);
    return true;
  }

  #countFor(account: string): void {
    this.#account = account;
    this.ring?.countFor(account);
  }

  #isReadyFor(subscriber: Subscriber): boolean {
    if (!this.#isReady || this.#position === null) return false;
    return subscriber.shows(parseCursor(this.#position)!.day);
  }

  #tellReady(): void {
    if (!this.#isReady) return;
    for (const subscriber of this.#early) {
      if (!this.#isReadyFor(subscriber)) continue;
      this.#early.delete(subscriber);
      subscriber.ready();
    }
  }
}

/** The messages of a flush beyond a cursor, null when there are none. */
function partBeyond(flush: Flush, cursor: Cursor): Flush | null {
  const from = flush.block.countUpTo(cursor);
  return from === flush.end ? null : flush.part(from);
}

/** Equal texts mean equal computations: parameters are canonical, so their order is fixed. */
export function topicKey(spec: TopicSpec): string {
  const params = Object.entries(spec.params).map(([name, value]) => `${name}=${value}`);
  if (spec.delaySeconds > 0) params.push(`delaySeconds=${spec.delaySeconds}`);
  const query = params.length > 0 ? `?${params.join('&')}` : '';
  return `${spec.contract}/${spec.indicator}${query}`;
}
