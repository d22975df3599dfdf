/**
 * REST and the stream behind one port, over one tape in memory, the same accounts and one clock: what a client library
 * talks to, in one process. The alias `A.c.0` designates the contract `AA`.
 */

import { setImmediate as turn } from 'node:timers/promises';
import { createSessionTable } from '@tapeloom/core/calendar/session-table';
import { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import { SettledDaysReader } from '../../src/results/settled-days-reader.ts';
import { contractNamed, DAY, InProcessStream } from '../stream/in-process-stream.ts';
import type { MemoryTrade } from '../tape/memory-tape.ts';
import { RestService } from './rest-service.ts';

const HOUR_NS = 3_600_000_000_000;
/** From 10:00 to 20:00 UTC, every day. */
const SESSIONS = createSessionTable(
  [-2, -1, 0, 1, 2].map((offset) => {
    const date = addDays(DAY, offset);
    return { date, open: epochNs(date, 10 * HOUR_NS), close: epochNs(date, 20 * HOUR_NS) };
  }),
);
const BOOK = new InstrumentBook(
  [contractNamed('AA')],
  [
    {
      alias: 'A.c.0',
      dataset: 'sim',
      root: 'A',
      rolls: [{ from: addDays(DAY, -30), symbol: 'AA' }],
    },
  ],
);
/** The start of the tape, and of the session. */
export const TAPE_START = epochNs(DAY, 10 * HOUR_NS);

export class WholeService implements AsyncDisposable {
  readonly rest: RestService;
  readonly stream: InProcessStream;
  readonly port: number;

  private constructor(rest: RestService, stream: InProcessStream, port: number) {
    this.rest = rest;
    this.stream = stream;
    this.port = port;
  }

  static async start(): Promise<WholeService> {
    const rest = await RestService.start({
      start: TAPE_START,
      book: BOOK,
      onUpgrade: (...upgrade) => stream.gateway.handleUpgrade(...upgrade),
    });
    const { clock, authThrottle, authenticator, sockets } = rest;
    const stream = await InProcessStream.start({
      clock,
      authThrottle,
      authenticator,
      sockets,
      sessions: SESSIONS,
      book: BOOK,
    });
    rest.sources = {
      replays: stream.replays,
      days: new SettledDaysReader({
        tape: stream.tape,
        indicators: new Map(INDICATORS.map((indicator) => [indicator.id, indicator])),
        sessionsOf: () => SESSIONS,
        yieldTurn: () => turn(),
        cache: null,
      }),
    };
    rest.market.tapeTime = clock.now();
    return new WholeService(rest, stream, await rest.listen());
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Commits trades now, then advances the time. */
  async trade(ms: number, ...trades: readonly Partial<MemoryTrade>[]): Promise<void> {
    this.stream.trade(...trades);
    await this.jump(ms);
  }

  async jump(ms: number): Promise<void> {
    await this.stream.jump(ms);
    this.rest.market.tapeTime = this.rest.clock.now();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stream[Symbol.asyncDispose]();
    await this.rest[Symbol.asyncDispose]();
  }
}
