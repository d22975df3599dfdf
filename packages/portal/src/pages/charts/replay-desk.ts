/** The replay of the workspace: which day, all charts in step, and the present again afterwards. */

import type { HistoryBudget } from '@tapeloom/charts/feed/history-budget';
import type {
  Replay,
  ReplayOptions,
  ReplaySpeed,
  ReplayState,
  ReplayStep,
} from '@tapeloom/charts/feed/replay';
import type { FeedSources } from '@tapeloom/charts/feed/sources';
import { ChartContent } from '@tapeloom/charts/series/chart-content';
import type { SessionSpan } from '@tapeloom/charts/series/sessions';
import type { ChartSpec } from '@tapeloom/charts/spec/chart-spec';
import type { Instrument } from '@tapeloom/client';
import type { UsageView } from '../../api/portal-shapes.ts';
import { BROWSER_CLOCK } from './browser-ports.ts';
import { daySessions } from './replay-days.ts';
import type { Seat } from './seat.ts';
import { Store } from './store.ts';
import type { Workspace } from './workspace.ts';

export type ReplayPhase =
  | { readonly t: 'off' }
  /** The days are being asked for. */
  | { readonly t: 'opening' }
  | { readonly t: 'refused'; readonly text: string; readonly needsPlan: boolean }
  | { readonly t: 'on'; readonly replay: Replay; readonly day: SessionSpan };

const DAYS_BACK = 400;

/** The workspace, as far as a replay concerns it. */
export interface ReplayHost {
  readonly usage: Store<UsageView>;
  readonly shared: FeedSources;
  readonly budget: HistoryBudget;
  readonly workspace: Store<Workspace>;
  readonly inUse: Seat;
  /** In the order of the charts. */
  readonly seats: readonly Seat[];
  instrument(name: string): Instrument | null;
}

export class ReplayDesk {
  readonly phase = new Store<ReplayPhase>({ t: 'off' });
  /** Counts changes of the running replay. */
  readonly turns = new Store(0);
  readonly step = new Store<ReplayStep>('flush');
  readonly speed = new Store<ReplaySpeed>(10);
  /** Days that can be played, oldest first. */
  readonly days = new Store<readonly SessionSpan[]>([]);
  readonly #desk: ReplayHost;
  #instrument = '';
  #leave: readonly (() => void)[] = [];
  /** Of the charts that are played; a change of what they need begins the replay again. */
  #needs = '';
  #turn = 0;
  /** Fetched with the first replay. */
  #make: ((options: ReplayOptions) => Replay) | null = null;

  constructor(desk: ReplayHost) {
    this.#desk = desk;
  }

  get isOn(): boolean {
    return this.phase.value.t !== 'off';
  }

  get #replay(): Replay | null {
    const { value } = this.phase;
    return value.t === 'on' ? value.replay : null;
  }

  get state(): ReplayState | null {
    return this.#replay?.state ?? null;
  }

  /** Opens the bar at the newest day that is over. */
  async open(): Promise<void> {
    if (this.isOn) return;
    this.#turn += 1;
    const turn = this.#turn;
    const { usage, inUse, shared } = this.#desk;
    const { historyDays } = usage.value.limits;
    if (historyDays === 0) {
      this.phase.set({ t: 'refused', text: NO_HISTORY, needsPlan: true });
      return;
    }
    this.phase.set({ t: 'opening' });
    this.#instrument = inUse.spec.instrument;
    try {
      const player = await import('@tapeloom/charts/feed/replay');
      this.#make = (options) => new player.Replay(options);
      const days = await daySessions(shared, {
        instrument: this.#instrument,
        daysBack: Math.min(historyDays, DAYS_BACK),
        history: this.#desk.instrument(this.#instrument)?.history ?? null,
        nowMs: Date.now(),
      });
      if (turn !== this.#turn) return;
      this.days.set(days);
      const last = days.at(-1);
      if (last === undefined) this.phase.set({ t: 'refused', text: NO_DAYS, needsPlan: false });
      else this.choose(last);
    } catch (error) {
      if (turn !== this.#turn) return;
      const text = error instanceof Error ? error.message : String(error);
      this.phase.set({ t: 'refused', text, needsPlan: false });
    }
  }

  choose(day: SessionSpan, atNs?: bigint): void {
    this.#release();
    const desk = this.#desk;
    const { seats } = desk;
    const charts = seats.map(({ spec }) => ({ spec, content: new ChartContent() }));
    const { shared: sources, budget } = desk;
    const replay = this.#make!({ sources, charts, session: day, clock: BROWSER_CLOCK, budget });
    replay.speed = this.speed.value;
    this.#needs = needsOf(seats.map(({ spec }) => spec));
    seats.forEach((seat, at) => {
      seat.play({ content: charts[at]!.content, sums: () => replay.sumsOf(at) });
    });
    let wanted = atNs;
    this.#leave = [
      replay.onChange(() => {
        if (wanted !== undefined && replay.state.t === 'paused') {
          const ns = wanted;
          wanted = undefined;
          replay.seek(ns);
        }
        this.turns.change((turns) => turns + 1);
      }),
      desk.workspace.listen(() => this.#look()),
    ];
    this.phase.set({ t: 'on', replay, day });
    void replay.load();
  }

  load(): void {
    void this.#replay?.load(true);
  }

  toggle(): void {
    const replay = this.#replay;
    if (replay?.state.t === 'playing') replay.pause();
    else replay?.play();
  }

  stepOn(): void {
    this.#replay?.step(this.step.value);
  }

  stepBack(): void {
    this.#replay?.stepBack(this.step.value);
  }

  seek(ns: bigint): void {
    this.#replay?.seek(ns);
  }

  setSpeed(speed: ReplaySpeed): void {
    this.speed.set(speed);
    const replay = this.#replay;
    if (replay !== null) replay.speed = speed;
  }

  /** Back to the present, which went on meanwhile. */
  end(): void {
    this.#turn += 1;
    this.#release();
    this.phase.set({ t: 'off' });
  }

  #release(): void {
    for (const leave of this.#leave) leave();
    this.#leave = [];
    this.#replay?.close();
    for (const seat of this.#desk.seats) seat.play(null);
  }

  #look(): void {
    const { value } = this.phase;
    if (value.t !== 'on') return;
    const specs = this.#desk.workspace.value.charts.map(({ spec }) => spec);
    if (needsOf(specs) === this.#needs) return;
    // Seats of new charts are made by the same change of the workspace.
    const { atNs } = value.replay;
    queueMicrotask(() => {
      if (this.phase.value === value) this.choose(value.day, atNs);
    });
  }
}

/** What a replay loads for these charts: everything else may change while it runs. */
function needsOf(specs: readonly ChartSpec[]): string {
  return JSON.stringify(
    specs.map(({ instrument, bar, layers, panes, side, look, rules }) => [
      ...[instrument, bar, panes, side, look === 'candles', rules],
      layers.map(({ indicator, params }) => [indicator, params]),
    ]),
  );
}

const NO_HISTORY = 'Your plan has no history, so there is no past session to play.';
const NO_DAYS = 'There is no past session of this instrument to play.';
