/**
 * All topics of this process, one per computation. The hub opens a topic in an engine for its first subscriber, keeps
 * it and its ring for a while after its last one if it was ever ready, and judges every state once a second. Messages
 * of an engine reach subscribers in their order; a lost engine ends only its own topics. A cursor of a new day changes
 * the tape's day before any subscriber gets it, so names that roll have left their contract by then. Slots
 * (`topic-places.ts`) and memory are shared by account: idle topics go first, of the account with the most.
 */

import type { SessionTable } from '@tapeloom/core/calendar/session';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import type { EngineState } from '@tapeloom/protocol/status-states';
import { Block } from '../blocks/block.ts';
import type { Clock } from '../platform/clock.ts';
import type {
  EngineLink,
  EngineMessage,
  FlushMessage,
  PulseMessage,
  TopicSpec,
} from './engine-link.ts';
import { type EngineSlot, EngineSlots } from './engine-slots.ts';
import type { TapeEnd } from './epoch-floors.ts';
import { Flush } from './flush.ts';
import { type IdleEnd, IdleTopics } from './idle-topics.ts';
import { Ring } from './ring.ts';
import { RINGS_BYTES_MAX, RingBudget } from './ring-budget.ts';
import { judgeStream } from './stream-state.ts';
import { type DayListener, delayed, TapeTime } from './tape-time.ts';
import { type Refusal, type Subscriber, Topic, topicKey } from './topic.ts';
import { factsOf, TopicCounters, type TopicFacts, type TopicMetrics } from './topic-counters.ts';
import { refuseOpen } from './topic-places.ts';

const JUDGE_MS = 1_000;
/** A source sends a watermark every 200 ms; a healthy tape never lags an open market's clock by this much. */
export const STALE_AFTER_MS = 5_000;

export type DamagedDay = Extract<EngineMessage, { readonly t: 'day-damaged' }>;

export interface TopicHubOptions {
  /** The service's time. */
  readonly clock: Pick<Clock, 'now'>;
  /** Waits in real time, whatever the speed of the service's time. */
  readonly timers: Pick<Clock, 'after' | 'every' | 'now'>;
  /** The datasets whose tapes grow. */
  readonly datasets: readonly string[];
  /** The one of them whose tape time is that of an instrument. */
  readonly timeOf: (instrument: string) => string;
  /** The full trading days of a contract. */
  readonly fullSessions: (contract: string) => SessionTable;
  /** In the service's time, by contract; an accelerated service passes a larger one. */
  readonly staleAfterMs?: (contract: string) => number;
  /** Memory that the rings of all topics may take together. */
  readonly ringBytesMax?: number;
}

export class TopicHub implements Disposable {
  readonly #options: TopicHubOptions;
  /** Called for days that have changed behind topics. */
  onDayChanged: (contract: string, day: UtcDay) => void = () => {};
  /** Called for days that an engine could not read, before anything computed without them is published. */
  onDayDamaged: (damage: DamagedDay) => void = () => {};
  readonly #byKey = new Map<string, Topic>();
  readonly #byNumber = new Map<number, Topic>();
  /** Contracts that had a topic. */
  readonly #served = new Set<string>();
  readonly #idle: IdleTopics<Topic>;
  readonly #engines: EngineSlots;
  readonly #rings: RingBudget;
  readonly #counters = new TopicCounters();
  readonly #judging: Disposable;
  readonly #time: TapeTime;
  /** The datasets whose source does not deliver. */
  readonly #downDatasets = new Set<string>();
  /** The datasets whose feed is down; their tapes still grow. */
  readonly #silentDatasets = new Set<string>();
  /** Contracts whose trades cannot be taken. */
  readonly #downContracts = new Set<string>();
  #sourceChanges = 0;
  #isAhead = false;
  /** Why a stream is not shown here; null when it is. */
  #refusalOf: (spec: TopicSpec) => string | null = () => null;
  #lastNumber = 0;
  #lastRequest = 0;

  constructor(options: TopicHubOptions) {
    this.#options = options;
    this.#idle = new IdleTopics(options.timers, (topic, why) => this.#end(topic, why));
    this.#engines = new EngineSlots({
      hear: (slot, message) => this.#hear(slot, message),
      lost: (slot, isReplaced) => this.#lose(slot, isReplaced),
    });
    this.#time = new TapeTime(this.#engines);
    this.#rings = new RingBudget(options.ringBytesMax ?? RINGS_BYTES_MAX, (account, age) =>
      this.#idle.freeMemory(account, age, ({ ring }) => ring !== null && ring.bytes > 0),
    );
    this.#judging = options.timers.every(JUDGE_MS, () => {
      for (const topic of this.#byNumber.values()) this.#judge(topic);
    });
  }

  /** Takes engines into service in place of all present ones; topics are spread over them by contract. */
  connect(links: readonly EngineLink[]): void {
    this.#engines.disconnectAll();
    for (const [index, link] of links.entries()) this.#engines.connect(index, link);
  }

  /** Puts an engine into the slot of a lost one; the others continue undisturbed. */
  replace(index: number, link: EngineLink): void {
    this.#engines.connect(index, link);
  }

  /** Whether the source of a dataset delivers. When it does not, its streams are `down` and new ones get an error. */
  setSource(dataset: string, state: EngineState): void {
    this.#mark(this.#downDatasets, dataset, state);
  }

  /** Whether the feed of a dataset brings trades. When it does not, its streams are `down` while the market is open. */
  setFeed(dataset: string, state: EngineState): void {
    this.#mark(this.#silentDatasets, dataset, state);
  }

  /** Whether the trades of a contract can be taken. When they cannot, its streams are `down` and new ones get an error. */
  setContract(contract: string, state: EngineState): void {
    this.#mark(this.#downContracts, contract, state);
  }

  /** How often the state of a source has changed. */
  get sourceChanges(): number {
    return this.#sourceChanges;
  }

  isSourceUp(instrument: string): boolean {
    const dataset = this.#options.timeOf(instrument);
    return !this.#downDatasets.has(dataset) && !this.#downContracts.has(instrument);
  }

  isFed(instrument: string): boolean {
    return !this.#silentDatasets.has(this.#options.timeOf(instrument));
  }

  /** Whether the tape lies ahead of the machine's clock; streams are `stale` then. */
  setAhead(isAhead: boolean): void {
    this.#isAhead = isAhead;
    for (const topic of this.#byNumber.values()) this.#judge(topic);
  }

  /** Streams with a reason against them are not shown here: they end, and new ones get the reason as an error. */
  refuse(refusalOf: (spec: TopicSpec) => string | null): void {
    this.#refusalOf = refusalOf;
    for (const topic of [...this.#byNumber.values()]) {
      const message = refusalOf(topic.spec);
      if (message === null) continue;
      this.#close(topic);
      topic.end('SOURCE_DOWN', message);
    }
  }

  /** `down` when nothing new can be computed. */
  get state(): EngineState {
    const isFed = this.#options.datasets.some((dataset) => !this.#downDatasets.has(dataset));
    return this.#engines.count > 0 && isFed ? 'up' : 'down';
  }

  get counts(): { readonly topics: number; readonly idleTopics: number } {
    return { topics: this.#byNumber.size, idleTopics: this.#idle.count };
  }

  get metrics(): TopicMetrics {
    let [subscribers, warmingTopics] = [0, 0];
    for (const topic of this.#byNumber.values()) {
      subscribers += topic.subscriberCount;
      if (!topic.wasReady) warmingTopics += 1;
    }
    return {
      ...this.counts,
      idleTopicsOfLargest: this.#idle.mostOfOne,
      warmingTopics,
      warmUpsWaiting: this.#engines.warmUpsWaiting,
      subscribers,
      ringBytes: this.#rings.bytes,
      ringBytesOfLargest: this.#rings.bytesOfLargest,
      ringEvictionsTotal: this.#rings.evictions,
      ...this.#counters,
    };
  }

  /** Memory is short: ends idle topics that no client came back to. Returns how many. */
  freeIdle(): number {
    return this.#idle.shorten();
  }

  /** Every topic, in the order of their opening. */
  topics(): readonly TopicFacts[] {
    const now = this.#options.clock.now();
    return Array.from(this.#byNumber.values(), (topic) => factsOf(topic, now));
  }

  /** The watermark of an instrument's tape with this delay; null before the first one. */
  tapeTimeOf(instrument: string, delaySeconds = 0): EpochNs | null {
    return this.#time.at(this.#options.timeOf(instrument), delaySeconds);
  }

  /** The UTC day of tape time: aliases roll when it changes, for delayed streams later. */
  tapeDayOf(instrument: string, delaySeconds = 0): UtcDay | null {
    return this.#time.dayAt(this.#options.timeOf(instrument), delaySeconds);
  }

  /** The watermark of a dataset whose tape grows. */
  watermarkOf(dataset: string): EpochNs | null {
    return this.#time.at(dataset, 0);
  }

  /** Calls when the tape time of a dataset, seen with this delay, enters another UTC day. */
  onTapeDay(listener: DayListener, delaySeconds = 0): Disposable {
    return this.#time.onDay(listener, delaySeconds);
  }

  /** `since`: the cursor where a topic opened for a returning subscriber should begin; an open one has its ring. */
  attach(spec: TopicSpec, subscriber: Subscriber, since: string | null = null): Topic | Refusal {
    const slot = this.#engines.pick(spec.contract);
    if (slot === null || !this.isSourceUp(spec.contract)) {
      return {
        code: 'SOURCE_DOWN',
        message: 'Data of this instrument is temporarily unavailable.',
      };
    }
    const notShown = this.#refusalOf(spec);
    if (notShown !== null) return { code: 'SOURCE_DOWN', message: notShown };
    const known = this.#byKey.get(topicKey(spec));
    const held = { all: this.#byNumber, idle: this.#idle };
    const refusal = known === undefined ? refuseOpen(subscriber, held, this.#counters) : null;
    if (refusal !== null) return refusal;
    const topic = known ?? this.#open(spec, slot, since, subscriber.account);
    this.#idle.delete(topic);
    // Judged before it is added: a subscriber is notified of changes only, and reads the present state here.
    this.#judge(topic);
    if (topic.add(subscriber) && topic === known) this.#tellWanted(topic);
    return topic;
  }

  /** Flushes follow the snapshot; called once, when the topic is ready for the subscriber. */
  requestSnapshot(topic: Topic, subscriber: Subscriber): void {
    if (!this.#isOpen(topic)) return;
    if (topic.joinWaiting(subscriber)) {
      this.#counters.snapshotsTotal.shared += 1;
      return;
    }
    this.#lastRequest += 1;
    this.#counters.snapshotsTotal.asked += 1;
    const { depth, mode } = subscriber;
    const request = this.#lastRequest;
    topic.waitFor(request, subscriber);
    topic.slot.link.send({ t: 'snapshot', topic: topic.number, request, depth, mode });
  }

  /** Nothing of the topic reaches the subscriber any more. */
  detach(topic: Topic, subscriber: Subscriber): void {
    if (!topic.remove(subscriber) || !this.#isOpen(topic)) return;
    if (topic.subscriberCount > 0) this.#tellWanted(topic);
    else if (!topic.wasReady) this.#end(topic, 'unready');
    else this.#idle.add(topic, subscriber.account, subscriber.idleTopicsMax);
  }

  /** Another thread could not read a day: engines leave it out, and try it again with its repair. */
  noteDamaged(contract: string, day: UtcDay, isDamaged: boolean): void {
    this.#engines.tellAll({ t: 'damaged', contract, day, isDamaged });
  }

  /** A reader waits for a tape to reach this time: engines report watermarks as they come, not once a second. */
  wantWatermark(dataset: string, until: EpochNs): void {
    this.#engines.tellAll({ t: 'watermark-wanted', dataset, until });
  }

  /** Whether something of a contract was ever shown. */
  hasServed(contract: string): boolean {
    return this.#served.has(contract);
  }

  /**
   * Days of a contract were sealed that the tape had passed over. Resolves when the topics that this changes have
   * ended, with a position on the tape beyond everything shown of the contract.
   */
  async repair(contract: string): Promise<TapeEnd> {
    const answers = await this.#engines.repair(contract);
    const ends = answers.map(({ end }) => end).filter((end) => end !== null);
    if (ends.length === 0) throw new Error(`no engine could look at the tape of ${contract}`);
    return ends.reduce((a, b) => ((a.day - b.day || a.rank - b.rank) < 0 ? b : a));
  }

  [Symbol.dispose](): void {
    this.#judging[Symbol.dispose]();
    this.#idle[Symbol.dispose]();
    this.#time.clear();
  }

  #mark(down: Set<string>, what: string, state: EngineState): void {
    if (down.has(what) === (state === 'down')) return;
    if (state === 'up') down.delete(what);
    else down.add(what);
    this.#sourceChanges += 1;
    for (const topic of this.#byNumber.values()) this.#judge(topic);
  }

  #open(spec: TopicSpec, slot: EngineSlot, since: string | null, account: string): Topic {
    this.#lastNumber += 1;
    this.#counters.topicsOpenedTotal += 1;
    const { resumesTotal } = this.#counters;
    const now = this.#options.clock.now();
    const dataset = this.#options.timeOf(spec.contract);
    const topic = new Topic(this.#lastNumber, spec, dataset, slot, now, resumesTotal);
    this.#served.add(spec.contract);
    this.#byKey.set(topic.key, topic);
    this.#byNumber.set(topic.number, topic);
    slot.link.send({ t: 'open', topic: topic.number, spec, since, accounts: [account] });
    return topic;
  }

  /** Its position in the queue depends on the accounts that wait for it. */
  #tellWanted(topic: Topic): void {
    if (topic.wasReady) return;
    topic.slot.link.send({ t: 'wanted', topic: topic.number, accounts: topic.accounts() });
  }

  /** It has no subscribers, and is kept no longer. */
  #end(topic: Topic, why: IdleEnd | 'unready'): void {
    this.#counters.topicsEndedTotal[why] += 1;
    this.#close(topic);
  }

  #close(topic: Topic): void {
    this.#forget(topic);
    topic.slot.link.send({ t: 'close', topic: topic.number });
  }

  #forget(topic: Topic): void {
    this.#idle.delete(topic);
    this.#byKey.delete(topic.key);
    this.#byNumber.delete(topic.number);
    topic.ring?.[Symbol.dispose]();
  }

  #isOpen(topic: Topic): boolean {
    return this.#byNumber.get(topic.number) === topic;
  }

  #hear(slot: EngineSlot, message: EngineMessage): void {
    if (message.t === 'pulse') this.#advance(slot, message);
    if (message.t === 'watermark') {
      this.#time.advance(slot, message.dataset, message.promise);
    }
    if (message.t === 'repaired') this.#engines.answered(message);
    if (message.t === 'day-changed') this.onDayChanged(message.contract, message.day);
    if (message.t === 'day-damaged') this.onDayDamaged(message);
    if (!('topic' in message)) return;
    const topic = this.#byNumber.get(message.topic);
    if (topic === undefined) return;
    switch (message.t) {
      case 'live':
        topic.ring?.[Symbol.dispose]();
        topic.ring = new Ring(message.floor, this.#rings, topic);
        return;
      case 'flush':
        this.#publish(topic, message);
        return;
      case 'snapshot':
        this.#reach(topic, message.block.day);
        topic.answer(message.request, new Flush(new Block(message.block)));
        return;
      case 'ready':
        this.#reach(topic, dayIn(message.position));
        topic.warm = message.warm;
        topic.lagMs = message.lagMs;
        this.#judge(topic, message.partialSince);
        topic.becomeReady(message.position);
        return;
      case 'outdated':
        this.#forget(topic);
        topic.endOutdated();
        return;
      case 'failed':
        this.#forget(topic);
        topic.end('INTERNAL', 'The computation of this stream failed.');
        return;
      default:
        message satisfies never;
    }
  }

  #publish(topic: Topic, { block, position }: FlushMessage): void {
    this.#counters.flushesTotal += 1;
    this.#reach(topic, block.day);
    if (topic.publish(new Flush(new Block(block)), position)) {
      // The last flush of a day stands at the midnight after it.
      if (dayIn(position) !== block.day) this.#reach(topic, dayIn(position));
      return;
    }
    // An engine that went back in its own log cannot be trusted with this topic any more.
    this.#close(topic);
    topic.end('INTERNAL', 'The computation of this stream failed.');
  }

  #advance(slot: EngineSlot, { watermarks, topics, load }: PulseMessage): void {
    slot.warmUpsWaiting = load?.waiting ?? 0;
    for (const [dataset, promise] of watermarks) this.#time.advance(slot, dataset, promise);
    for (const { topic: number, position, lagMs } of topics) {
      const topic = this.#byNumber.get(number);
      if (topic === undefined) continue;
      if (position !== null) this.#reach(topic, dayIn(position));
      topic.lagMs = lagMs;
      topic.moveTo(position);
      const promise = watermarks.get(topic.dataset);
      if (promise !== undefined) topic.ring?.expire(delayed(promise, topic.spec));
    }
  }

  #reach({ dataset, spec: { delaySeconds } }: Topic, day: UtcDay): void {
    this.#time.reach(dataset, delaySeconds, day);
  }

  #judge(topic: Topic, partialSince = topic.partialSince): void {
    const { contract } = topic.spec;
    const promise = topic.slot.watermarks.get(topic.dataset);
    const state = judgeStream({
      now: delayed(this.#options.clock.now(), topic.spec),
      sourceUp: !this.#downDatasets.has(topic.dataset) && !this.#downContracts.has(contract),
      isFeedDown: this.#silentDatasets.has(topic.dataset),
      warm: topic.warm,
      promise: promise === undefined ? null : delayed(promise, topic.spec),
      fullSessions: this.#options.fullSessions(topic.spec.contract),
      staleAfterMs: this.#options.staleAfterMs?.(topic.spec.contract) ?? STALE_AFTER_MS,
      isAhead: this.#isAhead,
    });
    topic.changeState(state, partialSince);
  }

  #lose(slot: EngineSlot, isReplaced: boolean): void {
    const message = isReplaced
      ? 'The engine was restarted. Subscribe again.'
      : 'The computation of this stream stopped. Subscribe again.';
    const topics = [...this.#byNumber.values()].filter((topic) => topic.slot === slot);
    for (const topic of topics) this.#forget(topic);
    for (const topic of topics) {
      topic.changeState('down');
      topic.end('INTERNAL', message);
    }
  }
}

/** A cursor that an engine has written begins with its day. */
function dayIn(cursor: string): UtcDay {
  return Number(cursor.slice(0, 8)) as UtcDay;
}
