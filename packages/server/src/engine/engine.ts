/**
 * The engine owns the studies, one per topic. It has no clock and does no I/O of its own; time and trades come from the
 * tape alone, so a topic's publications are a function of the tape. A study that throws ends its own topic only. Days
 * found damaged count as missing. A topic that no longer matches the tape (a day was sealed or lost behind it) ends.
 */

import { formatCursor, parseCursor } from '@tapeloom/core/cursor';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { SECOND_NS_BIG } from '@tapeloom/core/units';
import { BlockWriter } from '../blocks/block-writer.ts';
import { type RunSource, runSource, type StudyCatalogue, studySource } from '../runs/run-source.ts';
import { type RunPace, startStream, takeInTurns } from '../runs/run-start.ts';
import { DamagedDays, damagedDay, soundTape } from '../runs/sound-tape.ts';
import { TapeDays } from '../runs/tape-days.ts';
import type { TopicRun } from '../runs/topic-run.ts';
import type { NextDays } from '../tape/imported/imported-tape.ts';
import type { LiveTape, Tape } from '../tape/tape.ts';
import type {
  EngineCommand,
  EngineMessage,
  PulseMessage,
  RepairAnswer,
  TopicPosition,
  TopicSpec,
} from '../topics/engine-link.ts';
import type { FeedMember } from './contract-feed.ts';
import { ContractFeeds } from './contract-feeds.ts';
import { DayWatch } from './day-watch.ts';
import type { EngineTopic, Told } from './engine-topic.ts';
import { liveEdge } from './live-edge.ts';
import type { Flow } from './outgoing-flow.ts';
import { type SessionInputs, sessionInputs } from './session-inputs.ts';
import { tapeEnd } from './tape-end.ts';
import { WarmUps } from './warm-ups.ts';

/** Trades applied in one turn while flushes go out: such a turn takes about as long as a quiet one. */
const LIVE_ROWS_PER_TURN = 2_048;

/** A run that has not begun: its start is unknown. */
const UNREAD = { startedAt: 0n as EpochNs, warm: false };

export interface EngineOptions extends StudyCatalogue {
  readonly tape: LiveTape;
  /** The newer days of a contract whose days can be replaced; they are read from their repair on. */
  readonly nextDays?: (contract: string) => Promise<NextDays | null>;
  /** Closed while too many of the emitted bytes are not acknowledged. */
  readonly flow: Flow;
  /** Receives every message, in order; the bytes of a message belong to the receiver. */
  readonly emit: (message: EngineMessage) => void;
  /** Lets other work of this thread run. */
  readonly yieldTurn: () => Promise<void>;
  readonly onFault: (error: unknown, spec: TopicSpec) => void;
  /** Measures the engine's work for operators; nothing that is published depends on it. */
  readonly meter?: Meter;
}

export interface Meter {
  nowMs(): number;
  /** The share of the time since the last call in which the thread was busy. */
  busyShare(): number;
}

/**
 * A topic's life:
 *
 * 1. It waits for the first watermark of its contract, then in a fair queue over accounts for its warm-up.
 * 2. It reads from the open of the current session, earlier if it must, to the whole second where it goes live: the
 *    newest, or the one that a returning subscriber needs. Other topics continue meanwhile.
 * 3. It is `live`: it takes the objects forming there, reports the last update before (its floor), and publishes every
 *    flush from there on while it catches up with the tape.
 * 4. It joins the feed of its contract and is `ready`: snapshots are answered between flushes.
 */
export class Engine implements Disposable {
  readonly #options: EngineOptions;
  readonly #topics = new Map<number, EngineTopic>();
  readonly #feeds: ContractFeeds;
  /** By contract. */
  readonly #days = new Map<string, TapeDays>();
  readonly #damaged: DamagedDays;
  readonly #watch = new DayWatch(this.#days, (contract, day) =>
    this.#options.emit({ t: 'day-changed', contract, day }),
  );
  /** The tape without damaged days. */
  readonly #sound: Tape;
  /** The same, as topics read it: days sealed behind them appear when all topics can restart. */
  readonly #past: Tape;
  readonly #warmUps: WarmUps<EngineTopic>;
  readonly #following: Disposable;
  /** Shared by all topics: a flush is gathered and taken without interruption. */
  readonly #writer = new BlockWriter();
  #tradesTotal = 0;
  /** Readers wait for the tapes of these datasets to reach these times. */
  readonly #wantedUntil = new Map<string, EpochNs>();
  /** Topics whose contract has no watermark yet. */
  readonly #early = new Set<EngineTopic>();

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#damaged = new DamagedDays(options.tape, (damage) =>
      options.emit({ t: 'day-damaged', ...damage }),
    );
    this.#sound = soundTape(options.tape, this.#damaged);
    this.#past = soundTape(options.tape, this.#damaged, (contract, day) =>
      this.#daysOf(contract).isPassedOver(day),
    );
    this.#feeds = new ContractFeeds(options, (contract) => this.#daysOf(contract));
    this.#warmUps = new WarmUps({
      run: (topic, yieldTurn) =>
        this.#warmUp(topic, yieldTurn).catch((error: unknown) => this.#runFailed(topic, error)),
      yieldTurn: options.yieldTurn,
      nowMs: () => this.#nowMs(),
    });
    const begun = new Set(options.tape.watermarks.keys());
    this.#following = options.tape.follow((commit) => {
      if (!begun.has(commit.dataset)) {
        begun.add(commit.dataset);
        this.pulse();
        this.#beginEarly();
      }
      for (const gap of commit.gaps ?? []) this.#days.get(gap.symbol)?.noteGap(gap);
      this.#feeds.committed(commit);
      this.#sendWatermark(commit.dataset, commit.promise);
    });
  }

  execute(command: EngineCommand): void {
    switch (command.t) {
      case 'open':
        this.#open(command);
        return;
      case 'close':
        this.#close(command.topic);
        return;
      case 'wanted':
        this.#wanted(command);
        return;
      case 'snapshot':
        this.#snapshot(command);
        return;
      case 'repaired':
        void this.#repair(command);
        return;
      case 'watermark-wanted':
        this.#wantWatermark(command);
        return;
      case 'damaged':
        if (!command.isDamaged) this.#damaged.forget(command.contract, command.day);
        else void this.#leaveOut(command.contract, command.day);
        return;
      default:
        command satisfies never;
    }
  }

  /** Reports all positions; called about once a second. */
  pulse(): void {
    const { tape } = this.#options;
    const topics: TopicPosition[] = [];
    for (const topic of this.#topics.values()) {
      const { run, number } = topic;
      if (topic.told !== null && run !== null) this.#tellChange(topic, run, topic.told);
      const position = run === null ? null : formatCursor(run.closed);
      const at = { topic: number, position, lagMs: this.#lagMs(topic) };
      topics.push(this.#options.meter === undefined ? at : { ...at, busyMs: topic.busyMs });
    }
    this.#options.emit({ t: 'pulse', watermarks: tape.watermarks, topics, ...this.#load() });
    void this.#watch.look();
  }

  [Symbol.dispose](): void {
    this.#following[Symbol.dispose]();
    for (const { closing } of this.#topics.values()) closing.abort();
    this.#topics.clear();
    this.#feeds.clear();
    this.#early.clear();
    this.#warmUps.clear();
  }

  #wantWatermark({ dataset, until }: Extract<EngineCommand, { t: 'watermark-wanted' }>): void {
    this.#wantedUntil.set(dataset, until);
    const promise = this.#options.tape.watermarks.get(dataset);
    if (promise !== undefined) this.#sendWatermark(dataset, promise);
  }

  #sendWatermark(dataset: string, promise: EpochNs): void {
    const until = this.#wantedUntil.get(dataset);
    if (until === undefined) return;
    if (promise >= until) this.#wantedUntil.delete(dataset);
    this.#options.emit({ t: 'watermark', dataset, promise });
  }

  #beginEarly(): void {
    for (const topic of this.#early) this.#begin(topic);
  }

  #begin(topic: EngineTopic): void {
    if (this.#options.tape.promiseOf(topic.spec.contract) === null) {
      this.#early.add(topic);
      return;
    }
    this.#early.delete(topic);
    this.#warmUps.add(topic, topic.accounts);
  }

  #load(): Pick<PulseMessage, 'load'> {
    const { meter } = this.#options;
    if (meter === undefined) return {};
    let following = 0;
    for (const { told } of this.#topics.values()) if (told !== null) following += 1;
    const warmingUp = this.#topics.size - following;
    const busyShare = meter.busyShare();
    const waiting = this.#warmUps.waitingCount + this.#early.size;
    return { load: { following, warmingUp, waiting, tradesTotal: this.#tradesTotal, busyShare } };
  }

  #open({ topic: number, spec, since, accounts }: Extract<EngineCommand, { t: 'open' }>): void {
    const days = this.#daysOf(spec.contract);
    let source: RunSource;
    try {
      source = runSource(studySource(this.#options, spec), this.#past, days);
    } catch (error) {
      this.#fault(number, spec, error);
      return;
    }
    const topic: EngineTopic = {
      number,
      spec,
      source,
      since: since === null ? null : parseCursor(since),
      accounts,
      closing: new AbortController(),
      run: null,
      member: null,
      busyMs: 0,
      told: null,
    };
    this.#topics.set(number, topic);
    this.#begin(topic);
  }

  #wanted({ topic: number, accounts }: Extract<EngineCommand, { t: 'wanted' }>): void {
    const topic = this.#topics.get(number);
    if (topic === undefined) return;
    topic.accounts = accounts;
    this.#warmUps.wanted(topic, accounts);
  }

  #close(number: number): void {
    const topic = this.#topics.get(number);
    if (topic === undefined) return;
    this.#topics.delete(number);
    this.#early.delete(topic);
    topic.closing.abort();
    this.#warmUps.delete(topic);
    this.#feeds.leave(topic.spec, topic.member);
  }

  #snapshot(command: Extract<EngineCommand, { t: 'snapshot' }>): void {
    const topic = this.#topics.get(command.topic);
    // A topic that has just failed or closed has reported it already.
    if (topic === undefined || topic.run === null || topic.told === null) return;
    const { parts: block } = topic.run.snapshot(command.depth, command.mode);
    const { request } = command;
    this.#options.emit({ t: 'snapshot', topic: topic.number, request, block });
  }

  /** A damaged day counts as missing; the receiver of `day-damaged` decides which results may be shown without it. */
  async #runFailed(topic: EngineTopic, error: unknown): Promise<void> {
    const { contract } = topic.spec;
    const day = damagedDay(error);
    if (day === null || this.#damaged.has(contract, day)) return this.#fail(topic, error);
    // Reported before anything is published without the day.
    this.#damaged.found(contract, day, error);
    await this.#learnDamage(contract);
    if (this.#isOpen(topic)) this.#beginAnew(topic);
  }

  /** Another thread has found the damage. */
  async #leaveOut(contract: string, day: UtcDay): Promise<void> {
    if (this.#damaged.has(contract, day)) return;
    this.#damaged.add(contract, day);
    await this.#learnDamage(contract);
  }

  /** Topics that were computed with days that are damaged by now end like those that a repair changes. */
  async #learnDamage(contract: string): Promise<void> {
    const before = new Map<EngineTopic, string>();
    try {
      const learn = await this.#daysOf(contract).lookAgain();
      for (const topic of this.#topics.values()) {
        if (topic.spec.contract === contract) before.set(topic, this.#inputs(topic).text);
      }
      learn();
      this.#endChanged(before);
    } catch (error) {
      for (const topic of before.keys()) this.#fail(topic, error);
    }
  }

  #endChanged(before: ReadonlyMap<EngineTopic, string>): void {
    for (const [topic, inputs] of before) {
      if (this.#isOpen(topic) && this.#inputs(topic).text !== inputs) this.#beginAnew(topic);
    }
  }

  async #warmUp(topic: EngineTopic, yieldTurn: () => Promise<void>): Promise<void> {
    const { source } = topic;
    const { tape, contract, days } = source;
    const feed = this.#feeds.of(topic.spec);
    const pace = { yieldTurn, signal: topic.closing.signal };
    await days.learn(feed.horizon!);
    pace.signal.throwIfAborted();
    const edge = await liveEdge(tape, contract, feed.horizon!, topic.since);
    const { run, floor } = await startStream(source, edge, pace);
    run.goLive(this.#writer, ({ parts: block }, position) => {
      this.#options.emit({
        t: 'flush',
        topic: topic.number,
        position: formatCursor(position),
        block,
      });
    });
    topic.run = run;
    this.#options.emit({ t: 'live', topic: topic.number, floor: formatCursor(floor) });
    await this.#catchUp(topic, run, pace);
  }

  /** Reads on, publishing, until the feed can take the run at its position. */
  async #catchUp(topic: EngineTopic, run: TopicRun, { signal, yieldTurn }: RunPace): Promise<void> {
    const { flow } = this.#options;
    const yieldOpen = async () => {
      await flow.opened();
      await yieldTurn();
    };
    const pace = { yieldTurn: yieldOpen, signal, rowsPerTurn: LIVE_ROWS_PER_TURN };
    const { days } = topic.source;
    const member = this.#memberOf(topic, run);
    do {
      const feed = this.#feeds.of(topic.spec);
      // Taken before the read: all trades before it can be read by then.
      const horizon = feed.horizon!;
      for await (const batch of await feed.read(run.place)) {
        await days.learnFor(batch);
        await takeInTurns(run, batch, pace);
      }
      await days.learn(horizon);
      signal.throwIfAborted();
      run.advance(horizon);
      topic.member = member;
    } while (!this.#feeds.of(topic.spec).join(member));
    this.#tellReady(topic, run);
  }

  #memberOf(topic: EngineTopic, run: TopicRun): FeedMember {
    return {
      get place() {
        return run.place;
      },
      take: (batch) => {
        const from = this.#nowMs();
        run.take(batch);
        topic.busyMs += this.#nowMs() - from;
        this.#tradesTotal += batch.count;
      },
      advance: (promise) => {
        const from = this.#nowMs();
        run.advance(promise);
        topic.busyMs += this.#nowMs() - from;
      },
      failed: (error) => void this.#runFailed(topic, error),
    };
  }

  #daysOf(contract: string): TapeDays {
    const { tape } = this.#options;
    return this.#days.getOrInsertComputed(
      contract,
      () => new TapeDays(this.#sound, contract, () => tape.promiseOf(contract)),
    );
  }

  #tellReady(topic: EngineTopic, run: TopicRun): void {
    const told = { warm: run.warm, partialSince: this.#inputs(topic).partialSince };
    topic.told = told;
    const position = formatCursor(run.closed);
    this.#options.emit({
      t: 'ready',
      topic: topic.number,
      position,
      lagMs: this.#lagMs(topic),
      ...told,
    });
  }

  #tellChange(topic: EngineTopic, run: TopicRun, { warm, partialSince }: Told): void {
    if (run.warm === warm && this.#inputs(topic).partialSince === partialSince) return;
    this.#tellReady(topic, run);
  }

  #inputs({ spec, source, run }: EngineTopic): SessionInputs {
    return sessionInputs(source, run ?? { reached: this.#feeds.of(spec).horizon, ...UNREAD });
  }

  /** Ends the topics that no longer match the tape. */
  async #repair({ contract, request }: Extract<EngineCommand, { t: 'repaired' }>): Promise<void> {
    const before = new Map<EngineTopic, string>();
    let end: RepairAnswer['end'] = null;
    try {
      const next = (await this.#options.nextDays?.(contract)) ?? null;
      if (next !== null) this.#damaged.forget(contract); // Days that are still damaged are found again.
      const tapeToCome = next && soundTape(next.tape, this.#damaged);
      const learn = await this.#daysOf(contract).lookAgain(tapeToCome);
      // The end of the tape that is replaced: the new one may end earlier.
      end = next && (await tapeEnd(this.#options.tape, contract));
      for (const topic of this.#topics.values()) {
        if (topic.spec.contract === contract) before.set(topic, this.#inputs(topic).text);
      }
      next?.adopt();
      learn();
      this.#watch.repaired(contract);
      this.#endChanged(before);
      end ??= await tapeEnd(this.#options.tape, contract);
    } catch (error) {
      for (const topic of before.keys()) this.#fail(topic, error);
    }
    this.#options.emit({ t: 'repaired', request, end });
  }

  /** A topic that has shown nothing restarts by itself; any other one is opened again for its subscribers. */
  #beginAnew({ number, spec, run, since, accounts }: EngineTopic): void {
    this.#close(number);
    const from = since && formatCursor(since);
    if (run !== null) this.#options.emit({ t: 'outdated', topic: number });
    else this.#open({ t: 'open', topic: number, spec, since: from, accounts });
  }

  #lagMs({ run, spec }: EngineTopic): number {
    const promise = this.#options.tape.promiseOf(spec.contract);
    if (run === null || promise === null) return 0;
    const horizon = promise - BigInt(spec.delaySeconds) * SECOND_NS_BIG;
    return Math.max(0, Math.round(Number(horizon - run.reached) / 1e6));
  }

  #nowMs(): number {
    return this.#options.meter?.nowMs() ?? 0;
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
