/**
 * A past session played again: every version that the stream had, of several charts in step. It plays pages of history
 * with `snapshot=true` on a clock that can be stopped, and asks for them a little ahead of what is watched.
 */

import type { ClientClock } from '@tapeloom/client/stream';
import { TapeloomError } from '@tapeloom/client/stream';
import type { ChartContent } from '../series/chart-content.ts';
import type { SessionSpan } from '../series/sessions.ts';
import type { SessionSums } from '../series/sums.ts';
import type { ChartSpec } from '../spec/chart-spec.ts';
import type { HistoryBudget, Reservation } from './history-budget.ts';
import { PlayClock } from './play-clock.ts';
import { PlayHead } from './play-head.ts';
import { ReplayChart } from './replay-chart.ts';
import { ReplayFacts } from './replay-facts.ts';
import { ReplayPages, type ReplayTopic } from './replay-pages.ts';
import { ReplayTape, type TapeStep } from './replay-tape.ts';
import { ReplayTrack } from './replay-track.ts';
import { type SelvedgeMinute, WatchedSelvedge } from './selvedge.ts';
import type { FeedSources } from './sources.ts';
import { BARS, chartTopics } from './topics.ts';
import { replayCostText, usedUpHem } from './words.ts';

export type { SelvedgeMinute } from './selvedge.ts';

export const REPLAY_SPEEDS = [1, 2, 5, 10, 20, 50, 100] as const;
export type ReplaySpeed = (typeof REPLAY_SPEEDS)[number];
export const REPLAY_STEPS = ['trade', 'flush', 'bar'] as const;
export type ReplayStep = TapeStep;

/** Between two pictures, in real time. */
const FRAME_MS = 16;
/** Without a trade the time still moves. */
const QUIET_MS = 200;
const NS_PER_MS = 1e6;
/** Loaded ahead of what is shown, in real time at the present speed, and at least. */
const AHEAD_REAL_MS = 30_000;
const AHEAD_MS_MIN = 600_000;

export interface ReplayOptions {
  readonly sources: FeedSources;
  readonly charts: readonly { readonly spec: ChartSpec; readonly content: ChartContent }[];
  readonly session: SessionSpan;
  readonly clock: ClientClock;
  readonly budget: HistoryBudget;
}

export type ReplayState =
  | { readonly t: 'estimating' }
  /** Above what a gesture may spend: `load` with permission begins it. */
  | { readonly t: 'asking'; readonly units: number; readonly share: number; readonly text: string }
  | { readonly t: 'loading' }
  | { readonly t: 'paused' }
  | { readonly t: 'playing' }
  | { readonly t: 'over' }
  | { readonly t: 'failed'; readonly text: string };

export class Replay {
  readonly session: SessionSpan;
  readonly #options: ReplayOptions;
  readonly #clock: PlayClock;
  readonly #head: PlayHead;
  readonly #charts: readonly ReplayChart[];
  readonly #topics: readonly ReplayTopic[];
  readonly #tape: ReplayTape;
  readonly #pages: ReplayPages;
  readonly #facts: ReplayFacts;
  readonly #selvedge: WatchedSelvedge;
  readonly #closing = new AbortController();
  readonly #hears = new Set<() => void>();
  #state: ReplayState = { t: 'estimating' };
  #reservation: Reservation | null = null;
  #charged = 0;
  #isLoading = false;
  /** A position that was asked for before it was loaded, in milliseconds since the open. */
  #wantedMs: number | null = null;
  #isPlayWanted = false;
  #speed: ReplaySpeed = 1;

  constructor(options: ReplayOptions) {
    const { session, charts, clock, sources } = options;
    const { signal } = this.#closing;
    this.session = session;
    this.#options = options;
    this.#charts = charts.map(({ spec, content }) => {
      const tracks = chartTopics(spec, true).map((topic) => new ReplayTrack(topic));
      return new ReplayChart({ spec, content, tracks, session });
    });
    this.#topics = this.#charts.flatMap(({ tracks }, at) =>
      tracks.map((track) => ({ instrument: charts[at]!.spec.instrument, track })),
    );
    this.#tape = new ReplayTape(session.openNs, this.#charts);
    this.#selvedge = new WatchedSelvedge(session.openNs, this.#tape);
    const onCharged = (units: number) => {
      this.#charged += units;
    };
    this.#pages = new ReplayPages({ sources, session, clock, signal, onCharged });
    this.#facts = new ReplayFacts({ sources, session, signal });
    this.#clock = new PlayClock(clock);
    this.#head = new PlayHead({
      clock: this.#clock,
      timeOf: (index) => (index < this.#tape.length ? this.#tape.timeOf(index) / NS_PER_MS : null),
      onDue: (end) => this.#show(end),
      apartMs: () => FRAME_MS * this.#speed,
      atMostMs: () => QUIET_MS * this.#speed,
    });
  }

  get state(): ReplayState {
    return this.#state;
  }

  /** The instant of the tape that is shown. */
  get atNs(): bigint {
    return this.#nsOf(Math.min(this.#clock.now(), this.#loadedMs));
  }

  /** How far it has been loaded. */
  get loadedNs(): bigint {
    return this.#nsOf(this.#loadedMs);
  }

  /** How far it has been watched: no further does the selvedge reach. */
  get watchedNs(): bigint {
    return this.#selvedge.watchedNs;
  }

  /** Delta and volume by minute, of the first chart's bars. */
  get selvedge(): readonly SelvedgeMinute[] {
    return this.#selvedge.minutes;
  }

  get speed(): ReplaySpeed {
    return this.#speed;
  }

  set speed(speed: ReplaySpeed) {
    this.#speed = speed;
    this.#clock.speed = speed;
    this.#head.more();
    this.#loadAhead();
  }

  /** Of a chart, in the order of `charts`. Another object after going back. */
  sumsOf(chart: number): SessionSums | null {
    return this.#charts[chart]?.sums ?? null;
  }

  /** Knows the cost first. `isPermitted`: a reader has read it. */
  async load(isPermitted = false): Promise<void> {
    const { t } = this.#state;
    if (t !== 'estimating' && !(t === 'asking' && isPermitted)) return;
    try {
      if (!(await this.#reserve(isPermitted))) return;
      this.#set({ t: 'loading' });
      await this.#loadUntil(() => this.#tape.length > 0);
      if (this.#closing.signal.aborted) return;
      if (this.#tape.length === 0) {
        this.#set({ t: 'failed', text: 'There are no trades of this session.' });
        return;
      }
      for (const chart of this.#charts) chart.showFirst();
      this.#show(0);
      this.#set({ t: 'paused' });
      if (this.#isPlayWanted) this.play();
      else this.#loadAhead();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Before the session is loaded: as soon as it is. */
  play(): void {
    const { t } = this.#state;
    this.#isPlayWanted = t === 'estimating' || t === 'loading';
    if (t === 'over') this.seek(this.session.openNs);
    else if (t !== 'paused') return;
    this.#set({ t: 'playing' });
    this.#clock.play();
    this.#head.run();
    this.#loadAhead();
  }

  pause(): void {
    if (this.#state.t !== 'playing') return;
    this.#stop();
    this.#set({ t: 'paused' });
  }

  /** To the end of the next trade, flush or bar. What is not loaded yet cannot be reached. */
  step(by: ReplayStep): void {
    if (!this.#canMove) return;
    this.pause();
    const position = this.#tape.after(this.#head.next, by);
    if (position === null) this.#loadAhead();
    else this.#moveTo(position, this.#timeBefore(position));
  }

  stepBack(by: ReplayStep): void {
    if (!this.#canMove) return;
    this.pause();
    const position = this.#tape.before(this.#head.next, by);
    this.#moveTo(position, this.#timeBefore(position));
  }

  /** A position that is not loaded yet is shown once it is. */
  seek(ns: bigint): void {
    if (!this.#canMove) return;
    const { openNs, closeNs } = this.session;
    const inside = ns < openNs ? openNs : ns > closeNs ? closeNs : ns;
    const ms = Number(inside - openNs) / NS_PER_MS;
    this.#wantedMs = ms > this.#loadedMs ? ms : null;
    const shownMs = Math.min(ms, this.#loadedMs);
    this.#moveTo(this.#tape.positionAfter(shownMs * NS_PER_MS), shownMs);
    this.#loadAhead();
  }

  onChange(hear: () => void): () => void {
    this.#hears.add(hear);
    return () => this.#hears.delete(hear);
  }

  close(): void {
    this.#stop();
    this.#closing.abort();
    this.#reservation?.settle(this.#charged);
    this.#hears.clear();
  }

  /** Whether the units may be spent; if not, the state says why. */
  async #reserve(isPermitted: boolean): Promise<boolean> {
    const { budget } = this.#options;
    const { units, remaining } = await this.#pages.cost(this.#topics);
    if (this.#closing.signal.aborted) return false;
    if (units > remaining) {
      this.#set({ t: 'failed', text: usedUpHem(budget.nowMs).text });
      return false;
    }
    if (!isPermitted && units > budget.allowance()) {
      const { unitsPerMonth, nowMs } = budget;
      const indicators = this.#topics.length;
      const text = replayCostText({ units, indicators, unitsPerMonth, nowMs });
      this.#set({ t: 'asking', units, share: units / unitsPerMonth, text });
      return false;
    }
    this.#reservation = budget.reserve(units);
    return true;
  }

  async #loadUntil(isEnough: () => boolean): Promise<void> {
    this.#isLoading = true;
    try {
      for (let lacking = this.#tape.merge(); lacking !== null; lacking = this.#tape.merge()) {
        if (isEnough()) return;
        await this.#loadPage(lacking);
      }
    } finally {
      this.#isLoading = false;
    }
  }

  async #loadPage(track: ReplayTrack): Promise<void> {
    const topic = this.#topics.find((it) => it.track === track)!;
    const chart = this.#charts.find(({ tracks }) => tracks.includes(track))!;
    try {
      const page = await this.#pages.load(topic);
      const { title, timeZone, days } = await this.#facts.of(topic.instrument, page.contract);
      chart.name(page, title, timeZone);
      chart.sessions = days;
    } catch (error) {
      this.#closing.signal.throwIfAborted();
      const isPart = track.topic.key !== BARS && error instanceof TapeloomError;
      if (!isPart) throw error;
      track.isWhole = true;
      chart.refuse(track, error.code, error.message);
    }
  }

  /** Continues to load, as far ahead as the speed needs it. */
  #loadAhead(): void {
    if (this.#isLoading || this.#state.t === 'failed' || this.#tape.isWhole) return;
    const aheadMs = Math.max(AHEAD_MS_MIN, AHEAD_REAL_MS * this.#speed);
    const isEnough = () => {
      const neededMs = Math.max(this.#clock.now(), this.#wantedMs ?? 0) + aheadMs;
      return this.#loadedMs >= neededMs;
    };
    this.#loadUntil(isEnough).then(
      () => this.#loaded(),
      (error) => this.#fail(error),
    );
  }

  #loaded(): void {
    if (this.#closing.signal.aborted) return;
    const wantedMs = this.#wantedMs;
    if (wantedMs !== null) this.seek(this.#nsOf(wantedMs));
    if (this.#state.t === 'playing') this.#clock.play();
    this.#head.more();
    this.#tell();
  }

  get #canMove(): boolean {
    const { t } = this.#state;
    return t === 'paused' || t === 'playing' || t === 'over';
  }

  get #loadedMs(): number {
    const { openNs, closeNs } = this.session;
    if (this.#tape.isWhole) return Number(closeNs - openNs) / NS_PER_MS;
    const { length } = this.#tape;
    return length === 0 ? 0 : this.#tape.timeOf(length - 1) / NS_PER_MS;
  }

  #timeBefore(position: number): number {
    return position === 0 ? 0 : this.#tape.timeOf(position - 1) / NS_PER_MS;
  }

  #moveTo(position: number, ms: number): void {
    this.#clock.set(ms);
    this.#head.place(position);
    this.#show(position);
    if (this.#state.t === 'over' && !this.#isOver) this.#set({ t: 'paused' });
  }

  #show(position: number): void {
    const counts = this.#tape.countsAt(position);
    const { atNs } = this;
    let from = 0;
    for (const chart of this.#charts) {
      chart.show(counts.slice(from, from + chart.tracks.length), atNs);
      from += chart.tracks.length;
    }
    this.#selvedge.watch(position, atNs);
    this.#loadAhead();
    // What comes next is not here yet: the clock waits for it.
    const isStarved = position >= this.#tape.length && !this.#tape.isWhole;
    if (isStarved) {
      this.#clock.pause();
      this.#clock.set(Math.min(this.#clock.now(), this.#loadedMs));
    }
    if (this.#isOver && this.#canMove) {
      this.#stop();
      this.#set({ t: 'over' });
    } else this.#tell();
  }

  get #isOver(): boolean {
    return this.#tape.isWhole && this.#head.next >= this.#tape.length;
  }

  #stop(): void {
    this.#clock.pause();
    this.#head.stop();
  }

  #fail(error: unknown): void {
    if (this.#closing.signal.aborted) return;
    this.#stop();
    const message = error instanceof Error ? error.message : String(error);
    this.#set({ t: 'failed', text: `The session cannot be played. ${message}` });
  }

  #nsOf(ms: number): bigint {
    return this.session.openNs + BigInt(Math.round(ms * NS_PER_MS));
  }

  #set(state: ReplayState): void {
    this.#state = state;
    this.#tell();
  }

  #tell(): void {
    for (const hear of this.#hears) hear();
  }
}
