/**
 * The engine owns the studies: one per topic, whoever asks. It has no clock and does no I/O of its own;
 * time and trades come from the tape alone, so what a topic publishes is a function of the tape.
 *
 * A topic's life:
 * 1. It waits for the tape's first promise, and for its turn to warm up.
 * 2. It reads from the open of the current session to the last flush edge, a session earlier if its
 *    look-back asks for it. Other topics flow on meanwhile.
 * 3. It takes the objects forming at that edge, and joins the feed of its contract where it stands.
 * 4. It is `ready`: every flush is published, snapshots are answered between flushes.
 *
 * A study that throws ends its own topic only.
 */

import type { Session, SessionKind, SessionTable } from '@tapeloom/core/calendar/session';
import { formatCursor } from '@tapeloom/core/cursor';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { Indicator } from '@tapeloom/core/studies/indicator';
import { PublishedObjects } from '@tapeloom/core/studies/published-objects';
import { FLUSH_STEP_NS } from '@tapeloom/core/studies/run';
import { sliceBatch, type TradeBatch } from '@tapeloom/core/trade-batch';
import type { LiveTape } from '../tape/tape.ts';
import type {
  EngineCommand,
  EngineMessage,
  TopicPosition,
  TopicSpec,
} from '../topics/engine-link.ts';
import { ContractFeed, type FeedMember, placeBefore } from './contract-feed.ts';
import type { Flow } from './outgoing-flow.ts';
import { TopicRun } from './topic-run.ts';
import { carriedFrom, earlierSessions, withoutIncomplete } from './warm-up-start.ts';

/** Topics that read the past at the same time; the others wait their turn. */
const WARM_UPS_MAX = 4;
/** Trades applied while warming up before other work gets a turn: about a millisecond or two. */
const ROWS_PER_TURN = 32_768;

export interface EngineOptions {
  readonly tape: LiveTape;
  /** Closed while too much of what was emitted has not been taken in. */
  readonly flow: Flow;
  readonly indicators: ReadonlyMap<string, Indicator>;
  readonly sessionsOf: (contract: string, kind: SessionKind) => SessionTable;
  /** Hears every message, in order; the bytes of a message are the receiver's to keep. */
  readonly emit: (message: EngineMessage) => void;
  /** Lets other work of this thread happen. */
  readonly yieldTurn: () => Promise<void>;
  readonly onFault: (error: unknown, spec: TopicSpec) => void;
}

interface EngineTopic {
  readonly number: number;
  readonly spec: TopicSpec;
  readonly indicator: Indicator;
  run: TopicRun | null;
  /** Its place in the feed once it follows. */
  member: FeedMember | null;
  /** The look-back was complete when last told; null before the topic is ready. */
  toldWarm: boolean | null;
}

export class Engine implements Disposable {
  readonly #options: EngineOptions;
  readonly #topics = new Map<number, EngineTopic>();
  readonly #feeds = new Map<string, ContractFeed>();
  readonly #toWarmUp: EngineTopic[] = [];
  readonly #following: Disposable;
  #warmUps = 0;
  #hasPromise: boolean;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#hasPromise = options.tape.promise !== null;
    this.#following = options.tape.follow(({ symbols }) => {
      if (!this.#hasPromise) {
        this.#hasPromise = true;
        this.pulse();
        this.#startWarmUps();
      }
      for (const [key, feed] of this.#feeds) feed.committed(symbols.includes(symbolOf(key)));
    });
  }

  execute(command: EngineCommand): void {
    switch (command.t) {
      case 'open':
        this.#open(command.topic, command.spec);
        return;
      case 'close':
        this.#close(command.topic);
        return;
      case 'snapshot':
        this.#snapshot(command);
        return;
      default:
        command satisfies never;
    }
  }

  /** Says where everything stands; called about once a second. */
  pulse(): void {
    const { promise } = this.#options.tape;
    const topics: TopicPosition[] = [];
    for (const topic of this.#topics.values()) {
      const { run, number } = topic;
      if (topic.toldWarm !== null && run !== null && topic.toldWarm !== run.warm) {
        this.#tellReady(topic, run);
      }
      const position = topic.toldWarm !== null && run !== null ? formatCursor(run.closed) : null;
      topics.push({ topic: number, position, lagMs: lagMs(topic, promise) });
    }
    this.#options.emit({ t: 'pulse', promise, topics });
  }

  [Symbol.dispose](): void {
    this.#following[Symbol.dispose]();
    this.#topics.clear();
    this.#feeds.clear();
    this.#toWarmUp.length = 0;
  }

  #open(number: number, spec: TopicSpec): void {
    const indicator = this.#options.indicators.get(spec.indicator);
    if (indicator === undefined) {
      this.#fault(number, spec, new RangeError(`no indicator is called ${spec.indicator}`));
      return;
    }
    const topic = { number, spec, indicator, run: null, member: null, toldWarm: null };
    this.#topics.set(number, topic);
    this.#toWarmUp.push(topic);
    this.#startWarmUps();
  }

  #close(number: number): void {
    const topic = this.#topics.get(number);
    if (topic === undefined) return;
    this.#topics.delete(number);
    const key = feedKey(topic.spec);
    const feed = this.#feeds.get(key);
    if (topic.member !== null) feed?.leave(topic.member);
    if (feed?.isEmpty === true) this.#feeds.delete(key);
  }

  #snapshot(command: Extract<EngineCommand, { t: 'snapshot' }>): void {
    const topic = this.#topics.get(command.topic);
    // A topic that has just failed or closed has told so already.
    if (topic === undefined || topic.run === null || topic.toldWarm === null) return;
    const { entries, bytes } = topic.run.snapshot(command.depth, command.mode);
    const { request } = command;
    this.#options.emit({ t: 'snapshot', topic: topic.number, request, entries, bytes });
  }

  #startWarmUps(): void {
    while (this.#hasPromise && this.#warmUps < WARM_UPS_MAX) {
      const topic = this.#toWarmUp.shift();
      if (topic === undefined) return;
      if (!this.#isOpen(topic)) continue;
      this.#warmUps += 1;
      void this.#warmUp(topic)
        .catch((error: unknown) => this.#fail(topic, error))
        .finally(() => {
          this.#warmUps -= 1;
          this.#startWarmUps();
        });
    }
  }

  async #warmUp(topic: EngineTopic): Promise<void> {
    const { spec, indicator } = topic;
    const feed = this.#feedOf(spec);
    const table = this.#options.sessionsOf(spec.contract, indicator.sessionKind(spec.params));
    const edge = lastEdge(feed.horizon!);
    const current = table.atOrBefore(edge);
    const run =
      current === null
        ? await this.#begin(topic, table, edge)
        : await this.#beginAt(topic, table, current);
    if (run === null) return;
    topic.run = run;
    await this.#readTo(topic, run, edge);
    run.goLive();
    while (this.#isOpen(topic)) {
      const member = this.#memberOf(topic, run);
      topic.member = member;
      if (this.#feedOf(spec).join(member)) {
        this.#tellReady(topic, run);
        return;
      }
      for await (const batch of await feed.read(run.place)) {
        await this.#takeInTurns(topic, run, batch);
      }
    }
  }

  /**
   * A run whose state is right from the current session's open on, if that can be had: it stands there
   * with what it needs of the past, or at the open of the first session whose objects may still exist.
   */
  async #beginAt(
    topic: EngineTopic,
    table: SessionTable,
    current: Session,
  ): Promise<TopicRun | null> {
    const { spec, indicator } = topic;
    const sessionsMax = indicator.lookBackSessionsMax(spec.params);
    if (indicator.objectsOutliveSession) {
      return await this.#begin(topic, table, carriedFrom(table, current, sessionsMax));
    }
    const first = await this.#begin(topic, table, current.open);
    if (first.warm || sessionsMax === 0) return first;
    const days = await this.#options.tape.days(spec.contract);
    const known = withoutIncomplete(table, current, days);
    for (const session of earlierSessions(table, current, sessionsMax, days)) {
      const run = await this.#begin(topic, known, session.open);
      await this.#readTo(topic, run, current.open);
      if (!this.#isOpen(topic)) return null;
      if (run.warm) return run;
    }
    return first;
  }

  async #begin(topic: EngineTopic, sessions: SessionTable, at: EpochNs): Promise<TopicRun> {
    const { spec, indicator, number } = topic;
    const { rank } = await placeBefore(this.#options.tape, spec.contract, at);
    const study = indicator.create(spec.params);
    const objects = new PublishedObjects(indicator.objectsOutliveSession);
    return new TopicRun(study, objects, sessions, { at, rank }, ({ entries, bytes }, position) => {
      const message = { topic: number, position: formatCursor(position), entries, bytes };
      this.#options.emit({ t: 'flush', ...message });
    });
  }

  /** Brings a run to position(instant). */
  async #readTo(topic: EngineTopic, run: TopicRun, instant: EpochNs): Promise<void> {
    const { tape } = this.#options;
    const { contract } = topic.spec;
    const to = await placeBefore(tape, contract, instant);
    for await (const batch of tape.read(contract, run.place, to)) {
      await this.#takeInTurns(topic, run, batch);
      if (!this.#isOpen(topic)) return;
    }
    run.advance(instant);
  }

  async #takeInTurns(topic: EngineTopic, run: TopicRun, batch: TradeBatch): Promise<void> {
    for (let row = 0; row < batch.count; row += ROWS_PER_TURN) {
      if (!this.#isOpen(topic)) return;
      run.take(sliceBatch(batch, row, Math.min(row + ROWS_PER_TURN, batch.count)));
      await this.#options.yieldTurn();
    }
  }

  #memberOf(topic: EngineTopic, run: TopicRun): FeedMember {
    return {
      get place() {
        return run.place;
      },
      take: (batch) => run.take(batch),
      advance: (promise) => run.advance(promise),
      failed: (error) => this.#fail(topic, error),
    };
  }

  #feedOf(spec: TopicSpec): ContractFeed {
    const key = feedKey(spec);
    let feed = this.#feeds.get(key);
    if (feed === undefined) {
      const { tape, flow } = this.#options;
      feed = new ContractFeed(tape, flow, spec.contract, spec.delaySeconds);
      this.#feeds.set(key, feed);
    }
    return feed;
  }

  #tellReady(topic: EngineTopic, run: TopicRun): void {
    const { warm } = run;
    topic.toldWarm = warm;
    const behindMs = lagMs(topic, this.#options.tape.promise);
    this.#options.emit({ t: 'ready', topic: topic.number, warm, lagMs: behindMs });
  }

  #isOpen(topic: EngineTopic): boolean {
    return this.#topics.get(topic.number) === topic;
  }

  #fail(topic: EngineTopic, error: unknown): void {
    if (!this.#isOpen(topic)) return;
    this.#close(topic.number);
    this.#fault(topic.number, topic.spec, error);
  }

  #fault(number: number, spec: TopicSpec, error: unknown): void {
    this.#options.onFault(error, spec);
    this.#options.emit({ t: 'failed', topic: number });
  }
}

/** The last flush edge at or before an instant. */
function lastEdge(instant: EpochNs): EpochNs {
  return (instant - (instant % BigInt(FLUSH_STEP_NS))) as EpochNs;
}

function lagMs({ run, spec }: EngineTopic, promise: EpochNs | null): number {
  if (run === null || promise === null) return 0;
  const horizon = promise - BigInt(spec.delaySeconds) * 1_000_000_000n;
  return Math.max(0, Math.round(Number(horizon - run.reached) / 1e6));
}

function feedKey(spec: TopicSpec): string {
  return `${spec.contract} ${spec.delaySeconds}`;
}

function symbolOf(key: string): string {
  return key.slice(0, key.lastIndexOf(' '));
}
