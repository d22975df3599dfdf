/**
 * `tapeloom stream`: watches one indicator of one instrument. On a terminal it paints a live picture, in
 * a pipe it writes a line per finished object, with `--json` every message as it came. It ends by ctrl-c
 * with 0, and with 1 and a sentence when the service refuses or goes away.
 */

import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import type { Command, CommandIo } from '../command.ts';
import { barsView } from '../stream/bars-view.ts';
import { closeSentence } from '../stream/close-reason.ts';
import { footprintView } from '../stream/footprint-view.ts';
import { createInk } from '../stream/ink.ts';
import { largeTradesView } from '../stream/large-trades-view.ts';
import { nextOpen } from '../stream/market-hours.ts';
import { Screen } from '../stream/screen.ts';
import { type ConnectionEnd, StreamConnection } from '../stream/stream-connection.ts';
import { readStreamOptions, type StreamOptions } from '../stream/stream-options.ts';
import { pictureLines, stateSentence } from '../stream/stream-screen.ts';
import { StreamState } from '../stream/stream-state.ts';
import type { StreamView, ViewContext } from '../stream/stream-view.ts';

/** Finished objects a pipe gets from the snapshot, so that it is not silent at first. */
const LINES_FROM_SNAPSHOT = 5;
const SIZE_UNKNOWN = { columns: 80, rows: 24 };

const VIEWS: Readonly<Record<string, StreamView>> = {
  bars: barsView,
  footprint: footprintView,
  'large-trades': largeTradesView,
};
/** For indicators this command does not know: the object as it is. */
const PLAIN_VIEW: StreamView = {
  legend: '',
  screen: (objects, height) => objects.slice(-height).map((object) => JSON.stringify(object)),
  line: (object) => JSON.stringify(object),
};

export const streamCommand: Command = {
  path: ['stream'],
  summary: 'Watch an indicator of an instrument, live.',
  usage: `Usage: tapeloom stream <instrument> <indicator> [options]

Shows an indicator while it forms: bars, footprint and large-trades as pictures, others as JSON.

  --params JSON   parameters of the indicator, for example '{"bar":"volume","size":500}'
  --mode MODE     live (default) shows objects while they form, confirmed only finished ones
  --url URL       where the service streams; default ws://127.0.0.1:8080/v1
  --key KEY       the API key; default the variable TAPELOOM_KEY, which others cannot see in a
                  list of processes
  --json          every message as one line of JSON, as it came

Examples:
  tapeloom stream BTC.c.0 footprint
  tapeloom stream ES.c.0 bars --params '{"size":5}'
  tapeloom stream NQ.c.0 large-trades --params '{"minSize":20}' --json
`,
  async run(args, io) {
    const options = readStreamOptions(args, io.env);
    const watch = new Watch(options, io);
    const { instrument, indicator, params, mode } = options;
    const subscribe = { t: 'subscribe', sub: 'cli', instrument, indicator, params, mode };
    using connection = new StreamConnection(options.url, options.key, subscribe, (message, text) =>
      watch.hear(message, text),
    );
    return watch.close(await watch.until(connection.ended));
  },
};

class Watch {
  readonly #options: StreamOptions;
  readonly #io: CommandIo;
  readonly #state = new StreamState();
  readonly #view: StreamView;
  /** Resolves when the service refuses or ends the subscription. */
  readonly #refused: Promise<'refused'>;
  readonly #refuse: () => void;
  #screen: Screen | null = null;
  #opensAt: bigint | null = null;
  /** Whether the question when the market opens has been settled, one way or the other. */
  #isHoursKnown = false;
  #saidState: string | null = null;
  /** When the service's time was last heard, on this machine's monotonic clock. */
  #heardAtMs = 0;

  constructor(options: StreamOptions, io: CommandIo) {
    this.#options = options;
    this.#io = io;
    this.#view = VIEWS[options.indicator] ?? PLAIN_VIEW;
    const { promise, resolve } = Promise.withResolvers<'refused'>();
    this.#refused = promise;
    this.#refuse = () => resolve('refused');
  }

  /** Shows what is heard until the connection ends, the service refuses or the user interrupts. */
  async until(ended: Promise<ConnectionEnd>): Promise<ConnectionEnd | 'refused' | null> {
    using _screen = this.#openScreen();
    const { signal } = this.#io;
    const interrupted = new Promise<null>((resolve) => {
      if (signal.aborted) resolve(null);
      signal.addEventListener('abort', () => resolve(null), { once: true });
    });
    return await Promise.race([ended, interrupted, this.#refused]);
  }

  #openScreen(): Disposable {
    if (!this.#io.isTerminal || this.#options.json) return { [Symbol.dispose]: () => {} };
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

  hear(message: ServerMessage, text: string): void {
    const finished = this.#state.take(message);
    if (message.t === 'hb' || message.t === 'pong') this.#heardAtMs = performance.now();
    if (message.t === 'status') void this.#learnHours();
    if (this.#state.refusal !== null) this.#refuse();
    if (this.#options.json) {
      this.#io.stdout(`${text}\n`);
      return;
    }
    if (this.#screen !== null) {
      this.#screen.touch();
      return;
    }
    this.#saySentence();
    const lines = message.t === 'snapshot' ? finished.slice(-LINES_FROM_SNAPSHOT) : finished;
    for (const object of lines) this.#io.stdout(`${this.#view.line(object, this.#context())}\n`);
  }

  close(end: ConnectionEnd | 'refused' | null): number {
    if (end === null) return 0;
    const { refusal } = this.#state;
    if (refusal !== null) {
      this.#io.stderr(`${refusal.code}: ${refusal.message}\n`);
    } else if (end !== 'refused') {
      this.#io.stderr(`${closeSentence(end.code, end.reason, this.#options.url)}\n`);
    }
    return 1;
  }

  #picture() {
    const { instrument, indicator } = this.#options;
    return {
      title: `${instrument} ${indicator}`,
      state: this.#state,
      view: this.#view,
      context: this.#context(),
      opensAt: this.#opensAt,
      nowNs: this.#nowNs(),
    };
  }

  #context(): ViewContext {
    const hasColour = this.#screen !== null && !this.#io.env.NO_COLOR;
    const { tickSizeNanos } = this.#state;
    return { ink: createInk(hasColour), tickSizeNanos, params: this.#options.params };
  }

  #nowNs(): bigint | null {
    const { serverNs } = this.#state;
    if (serverNs === null) return null;
    return serverNs + BigInt(Math.round((performance.now() - this.#heardAtMs) * 1e6));
  }

  /** In a pipe every change of state is said once, on the side. */
  #saySentence(): void {
    const { state } = this.#state;
    if (state === null || state === this.#saidState) return;
    if (state === 'closed' && !this.#isHoursKnown) return;
    this.#saidState = state;
    this.#io.stderr(`${stateSentence(this.#picture()) ?? `The stream is ${state}.`}\n`);
  }

  /** A closed market's next opening, from the calendar that the service names. */
  async #learnHours(): Promise<void> {
    if (this.#state.state !== 'closed') return;
    const address = new URL('/v1/instruments', this.#options.url.replace(/^ws/, 'http'));
    try {
      const headers = { authorization: `Bearer ${this.#options.key}` };
      const answer = await fetch(address, { headers, signal: this.#io.signal });
      const { instruments } = (await answer.json()) as {
        readonly instruments: readonly { readonly symbol: string; readonly calendar: string }[];
      };
      const calendar = instruments.find((it) => it.symbol === this.#state.contract)?.calendar;
      const now = this.#nowNs();
      if (calendar !== undefined && now !== null) this.#opensAt = nextOpen(calendar, now);
    } catch {
      // Without the answer the sentence only says that the market is closed.
    }
    this.#isHoursKnown = true;
    this.#screen?.touch();
    if (this.#screen === null && !this.#options.json) this.#saySentence();
  }
}
