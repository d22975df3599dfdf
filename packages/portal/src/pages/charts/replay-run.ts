/** A replay at work: which day, all charts in step, and what the reader has chosen of speed and step. */

import { Replay, type ReplaySpeed, type ReplayStep } from '@tapeloom/charts/feed/replay';
import { ChartContent } from '@tapeloom/charts/series/chart-content';
import type { SessionSpan } from '@tapeloom/charts/series/sessions';
import type { ChartSpec } from '@tapeloom/charts/spec/chart-spec';
import { BROWSER_CLOCK } from './browser-ports.ts';
import { daySessions } from './replay-days.ts';
import type { OpenReplay, ReplayHost } from './replay-host.ts';
import { Store } from './store.ts';

const DAYS_BACK = 400;
const FIRST_SPEED: ReplaySpeed = 10;

type Tell = (run: ReplayRun, day: SessionSpan) => void;

/** Null: the instrument has no past session that the plan may see. */
export async function openReplay(host: ReplayHost, tell: Tell): Promise<ReplayRun | null> {
  const { instrument } = host.inUse.spec;
  const days = await daySessions(host.shared, {
    instrument,
    daysBack: Math.min(host.usage.value.limits.historyDays, DAYS_BACK),
    history: host.instrument(instrument)?.history ?? null,
    nowMs: Date.now(),
  });
  return days.length === 0 ? null : new ReplayRun(host, days, tell);
}

export class ReplayRun implements OpenReplay {
  /** Counts changes of what is played. */
  readonly turns = new Store(0);
  readonly step = new Store<ReplayStep>('flush');
  readonly speed = new Store<ReplaySpeed>(FIRST_SPEED);
  /** Days that can be played, oldest first. */
  readonly days: readonly SessionSpan[];
  readonly #host: ReplayHost;
  readonly #tell: Tell;
  #replay: Replay | null = null;
  #leave: readonly (() => void)[] = [];
  /** What the replay has loaded for the charts; if they need something else, it begins again. */
  #needs = '';

  constructor(host: ReplayHost, days: readonly SessionSpan[], tell: Tell) {
    this.#host = host;
    this.days = days;
    this.#tell = tell;
  }

  /** Only after `begin`. */
  get replay(): Replay {
    return this.#replay!;
  }

  begin(): void {
    this.choose(this.days.at(-1)!);
  }

  /** From the open on: a later instant would load, and charge, all before it. */
  choose(day: SessionSpan, atNs?: bigint): void {
    this.close();
    const { seats, shared: sources, budget, workspace } = this.#host;
    const charts = seats.map(({ spec }) => ({ spec, content: new ChartContent() }));
    const replay = new Replay({ sources, charts, session: day, clock: BROWSER_CLOCK, budget });
    replay.speed = this.speed.value;
    this.#replay = replay;
    this.#needs = needsOf(seats.map(({ spec }) => spec));
    seats.forEach((seat, at) => {
      seat.play({ content: charts[at]!.content, sums: () => replay.sumsOf(at) });
    });
    let wanted = atNs;
    const changed = () => {
      if (wanted !== undefined && replay.state.t === 'paused') {
        const ns = wanted;
        wanted = undefined;
        replay.seek(ns);
      }
      this.turns.change((turns) => turns + 1);
    };
    this.#leave = [replay.onChange(changed), workspace.listen(() => this.#look(day))];
    this.#tell(this, day);
    void replay.load();
  }

  /** Although it costs more than a gesture may spend. */
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
    if (this.#replay !== null) this.#replay.speed = speed;
  }

  /** The charts show the present again. */
  close(): void {
    for (const leave of this.#leave) leave();
    this.#leave = [];
    this.#replay?.close();
    this.#replay = null;
    for (const seat of this.#host.seats) seat.play(null);
  }

  #look(day: SessionSpan): void {
    const replay = this.#replay;
    const specs = this.#host.workspace.value.charts.map(({ spec }) => spec);
    if (replay === null || needsOf(specs) === this.#needs) return;
    const { atNs } = replay;
    // Seats of new charts are made by the same change of the workspace.
    queueMicrotask(() => {
      if (this.#replay === replay) this.choose(day, atNs);
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
