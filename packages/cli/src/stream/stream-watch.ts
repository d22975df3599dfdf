/**
 * Shows a subscription until the user interrupts: as a picture, as a line per finished object, or every update as JSON.
 * Output never outruns its reader: the client bounds what is pending, and reports what it dropped.
 */

import {
  type ConnectionChange,
  type Subscription,
  type TapeloomClient,
  TapeloomError,
  type Update,
} from '@tapeloom/client';
import { CloseCode } from '@tapeloom/protocol/close-codes';
import type { Clock } from '@tapeloom/server/platform/clock';
import type { CommandIo } from '../command.ts';
import { barsView } from './bars-view.ts';
import { footprintView } from './footprint-view.ts';
import { createInk } from './ink.ts';
import { largeTradesView } from './large-trades-view.ts';
import { nextOpen } from './market-hours.ts';
import { Screen } from './screen.ts';
import type { StreamOptions } from './stream-options.ts';
import { pictureLines, type StreamPicture, stateSentence } from './stream-screen.ts';
import type { ShownObject, StreamView, ViewContext } from './stream-view.ts';
import { subscribedJson, updateJson } from './update-json.ts';

/** Finished objects printed from the first snapshot, so that a pipe is not silent at first. */
const LINES_FROM_SNAPSHOT = 5;
/** More than any screen shows, and a bound on memory for streams watched for weeks. */
const KEEP_FINAL = 20_000;
const SIZE_UNKNOWN = { columns: 80, rows: 24 };
const TICK_UNKNOWN = 1_000_000_000;
/** The close code of a connection that was lost, or never opened, without a close frame. */
const LOST = 1006;

const VIEWS: Readonly<Record<string, StreamView>> = {
  bars: barsView,
  footprint: footprintView,
  'large-trades': largeTradesView,
};
/** For indicators without a view: the object as JSON. */
const PLAIN_VIEW: StreamView = {
  legend: '',
  screen: (objects, height) => objects.slice(-height).map(plainText),
  line: plainText,
};

export interface WatchSurroundings {
  readonly client: TapeloomClient;
  readonly options: StreamOptions;
  readonly io: CommandIo;
  readonly clock: Pick<Clock, 'now'>;
  /** The service's address. */
  readonly url: string;
  /** True: a picture on a screen; false: lines. */
  readonly isPainted: boolean;
}

export class StreamWatch {
  readonly #client: TapeloomClient;
  readonly #options: StreamOptions;
  readonly #io: CommandIo;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #url: string;
  readonly #isPainted: boolean;
  readonly #view: StreamView;
  readonly #subscription: Subscription<string>;
  /** Aborted when the first connection fails. */
  readonly #stop = new AbortController();
  #screen: Screen | null = null;
  #wasOpen = false;
  /** Why there is no connection; null: there is one, or the first one is being opened. */
  #away: string | null = null;
  #contract: string | null = null;
  #opensAt: bigint | null = null;
  /** Whether the lookup of the next opening has finished, successfully or not. */
  #isHoursKnown = false;
  #saidState: string | null = null;
  /** The service's last known time, and this machine's monotonic clock when it arrived. */
  #heard: { readonly serverNs: bigint; readonly atMs: number } | null = null;
  /** The time of the newest object that was printed. */
  #printedTs: bigint | null = null;

  constructor(surroundings: WatchSurroundings) {
    const { client, options, io, clock, url, isPainted } = surroundings;
    this.#client = client;
    this.#options = options;
    this.#io = io;
    this.#clock = clock;
    this.#url = url;
    this.#isPainted = isPainted;
    this.#view = VIEWS[options.indicator] ?? PLAIN_VIEW;
    const { indicator, instrument, params, mode, from } = options;
    client.on('connection', (change) => this.#connectionChanged(change));
    this.#subscription = client.subscribe<string>({
      indicator,
      instrument,
      params,
      mode,
      from,
      keepFinal: KEEP_FINAL,
      signal: AbortSignal.any([io.signal, this.#stop.signal]),
    });
  }

  /** Returns when the user interrupts; throws when the service rejects the subscription. */
  async run(): Promise<void> {
    using _screen = this.#openScreen();
    try {
      for await (const update of this.#subscription) {
        this.#hear(update);
        await this.#io.drained?.();
      }
    } catch (error) {
      if (!this.#io.signal.aborted) throw error;
    }
  }

  #openScreen(): Disposable {
    if (!this.#isPainted) return { [Symbol.dispose]: () => {} };
    const size = () => ({
      columns: process.stdout.columns ?? SIZE_UNKNOWN.columns,
      rows: process.stdout.rows ?? SIZE_UNKNOWN.rows,
    });
    const screen = new Screen(this.#io.stdout, size, (now) => pictureLines(this.#picture(), now));
    const ticking = setInterval(() => screen.touch(), 1_000);
    this.#screen = screen;
    return {
      [Symbol.dispose]: () => {
        clearInterval(ticking);
        screen[Symbol.dispose]();
      },
    };
  }

  #hear(update: Update<string>): void {
    if (update.t === 'status') void this.#learnHours();
    if (this.#options.isJson) {
      this.#writeJson(update);
    } else if (this.#screen !== null) {
      this.#screen.touch();
    } else {
      this.#saySentence();
      this.#writeLines(update);
    }
  }

  #writeJson(update: Update<string>): void {
    const { state } = this.#subscription;
    if (state.contract !== this.#contract) {
      this.#contract = state.contract;
      this.#io.stdout(`${subscribedJson(this.#options.instrument, state)}\n`);
    }
    this.#io.stdout(`${updateJson(update)}\n`);
  }

  #writeLines(update: Update<string>): void {
    if (update.t === 'upsert' && update.object.final) this.#writeLine(update.object);
    if (update.t !== 'snapshot') return;
    const finished = update.objects.filter(({ final }) => final);
    const printed = this.#printedTs;
    const news =
      printed === null
        ? finished.slice(-LINES_FROM_SNAPSHOT)
        : finished.filter(({ ts }) => ts > printed);
    for (const object of news) this.#writeLine(object);
  }

  #writeLine(object: ShownObject): void {
    if (this.#printedTs === null || object.ts > this.#printedTs) this.#printedTs = object.ts;
    this.#io.stdout(`${this.#view.line(object, this.#context())}\n`);
  }

  #connectionChanged({ state, cause }: ConnectionChange): void {
    if (state === 'waiting' && !this.#wasOpen && cause?.code === LOST) {
      this.#stop.abort(new TapeloomError('NETWORK', `${this.#url} cannot be reached.`));
      return;
    }
    if (state === 'open') this.#wasOpen = true;
    const before = this.#away;
    if (state === 'waiting') this.#away = awaySentence(cause?.code);
    else if (state !== 'connecting') this.#away = null;
    if (this.#screen !== null) this.#screen.touch();
    else if (before === null && this.#away !== null) this.#io.stderr(`${this.#away}\n`);
    else if (before !== null && state === 'open') this.#io.stderr('Connected again.\n');
  }

  #picture(): StreamPicture {
    const { instrument, indicator } = this.#options;
    return {
      title: `${instrument} ${indicator}`,
      state: this.#subscription.state,
      away: this.#away,
      view: this.#view,
      context: this.#context(),
      opensAt: this.#opensAt,
      nowNs: this.#nowNs(),
    };
  }

  #context(): ViewContext {
    const hasColour = this.#screen !== null && !this.#io.env.NO_COLOR;
    const tickSizeNanos = this.#subscription.state.tickSizeNanos ?? TICK_UNKNOWN;
    return { ink: createInk(hasColour), tickSizeNanos, params: this.#options.params };
  }

  /** The service's time; this machine's until the first message. */
  #nowNs(): bigint {
    const { serverNs } = this.#subscription.state;
    if (serverNs === null) return this.#clock.now();
    if (this.#heard?.serverNs !== serverNs) {
      this.#heard = { serverNs, atMs: performance.now() };
    }
    return serverNs + BigInt(Math.round((performance.now() - this.#heard.atMs) * 1e6));
  }

  /** In a pipe, each change of state is printed once, on stderr. */
  #saySentence(): void {
    const { status } = this.#subscription.state;
    if (status === null || status === this.#saidState) return;
    if (status === 'closed' && !this.#isHoursKnown) return;
    this.#saidState = status;
    const sentence = status === 'live' ? null : stateSentence(this.#picture());
    this.#io.stderr(`${sentence ?? `The stream is ${status}.`}\n`);
  }

  /** A closed market's next opening, from the calendar of its instrument. */
  async #learnHours(): Promise<void> {
    if (this.#subscription.state.status !== 'closed' || this.#isHoursKnown) return;
    try {
      const { signal } = this.#io;
      const instruments = await this.#client.instruments({ signal });
      const { contract } = this.#subscription.state;
      const calendar = instruments.find((it) => it.symbol === contract)?.calendar;
      if (calendar !== undefined) this.#opensAt = nextOpen(calendar, this.#nowNs());
    } catch {
      // Without it, the sentence only reports that the market is closed.
    }
    this.#isHoursKnown = true;
    this.#screen?.touch();
    if (this.#screen === null && !this.#options.isJson) this.#saySentence();
  }
}

function awaySentence(code: number | undefined): string {
  switch (code) {
    case CloseCode.tooManyConnections:
      return 'Too many connections are open for this plan. Trying again for two minutes.';
    case CloseCode.tryAgainLater:
      return 'The service is restarting or at capacity. Trying again.';
    default:
      return 'The connection is lost. Trying again.';
  }
}

function plainText({ id, final, ts, data }: ShownObject): string {
  return JSON.stringify({ id, final, ts: String(ts), data });
}
