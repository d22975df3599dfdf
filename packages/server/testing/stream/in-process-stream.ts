/**
 * A whole stream in one process: a real HTTP server on a free port, with gateway, topics and engine as in production,
 * over a tape in memory and a manual clock. Nothing inside waits for real time.
 */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import type { SessionKind, SessionTable } from '@tapeloom/core/calendar/session';
import { createSessionTable } from '@tapeloom/core/calendar/session-table';
import type { IpRange } from '@tapeloom/core/entitlement/ip-range';
import type { Contract } from '@tapeloom/core/instrument/contract';
import { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import type { EpochNs } from '@tapeloom/core/numbers';
import { INDICATORS, indicatorNamed } from '@tapeloom/core/studies/catalogue';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import { ManualClock } from '../../../../simulation/clock/manual-clock.ts';
import { AddressThrottle } from '../../src/accounts/auth/address-throttle.ts';
import { AuthThrottle } from '../../src/accounts/auth/auth-throttle.ts';
import type { Authenticator } from '../../src/accounts/auth/authenticator.ts';
import type { Leases } from '../../src/accounts/limits/leases.ts';
import { MemoryLeases } from '../../src/accounts/limits/memory-leases.ts';
import { Engine } from '../../src/engine/engine.ts';
import { OutgoingFlow } from '../../src/engine/outgoing-flow.ts';
import type { ConnectionLimits } from '../../src/gateway/connection/connection-services.ts';
import type { Gateway, GatewayOptions } from '../../src/gateway/connection/gateway.ts';
import { WAIT_MS_MAX } from '../../src/platform/clock.ts';
import { DoorSockets, socketLimits } from '../../src/platform/network/door-sockets.ts';
import { dayMatters } from '../../src/process/days/tape-repairs.ts';
import { composeStream } from '../../src/process/doors/stream-door.ts';
import type { PageLimits } from '../../src/runs/study-replay.ts';
import { StudyReplays } from '../../src/runs/study-replays.ts';
import type { EngineLink, EngineMessage } from '../../src/topics/engine-link.ts';
import { brokenBy, type EpochFloor } from '../../src/topics/epoch-floors.ts';
import type { TopicHub } from '../../src/topics/topic-hub.ts';
import { FixedAuthenticator } from '../accounts/fixed-authenticator.ts';
import { MemoryTape, type MemoryTrade } from '../tape/memory-tape.ts';
import { TEST_DATASET } from '../tape/one-dataset.ts';

export { KEY } from '../accounts/fixed-authenticator.ts';
export const DAY = utcDay(20261112);
const HOUR_NS = 3_600_000_000_000;

/** Sessions run from 10:00 to 20:00 UTC, every day. */
const SESSIONS = createSessionTable(
  [-2, -1, 0, 1, 2, 3].map((offset) => {
    const date = addDays(DAY, offset);
    return { date, open: epochNs(date, 10 * HOUR_NS), close: epochNs(date, 20 * HOUR_NS) };
  }),
);

/** `AA` and `BB` are streamed, `CC` is not. The alias designates `AA` and, from the next day on, `BB`. */
const BOOK = new InstrumentBook(['AA', 'BB', 'CC'].map(contractNamed), [
  {
    alias: 'A.c.0',
    dataset: 'sim',
    root: 'A',
    rolls: [
      { from: addDays(DAY, -30), symbol: 'AA' },
      { from: addDays(DAY, 1), symbol: 'BB' },
    ],
  },
]);

export interface InProcessStreamOptions {
  readonly clock?: ManualClock;
  /** An existing tape; default: an empty one. */
  readonly tape?: MemoryTape;
  /** The instruments; `CC` is never streamed. */
  readonly book?: InstrumentBook;
  /** Default: every connection with `KEY` is an account of its own with all rights. */
  readonly authenticator?: Authenticator;
  readonly leases?: Leases;
  readonly trustedProxies?: readonly IpRange[];
  readonly noteKeyUse?: (keyId: string) => void;
  readonly noteStreamed?: (accountId: string) => void;
  /** The authentication throttle; default: a new one over the authenticator. */
  readonly authThrottle?: AuthThrottle;
  /** The connection slots; default: more than a test needs. */
  readonly sockets?: DoorSockets;
  readonly partingMax?: number;
  readonly limits?: Partial<ConnectionLimits>;
  /** Default: unlimited. */
  readonly charges?: GatewayOptions['charges'];
  /** The sessions of all contracts; default: 10:00 to 20:00 UTC, every day. */
  readonly sessions?: SessionTable;
  /** Sessions by kind; default: `sessions` for every kind. */
  readonly sessionsOf?: (kind: SessionKind) => SessionTable;
  /** Whether other nodes have more of the tape; default: there are none. */
  readonly isBehind?: () => boolean;
  readonly onEnded?: GatewayOptions['onEnded'];
  /** The limits of replay pages. */
  readonly pages?: PageLimits;
}

/** For tests whose client exceeds the message rate. */
export const FLOOD = { limits: { messageRate: { perSecond: 1_000_000, burst: 1_000_000 } } };

/** Tests move the clock by hours, while their clients are silent. */
const PATIENT = { silenceMs: WAIT_MS_MAX };

export const NO_CHARGES: GatewayOptions['charges'] = {
  reserve: async () => {},
  settle: async () => {},
  giveBack: async () => {},
};

/** A clock at the start time of every such stream. */
export function streamClock(): ManualClock {
  return new ManualClock(epochNs(DAY, 11 * HOUR_NS));
}

export class InProcessStream implements AsyncDisposable {
  readonly clock: ManualClock;
  readonly tape: MemoryTape;
  readonly hub: TopicHub;
  readonly gateway: Gateway;
  readonly engine: Engine;
  readonly replays: StudyReplays;
  /** Cursors below these floors are invalid. */
  readonly floors: EpochFloor[] = [];
  readonly faults: unknown[] = [];
  readonly #http = createServer((_request, response) => response.end());
  readonly #lost: ((cause: Error) => void)[] = [];

  private constructor(options: InProcessStreamOptions) {
    const { clock = streamClock(), sessions = SESSIONS } = options;
    const { authenticator = new FixedAuthenticator() } = options;
    const addresses = new AddressThrottle();
    this.clock = clock;
    this.tape = options.tape ?? new MemoryTape('AA', 1_000);
    let hear: (message: EngineMessage) => void = () => {};
    const said = new LaterMessages((message) => hear(message));
    const runs = {
      tape: this.tape,
      indicators: new Map(INDICATORS.map((indicator) => [indicator.id, indicator])),
      sessionsOf: (_: string, kind: SessionKind) => options.sessionsOf?.(kind) ?? sessions,
      yieldTurn: () => turn(),
    };
    this.engine = new Engine({
      ...runs,
      flow: new OutgoingFlow(),
      emit: (message) => said.push(message),
      onFault: (error) => this.faults.push(error),
    });
    this.replays = new StudyReplays({ ...runs, ...(options.pages && { limits: options.pages }) });
    const link: EngineLink = {
      send: (command) => this.engine.execute(command),
      listen: (hearing, lost) => {
        hear = hearing;
        this.#lost.push(lost);
      },
    };
    const { authThrottle = new AuthThrottle({ authenticator, addresses, clock }) } = options;
    const { leases = new MemoryLeases(), charges = NO_CHARGES, book = BOOK } = options;
    const { noteKeyUse = () => {}, noteStreamed = () => {}, partingMax } = options;
    const door = composeStream({
      clock,
      timers: clock,
      accounts: {
        authenticator,
        authThrottle,
        leases,
        charges,
        meter: { noteKeyUse, noteStreamed },
      },
      sockets: options.sockets ?? new DoorSockets(socketLimits(10_000)),
      trustedProxies: () => options.trustedProxies ?? [],
      engines: [link],
      replays: this.replays,
      limits: { ...PATIENT, ...options.limits },
      ...(partingMax !== undefined && { partingMax }),
      ...(options.onEnded !== undefined && { onEnded: options.onEnded }),
      market: {
        book: () => book,
        datasets: [TEST_DATASET],
        timeOf: () => TEST_DATASET,
        isStreamed: (symbol) => symbol !== 'CC',
        fullSessions: () => sessions,
        enter: () => {},
      },
      epochReset: (spec, cursor) => {
        const { lookBackSessionsMax } = indicatorNamed(spec.indicator)!;
        const stream = { sessions, lookBack: lookBackSessionsMax(spec.params) };
        return brokenBy(this.floors, spec, cursor, (day) => dayMatters(stream, cursor, day));
      },
      isBehind: () => options.isBehind?.() ?? false,
      onFault: (error) => this.faults.push(error),
    });
    this.hub = door.hub;
    this.gateway = door.gateway;
    this.#http.on('upgrade', (request, socket, head) =>
      this.gateway.handleUpgrade(request, socket, head),
    );
  }

  static async start(options: InProcessStreamOptions = {}): Promise<InProcessStream> {
    const stream = new InProcessStream(options);
    stream.promise();
    stream.#http.listen(0, '127.0.0.1');
    await once(stream.#http, 'listening');
    return stream;
  }

  get port(): number {
    return (this.#http.address() as AddressInfo).port;
  }

  get url(): string {
    return `ws://127.0.0.1:${this.port}/v1`;
  }

  /** Commits trades at the clock's time, with the watermark. */
  trade(...trades: readonly Partial<MemoryTrade>[]): void {
    const at = this.clock.now();
    const whole = trades.map((trade) => ({ at, price: 100, size: 1, side: 1 as const, ...trade }));
    this.tape.commit(whole, (at + 1n) as EpochNs);
  }

  /** Advances the watermark to the clock's time, and pulses the engine. */
  promise(): void {
    this.tape.commit([], this.clock.now());
    this.engine.pulse();
  }

  /** Advances the clock; the tape follows each second. */
  async pass(ms: number): Promise<void> {
    for (let rest = ms; rest > 0; rest -= 1_000) {
      this.clock.advance(Math.min(rest, 1_000));
      this.promise();
      await turn();
    }
  }

  /** Advances the clock at once; the tape follows at the end. */
  async jump(ms: number): Promise<void> {
    this.clock.advance(ms);
    this.promise();
    await turn();
  }

  loseEngine(): void {
    for (const lost of this.#lost) lost(new Error('lost on purpose'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.gateway.drain();
    this.engine[Symbol.dispose]();
    this.replays[Symbol.dispose]();
    this.hub[Symbol.dispose]();
    this.#http.close();
    this.#http.closeAllConnections();
    await once(this.#http, 'close');
  }
}

/** Delivers an engine's messages in order and a turn later, as from a thread. */
class LaterMessages {
  readonly #hear: (message: EngineMessage) => void;
  #waiting: EngineMessage[] = [];

  constructor(hear: (message: EngineMessage) => void) {
    this.#hear = hear;
  }

  push(message: EngineMessage): void {
    this.#waiting.push(message);
    if (this.#waiting.length > 1) return;
    setImmediate(() => {
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const each of waiting) this.#hear(each);
    });
  }
}

export function contractNamed(symbol: string): Contract {
  return {
    symbol,
    dataset: 'sim',
    root: 'A',
    name: `Contract ${symbol}`,
    exchange: 'SIM',
    currency: 'USD',
    tickSizeNanos: 250_000_000,
    lotSizeNanos: 1_000_000_000,
    pointValueNanos: 50_000_000_000,
    calendar: 'sim',
    expiresAt: epochNs(addDays(DAY, 60), 0),
  };
}
