/**
 * A stream whose alias rolls, with hub, gateway and replays as in production, over two engines that learn of commits
 * and report positions when the script decides, neither together nor in time. Its clients are disconnected and resume;
 * each checks every message against the alias's contract on the day of the cursor.
 */

import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { createSessionTable } from '@tapeloom/core/calendar/session-table';
import { parseCursor } from '@tapeloom/core/cursor';
import { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import type { EpochNs } from '@tapeloom/core/numbers';
import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import { addDays, dayOf, epochNs, utcDay } from '@tapeloom/core/utc-day';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import { ManualClock } from '../../../../simulation/clock/manual-clock.ts';
import { AddressThrottle } from '../../src/accounts/auth/address-throttle.ts';
import { AuthThrottle } from '../../src/accounts/auth/auth-throttle.ts';
import { MemoryLeases } from '../../src/accounts/limits/memory-leases.ts';
import { Engine } from '../../src/engine/engine.ts';
import { OutgoingFlow } from '../../src/engine/outgoing-flow.ts';
import type { Gateway } from '../../src/gateway/connection/gateway.ts';
import { WAIT_MS_MAX } from '../../src/platform/clock.ts';
import { DoorSockets, socketLimits } from '../../src/platform/network/door-sockets.ts';
import { composeStream } from '../../src/process/doors/stream-door.ts';
import { StudyReplays } from '../../src/runs/study-replays.ts';
import type { EngineCommand, EngineMessage } from '../../src/topics/engine-link.ts';
import type { TopicHub } from '../../src/topics/topic-hub.ts';
import { FixedAuthenticator, KEY } from '../accounts/fixed-authenticator.ts';
import { ContractTapes, type ContractTrade } from '../tape/contract-tapes.ts';
import { TEST_DATASET } from '../tape/one-dataset.ts';
import { contractNamed, NO_CHARGES } from './in-process-stream.ts';
import { StallingSocket } from './stalling-socket.ts';
import { subscribe } from './stream-client.ts';

const ALIAS = 'A.c.0';
const CONTRACTS = ['AA', 'BB', 'CC'];
const FIRST_DAY = utcDay(20261112);
const SECOND_NS = 1_000_000_000n;
const HOUR_NS = 3_600n * SECOND_NS;
const DELAY_SECONDS = 600;
const DELAY_NS = BigInt(DELAY_SECONDS) * SECOND_NS;
const ENGINES = 2;

/** From 23:00 to 22:00: every midnight is inside a session. */
const SESSIONS = createSessionTable(
  Array.from({ length: 12 }, (_, index) => {
    const midnight = epochNs(addDays(FIRST_DAY, index - 1), 0);
    const open = (midnight - HOUR_NS) as EpochNs;
    return { date: dayOf(midnight), open, close: (midnight + 22n * HOUR_NS) as EpochNs };
  }),
);

/** One event; `n` selects the target, the amount or the count. */
export interface RollStep {
  readonly t: 'trade' | 'pass' | 'near' | 'feed' | 'pulse' | 'beat' | 'cut' | 'turns';
  readonly n: number;
}

export interface RollScript {
  /** The alias's contract from the first day on, one per day, by number. */
  readonly rolls: readonly number[];
  readonly indicator: string;
  readonly keys: readonly string[];
  readonly steps: readonly RollStep[];
}

interface Fed {
  readonly tape: ContractTapes;
  count: number;
}

export class RollingStream implements AsyncDisposable {
  readonly gateway: Gateway;
  readonly book: InstrumentBook;
  readonly faults: unknown[] = [];
  readonly #hub: TopicHub;
  readonly #engines: Engine[] = [];
  readonly #replays: StudyReplays;
  /** The service's time is that of the newest commit. */
  readonly #clock: ManualClock;
  readonly #timers = new ManualClock(0n);
  readonly #commits: { readonly trades: readonly ContractTrade[]; readonly promise: EpochNs }[] =
    [];
  /** The engines' tapes, and the replays'. */
  readonly #fed: readonly Fed[];
  #clients: RollClient[] = [];

  constructor({ rolls }: Pick<RollScript, 'rolls'>) {
    const start = epochNs(addDays(FIRST_DAY, 1), 0) - 2n * SECOND_NS;
    this.#clock = new ManualClock(start);
    this.book = bookOf(rolls);
    this.#fed = Array.from({ length: ENGINES + 1 }, () => {
      return { tape: new ContractTapes(CONTRACTS, 100), count: 0 };
    });
    const timing = { clock: this.#clock, timers: this.#timers };
    const runs = {
      indicators: new Map(INDICATORS.map((indicator) => [indicator.id, indicator])),
      sessionsOf: () => SESSIONS,
      yieldTurn: () => turn(),
    };
    const links = this.#fed.slice(0, ENGINES).map(({ tape }) => {
      let hear: (message: EngineMessage) => void = () => {};
      const onFault = (error: unknown) => this.faults.push(error);
      const flow = new OutgoingFlow();
      const emit = (message: EngineMessage) => hear(message);
      const engine = new Engine({ ...runs, tape, flow, emit, onFault });
      this.#engines.push(engine);
      return {
        // As from another thread: never in the middle of the engine's work.
        send: (command: EngineCommand) => void turn().then(() => engine.execute(command)),
        listen: (hearing: typeof hear) => {
          hear = hearing;
        },
      };
    });
    this.#replays = new StudyReplays({ ...runs, tape: this.#fed[ENGINES]!.tape });
    const authenticator = new FixedAuthenticator();
    const door = composeStream({
      ...timing,
      accounts: {
        authenticator,
        authThrottle: new AuthThrottle({
          authenticator,
          addresses: new AddressThrottle(),
          ...timing,
        }),
        leases: new MemoryLeases(),
        charges: NO_CHARGES,
        meter: { noteKeyUse: () => {}, noteStreamed: () => {} },
      },
      market: {
        book: () => this.book,
        datasets: [TEST_DATASET],
        timeOf: () => TEST_DATASET,
        isStreamed: () => true,
        fullSessions: () => SESSIONS,
        enter: () => {},
      },
      engines: links,
      replays: this.#replays,
      sockets: new DoorSockets(socketLimits(10_000)),
      trustedProxies: () => [],
      epochReset: () => null,
      limits: { silenceMs: WAIT_MS_MAX },
      onFault: (error) => this.faults.push(error),
    });
    this.#hub = door.hub;
    this.gateway = door.gateway;
  }

  /** Runs a script to its end, and lets pending work finish. */
  static async run(script: RollScript): Promise<readonly RollClient[]> {
    await using stream = new RollingStream(script);
    await stream.#begin(script);
    for (const step of script.steps) await stream.#take(step);
    await stream.#settle();
    assert.deepEqual(stream.faults, []);
    for (const client of stream.#clients) client.assertArrived(stream.#hub, stream.book);
    return stream.#clients;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients) client.socket.destroy();
    await turn();
    await this.gateway.drain();
    for (const engine of this.#engines) engine[Symbol.dispose]();
    this.#replays[Symbol.dispose]();
    this.#hub[Symbol.dispose]();
  }

  async #begin({ keys, indicator }: RollScript): Promise<void> {
    for (const symbol of CONTRACTS) this.#trade(symbol, 10n);
    this.#catchUp();
    for (const key of keys) this.#clients.push(await RollClient.open(this, key, indicator));
    await this.#rest();
  }

  async #take({ t, n }: RollStep): Promise<void> {
    switch (t) {
      case 'trade':
        this.#trade(CONTRACTS[n % CONTRACTS.length]!, BigInt(1 + (n % 97)));
        break;
      case 'pass':
        this.#commit([], BigInt(1 + (n % 400)));
        break;
      case 'near':
        this.#commit([], this.#msToEdge(n));
        break;
      case 'feed':
        this.#feed(this.#fed[n % this.#fed.length]!, 1 + (n % 5));
        break;
      case 'pulse':
        this.#engines[n % ENGINES]!.pulse();
        break;
      case 'beat':
        this.#timers.advance(5_000);
        break;
      case 'cut':
        await this.#clients[n % this.#clients.length]!.comeBack(n);
        break;
      case 'turns':
        for (let count = n % 4; count > 0; count -= 1) await turn();
        break;
      default:
        t satisfies never;
    }
    await turn();
    for (const client of this.#clients) await client.hear();
  }

  async #settle(): Promise<void> {
    for (let round = 0; round < 3; round += 1) {
      this.#trade(CONTRACTS[round]!, 20n);
      this.#catchUp();
      await this.#rest();
    }
  }

  async #rest(): Promise<void> {
    for (let count = 0; count < 40; count += 1) {
      if (count % 8 === 7) this.#timers.advance(250);
      if (count === 20) for (const engine of this.#engines) engine.pulse();
      await turn();
      for (const client of this.#clients) await client.hear();
    }
  }

  #catchUp(): void {
    for (const fed of this.#fed) this.#feed(fed, this.#commits.length);
    for (const engine of this.#engines) engine.pulse();
  }

  #feed(fed: Fed, count: number): void {
    for (let left = count; left > 0 && fed.count < this.#commits.length; left -= 1) {
      const { trades, promise } = this.#commits[fed.count]!;
      fed.count += 1;
      fed.tape.commit(trades, promise);
    }
  }

  #trade(symbol: string, ms: bigint): void {
    const at = (this.#clock.now() + ms * 1_000_000n) as EpochNs;
    this.#commit([{ symbol, at, price: 100 + Number(ms % 7n), size: 1, side: 1 }], ms);
  }

  #commit(trades: readonly ContractTrade[], ms: bigint): void {
    const at = this.#clock.now() + ms * 1_000_000n;
    this.#clock.advanceTo(at + 1n);
    this.#commits.push({ trades, promise: this.#clock.now() });
  }

  /** To just before or exactly at the next midnight, as a live or a delayed stream sees it. */
  #msToEdge(n: number): bigint {
    const now = this.#clock.now();
    const midnight = epochNs(dayOf(now), 0);
    const edges = [
      midnight + DELAY_NS,
      midnight + 24n * HOUR_NS,
      midnight + 24n * HOUR_NS + DELAY_NS,
    ];
    const next = edges.find((edge) => edge - now > 100_000_000n)!;
    return (next - now) / 1_000_000n - BigInt([0, 1, 25, 60][n % 4]!);
  }
}

/** A client that resumes with a received cursor, and checks everything it receives. */
export class RollClient {
  socket: StallingSocket;
  readonly #stream: Pick<RollingStream, 'gateway' | 'book'>;
  readonly #key: string;
  readonly #indicator: string;
  readonly #cursors: { readonly cursor: string; readonly contract: string }[] = [];
  /** How often a roll restarted its state. */
  rolls = 0;
  #heard = 0;
  /** The contract of the last message. */
  #contract = '';
  /** The contract of its state; null without one. */
  #state: string | null = null;
  #isRollTold = false;

  private constructor(
    stream: RollingStream,
    key: string,
    indicator: string,
    socket: StallingSocket,
  ) {
    this.#stream = stream;
    this.#key = key;
    this.#indicator = indicator;
    this.socket = socket;
  }

  static async open(stream: RollingStream, key: string, indicator: string): Promise<RollClient> {
    const socket = await StallingSocket.open(stream, key);
    const client = new RollClient(stream, key, indicator, socket);
    await client.#subscribe('live');
    return client;
  }

  /** Disconnects, and resumes with the last cursor it received, or an earlier one. */
  async comeBack(n: number): Promise<void> {
    await this.hear();
    this.socket.destroy();
    this.socket = await StallingSocket.open(this.#stream, this.#key);
    this.#heard = 0;
    this.#isRollTold = false;
    const back = n % 3 === 0 ? n % 5 : 0;
    const from = this.#cursors.at(-1 - back) ?? this.#cursors.at(-1);
    this.#state = from?.contract ?? null;
    await this.#subscribe(from === undefined ? 'live' : { cursor: from.cursor });
  }

  async hear(): Promise<void> {
    const { messages } = this.socket;
    while (this.#heard < messages.length) {
      const message = messages[this.#heard]!;
      this.#heard += 1;
      this.#judge(message);
      // The replays had not learned of the cursor in time.
      if (message.t === 'error') await this.#subscribe('live');
    }
  }

  /** At rest, it has a state of the contract that the alias now designates. */
  assertArrived(hub: TopicHub, book: InstrumentBook): void {
    const delaySeconds = this.#key === KEY ? 0 : DELAY_SECONDS;
    const meant = book.resolve(ALIAS, hub.tapeDayOf(ALIAS, delaySeconds)!)?.symbol;
    assert.deepEqual([this.#contract, this.#state], [meant, meant]);
  }

  async #subscribe(from: unknown): Promise<void> {
    const { socket } = this;
    await socket.send(subscribe('a', { instrument: ALIAS, indicator: this.#indicator, from }));
  }

  #judge(message: ServerMessage): void {
    switch (message.t) {
      case 'subscribed':
        this.#contract = message.contract;
        return;
      case 'reset':
        if (message.reason === 'roll') this.#isRollTold = true;
        this.rolls += Number(this.#isRollTold && this.#state !== null);
        this.#state = null;
        return;
      case 'error':
        assert.equal(message.code, 'INVALID_PARAMETERS', JSON.stringify(message));
        this.#state = null;
        return;
      case 'snapshot':
        this.#take(message.cursor);
        return;
      case 'upsert':
      case 'remove':
      case 'hb':
        if (message.cursor === undefined) return;
        assert.equal(this.#state, this.#contract, `${message.t} goes on with another contract`);
        this.#take(message.cursor);
        return;
      default:
    }
  }

  #take(cursor: string): void {
    const { day } = parseCursor(cursor)!;
    const meant = this.#stream.book.resolve(ALIAS, day)?.symbol;
    assert.equal(this.#contract, meant, `${cursor} of ${this.#contract}`);
    const before = this.#cursors.at(-1)?.contract ?? this.#contract;
    if (before !== this.#contract) assert.ok(this.#isRollTold, 'a roll is told');
    this.#state = this.#contract;
    this.#cursors.push({ cursor, contract: this.#contract });
  }
}

/** The contract of each day, as rolls where it changes. */
function bookOf(days: readonly number[]): InstrumentBook {
  const rolls = days.flatMap((contract, index) => {
    if (contract === days[index - 1]) return [];
    return [{ from: addDays(FIRST_DAY, index), symbol: CONTRACTS[contract]! }];
  });
  const alias = { alias: ALIAS, dataset: 'sim', root: 'A', rolls };
  return new InstrumentBook(CONTRACTS.map(contractNamed), [alias]);
}
