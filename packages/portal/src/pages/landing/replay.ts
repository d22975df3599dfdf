/**
 * The landing page's replay: our client library on a recorded stream. The view reports its real connection and the
 * updates it delivered, counted against the recording. After the end it starts again.
 */

import type { PlayClock } from '@tapeloom/charts/feed/play-clock';
import { RecordedService } from '@tapeloom/charts/feed/recorded-service';
import type { Recording } from '@tapeloom/charts/feed/recording';
import { ReplayTally, type TallyCounts } from '@tapeloom/charts/feed/replay-tally';
import { signedText } from '@tapeloom/charts/scene/number-text';
import {
  type ConnectionChange,
  type ConnectionState,
  priceText,
  StreamClient,
  type Subscription,
  type Upsert,
} from '@tapeloom/client/stream';
import { StageChart } from './stage-chart.ts';

/** How long a cut connection stays dead: the library's third attempt succeeds. */
const DEAD_MS = 1_700;
/** Between the end and the next start. */
const INTERVAL_MS = 3_000;
const LOG_LINES = 14;
const RATE_MS = 1_000;

export interface LogLine {
  readonly what: string;
  readonly where: string;
  readonly value: string;
  /** 1 bought, -1 sold; 0 for other lines. */
  readonly side: -1 | 0 | 1;
  /** True for lines about the connection. */
  readonly isNews: boolean;
}

/** How the last interruption ended. */
export interface Resumption {
  readonly cursor: string;
  readonly awayMs: number;
  /** Updates published meanwhile that have arrived. */
  readonly caughtUp: number;
  readonly missed: number;
  readonly doubled: number;
}

export interface ReplayView {
  readonly connection: ConnectionState;
  readonly positionMs: number;
  /** Messages in the last second. */
  readonly perSecond: number;
  readonly counts: TallyCounts;
  /** The footprint's last update, as on the wire. */
  readonly last: LastUpdate | null;
  readonly log: readonly LogLine[];
  /** Set while the connection is lost. */
  readonly away: { readonly ms: number; readonly cursor: string } | null;
  readonly resumed: Resumption | null;
  readonly isOver: boolean;
}

export interface LastUpdate extends Upsert<'footprint'> {
  readonly sub: string;
}

export class Replay {
  readonly #recording: Recording;
  readonly #clock: PlayClock;
  #run: Run;
  #log: LogLine[] = [];
  #timer: { cancel(): void } | null = null;
  /** Incremented with every change of the view. */
  version = 0;

  constructor(recording: Recording, clock: PlayClock) {
    this.#recording = recording;
    this.#clock = clock;
    this.#run = this.#begin();
  }

  /** Null before the first snapshot. */
  get chart(): StageChart | null {
    return this.#run.chart;
  }

  get view(): ReplayView {
    const { client, service, tally, cut, resumed, last, isOver } = this.#run;
    const now = this.#clock.now();
    return {
      connection: client.connection,
      positionMs: service.positionMs,
      perSecond: this.#run.rate(now),
      counts: tally.counts,
      last,
      log: this.#log,
      away: cut === null ? null : { ms: now - cut.at, cursor: cut.cursor },
      resumed,
      isOver,
    };
  }

  priceText(ticks: number): string {
    return priceText(ticks, this.#run.footprint.state.tickSizeNanos ?? 0);
  }

  cut(): void {
    const { client, service, footprint, tally } = this.#run;
    const { cursor } = footprint.state;
    if (client.connection !== 'open' || cursor === null || this.#run.isOver) return;
    this.#run.cut = { at: this.#clock.now(), cursor, told: tally.counts.told };
    this.#run.resumed = null;
    service.cut(DEAD_MS);
  }

  async close(): Promise<void> {
    this.#timer?.cancel();
    this.#run.service.stop();
    await this.#run.client.close();
  }

  #begin(): Run {
    const recording = this.#recording;
    const run = new Run(recording, this.#clock, () => this.#end());
    run.client.on('connection', (change) => this.#connection(run, change));
    run.footprint.on('upsert', (update) => this.#footprint(run, update));
    run.large.on('upsert', (update) => this.#large(run, update));
    for (const subscription of [run.footprint, run.large]) {
      subscription.on('snapshot', () => {
        run.restart();
        this.version += 1;
      });
    }
    return run;
  }

  #end(): void {
    const run = this.#run;
    run.isOver = true;
    this.#say('end of the recording', '', '');
    this.#timer = this.#clock.after(INTERVAL_MS, () => {
      run.service.stop();
      void run.client.close();
      this.#log = [];
      this.#say('again from the start', '', '');
      this.#run = this.#begin();
    });
  }

  #footprint(run: Run, update: Upsert<'footprint'>): void {
    run.tally.note('footprint', update.cursor);
    run.chart?.putBar(update.object);
    const before = run.last?.object;
    run.last = { ...update, sub: 's1' };
    const { data, id } = update.object;
    const net = data.delta - (before?.id === id ? before.data.delta : 0);
    const side = Math.sign(net) as -1 | 0 | 1;
    const where = placeText(update.cursor);
    const value = `${signedText(net)} @ ${this.priceText(data.close)}`;
    this.#add({
      what: update.object.final ? 'final' : 'upsert',
      where,
      value,
      side,
      isNews: false,
    });
  }

  #large(run: Run, { cursor, object }: Upsert<'large-trades'>): void {
    run.tally.note('large-trades', cursor);
    run.chart?.large.put(object);
    const { side, size, last } = object.data;
    const value = `${signedText(side * size)} @ ${this.priceText(last)}`;
    this.#add({ what: 'large', where: placeText(cursor), value, side, isNews: false });
  }

  #connection(run: Run, { state, retryInMs }: ConnectionChange): void {
    if (run !== this.#run || run.cut === null) return;
    if (state === 'waiting') {
      const seconds = ((retryInMs ?? 0) / 1_000).toFixed(1);
      this.#say('no connection', '', `again in ${seconds} s`);
    }
    if (state !== 'open') return;
    const { at, cursor, told } = run.cut;
    this.#say('resume from', placeText(cursor), '');
    // The missed updates follow the subscription, which is sent at this moment.
    this.#clock.after(0, () => {
      const counts = run.tally.counts;
      run.cut = null;
      run.resumed = {
        cursor,
        awayMs: this.#clock.now() - at,
        caughtUp: counts.told - told,
        missed: counts.missed,
        doubled: counts.doubled,
      };
      this.version += 1;
    });
  }

  #say(what: string, where: string, value: string): void {
    this.#add({ what, where, value, side: 0, isNews: true });
  }

  #add(line: LogLine): void {
    this.#log = [line, ...this.#log].slice(0, LOG_LINES);
    this.version += 1;
  }
}

/** One run through the recording. */
class Run {
  readonly service: RecordedService;
  readonly client: StreamClient;
  readonly tally: ReplayTally;
  readonly footprint: Subscription<'footprint'>;
  readonly large: Subscription<'large-trades'>;
  readonly #heardAt: number[] = [];
  last: LastUpdate | null = null;
  cut: { readonly at: number; readonly cursor: string; readonly told: number } | null = null;
  resumed: Resumption | null = null;
  isOver = false;
  chart: StageChart | null = null;
  readonly #recording: Recording;

  constructor(recording: Recording, clock: PlayClock, onEnd: () => void) {
    this.#recording = recording;
    this.tally = new ReplayTally(recording);
    this.service = new RecordedService({
      recording,
      clock,
      onEnd,
      onWire: ({ from }) => {
        if (from === 'server') this.#heardAt.push(clock.now());
      },
    });
    this.client = new StreamClient({
      // A placeholder: the recorded socket never connects.
      url: 'http://recording.invalid',
      token: () => 'recording',
      WebSocket: this.service.WebSocket,
      clock,
    });
    const { instrument, requests } = recording;
    this.footprint = this.client.subscribe({
      indicator: 'footprint',
      instrument,
      params: requests.s1?.params ?? {},
    });
    this.large = this.client.subscribe({
      indicator: 'large-trades',
      instrument,
      params: requests.s2?.params ?? {},
    });
  }

  /** Takes the state of both subscriptions over, once there are bars. */
  restart(): void {
    const { objects, tickSizeNanos } = this.footprint.state;
    if (objects.size === 0 || tickSizeNanos === null) return;
    this.chart ??= new StageChart(this.#recording, tickSizeNanos);
    this.chart.restart(objects.values(), this.large.state.objects.values());
  }

  rate(now: number): number {
    while (this.#heardAt.length > 0 && this.#heardAt[0]! <= now - RATE_MS) this.#heardAt.shift();
    return this.#heardAt.length;
  }
}

/** Without the day, which all cursors share. */
function placeText(cursor: string): string {
  return cursor.slice(cursor.indexOf('.') + 1);
}
