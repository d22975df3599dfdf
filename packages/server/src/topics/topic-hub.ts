/**
 * All topics of this process, one per computation whoever asks. The hub opens a topic in the engine on
 * its first subscriber, keeps it a while after its last one, and judges every topic's state once a
 * second. Messages of the engine reach subscribers in the order in which they were sent.
 */

import type { SessionTable } from '@tapeloom/core/calendar/session';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { dayOf } from '@tapeloom/core/utc-day';
import type { ErrorCode } from '@tapeloom/protocol/error-codes';
import type { EngineState } from '@tapeloom/protocol/status-states';
import type { Clock } from '../platform/clock.ts';
import type { EngineLink, EngineMessage, TopicPosition, TopicSpec } from './engine-link.ts';
import { Flush } from './flush.ts';
import { judgeStream } from './stream-state.ts';
import { delayed, type Subscriber, Topic, topicKey } from './topic.ts';

export const TOPICS_MAX = 2_000;
/** A topic without subscribers stays this long, so that a reconnecting client finds it warm. */
export const TOPIC_LINGER_MS = 60_000;
const JUDGE_MS = 1_000;
/** A source promises every 200 ms; a healthy tape is never this far behind an open market's clock. */
export const STALE_AFTER_MS = 5_000;

export interface TopicHubOptions {
  /** The service's time. */
  readonly clock: Pick<Clock, 'now'>;
  /** Waits in real time, whatever the speed of the service's time. */
  readonly timers: Pick<Clock, 'after' | 'every'>;
  /** The full trading days of a contract. */
  readonly fullSessions: (contract: string) => SessionTable;
  /** In the service's time; an accelerated service passes a larger one. */
  readonly staleAfterMs?: number;
}

export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
}

/** One subscriber's hold on a topic. */
export interface Attachment {
  readonly topic: Pick<Topic, 'key' | 'state' | 'lagMs' | 'position' | 'ready'>;
  /** Asks for the snapshot, after which flushes follow; called once, when the topic is ready. */
  requestSnapshot(): void;
  /** Nothing reaches the subscriber any more. */
  detach(): void;
}

interface DayListener {
  readonly delayNs: bigint;
  readonly hear: (day: UtcDay) => void;
}

export class TopicHub implements Disposable {
  readonly #options: TopicHubOptions;
  readonly #byKey = new Map<string, Topic>();
  readonly #byNumber = new Map<number, Topic>();
  /** Topics without subscribers, oldest first, with the timer that will close them. */
  readonly #idle = new Map<Topic, Disposable>();
  readonly #judging: Disposable;
  readonly #dayListeners = new Set<DayListener>();
  #link: EngineLink | null = null;
  #sourceUp = true;
  #promise: EpochNs | null = null;
  #lastNumber = 0;
  #lastRequest = 0;

  constructor(options: TopicHubOptions) {
    this.#options = options;
    this.#judging = options.timers.every(JUDGE_MS, () => {
      for (const topic of this.#byNumber.values()) this.#judge(topic);
    });
  }

  /** Takes an engine into service; topics are opened in it from now on. */
  connect(link: EngineLink): void {
    this.#loseAll('The engine was replaced; subscribe again.');
    this.#link = link;
    link.listen(
      (message) => {
        if (this.#link === link) this.#hear(message);
      },
      () => {
        if (this.#link !== link) return;
        this.#link = null;
        this.#loseAll('The computation of this stream stopped; subscribe again.');
      },
    );
  }

  /** Whether the source delivers: when it does not, streams are `down` and new ones refused. */
  setSource(state: EngineState): void {
    this.#sourceUp = state === 'up';
    for (const topic of this.#byNumber.values()) this.#judge(topic);
  }

  get state(): EngineState {
    return this.#link !== null && this.#sourceUp ? 'up' : 'down';
  }

  get counts(): { readonly topics: number; readonly idleTopics: number } {
    return { topics: this.#byNumber.size, idleTopics: this.#idle.size };
  }

  /** What the tape has promised; null before its first promise. */
  get tapeTime(): EpochNs | null {
    return this.#promise;
  }

  /** The UTC day of tape time, null before the first promise: aliases roll when it changes. */
  get tapeDay(): UtcDay | null {
    return dayBehind(this.#promise, 0n);
  }

  /** Hears of each new UTC day of the tape, as it is seen with this delay. */
  onTapeDay(hear: (day: UtcDay) => void, delaySeconds = 0): Disposable {
    const listener = { delayNs: BigInt(delaySeconds) * 1_000_000_000n, hear };
    this.#dayListeners.add(listener);
    return { [Symbol.dispose]: () => this.#dayListeners.delete(listener) };
  }

  attach(spec: TopicSpec, subscriber: Subscriber): Attachment | Refusal {
    const link = this.#link;
    if (link === null || !this.#sourceUp) {
      return {
        code: 'SOURCE_DOWN',
        message: 'Data of this instrument is temporarily unavailable.',
      };
    }
    const topic = this.#byKey.get(topicKey(spec)) ?? this.#open(spec, link);
    if (topic === null) {
      return { code: 'CAPACITY', message: 'The service computes as many streams as it can.' };
    }
    this.#idle.get(topic)?.[Symbol.dispose]();
    this.#idle.delete(topic);
    // Judged before it is added: a subscriber hears of changes only, and learns the state it meets here.
    this.#judge(topic);
    topic.add(subscriber);
    return {
      topic,
      requestSnapshot: () => this.#requestSnapshot(topic, subscriber, link),
      detach: () => this.#detach(topic, subscriber),
    };
  }

  [Symbol.dispose](): void {
    this.#judging[Symbol.dispose]();
    for (const timer of this.#idle.values()) timer[Symbol.dispose]();
    this.#idle.clear();
    this.#dayListeners.clear();
  }

  #open(spec: TopicSpec, link: EngineLink): Topic | null {
    if (this.#byNumber.size >= TOPICS_MAX) {
      const [oldestIdle] = this.#idle.keys();
      if (oldestIdle === undefined) return null;
      this.#close(oldestIdle);
    }
    this.#lastNumber += 1;
    const topic = new Topic(topicKey(spec), this.#lastNumber, spec);
    this.#byKey.set(topic.key, topic);
    this.#byNumber.set(topic.number, topic);
    link.send({ t: 'open', topic: topic.number, spec });
    return topic;
  }

  #requestSnapshot(topic: Topic, subscriber: Subscriber, link: EngineLink): void {
    if (this.#byNumber.get(topic.number) !== topic || topic.joinWaiting(subscriber)) return;
    this.#lastRequest += 1;
    const { depth, mode } = subscriber;
    topic.waitFor(this.#lastRequest, subscriber);
    link.send({ t: 'snapshot', topic: topic.number, request: this.#lastRequest, depth, mode });
  }

  #detach(topic: Topic, subscriber: Subscriber): void {
    topic.remove(subscriber);
    if (topic.subscriberCount > 0 || this.#idle.has(topic)) return;
    if (this.#byNumber.get(topic.number) !== topic) return;
    const timer = this.#options.timers.after(TOPIC_LINGER_MS, () => this.#close(topic));
    this.#idle.set(topic, timer);
  }

  #close(topic: Topic): void {
    this.#forget(topic);
    this.#link?.send({ t: 'close', topic: topic.number });
  }

  #forget(topic: Topic): void {
    this.#idle.get(topic)?.[Symbol.dispose]();
    this.#idle.delete(topic);
    this.#byKey.delete(topic.key);
    this.#byNumber.delete(topic.number);
  }

  #hear(message: EngineMessage): void {
    if (message.t === 'pulse') {
      this.#advance(message.promise, message.topics);
      return;
    }
    const topic = this.#byNumber.get(message.topic);
    if (topic === undefined) return;
    switch (message.t) {
      case 'flush':
        topic.publish(new Flush(message.entries, message.bytes), message.position);
        return;
      case 'snapshot':
        topic.answer(message.request, new Flush(message.entries, message.bytes));
        return;
      case 'ready':
        topic.warm = message.warm;
        topic.lagMs = message.lagMs;
        this.#judge(topic);
        topic.becomeReady();
        return;
      case 'failed':
        this.#forget(topic);
        topic.end('INTERNAL', 'The computation of this stream failed.');
        return;
      default:
        message satisfies never;
    }
  }

  #advance(promise: EpochNs | null, positions: readonly TopicPosition[]): void {
    const promiseBefore = this.#promise;
    this.#promise = promise;
    for (const { topic: number, position, lagMs } of positions) {
      const topic = this.#byNumber.get(number);
      if (topic === undefined) continue;
      topic.position = position;
      topic.lagMs = lagMs;
    }
    for (const { delayNs, hear } of this.#dayListeners) {
      const day = dayBehind(promise, delayNs);
      if (day !== null && day !== dayBehind(promiseBefore, delayNs)) hear(day);
    }
  }

  #judge(topic: Topic): void {
    const state = judgeStream({
      now: delayed(this.#options.clock.now(), topic.spec),
      sourceUp: this.#sourceUp,
      warm: topic.warm,
      promise: this.#promise === null ? null : delayed(this.#promise, topic.spec),
      fullSessions: this.#options.fullSessions(topic.spec.contract),
      staleAfterMs: this.#options.staleAfterMs ?? STALE_AFTER_MS,
    });
    topic.changeState(state);
  }

  #loseAll(message: string): void {
    const topics = [...this.#byNumber.values()];
    for (const topic of topics) this.#forget(topic);
    for (const topic of topics) {
      topic.changeState('down');
      topic.end('INTERNAL', message);
    }
  }
}

function dayBehind(promise: EpochNs | null, delayNs: bigint): UtcDay | null {
  return promise === null ? null : dayOf((promise - delayNs) as EpochNs);
}
