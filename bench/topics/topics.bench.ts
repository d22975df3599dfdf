/**
 * The processor time of a topic: the engine with 1 to 500 topics of one contract with 1,000 trades
 * per second. Every flush is encoded and enters the hub's ring; each topic has one subscriber. Time
 * on the tape passes as fast as possible.
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { createSessionTable } from '@tapeloom/core/calendar/session-table';
import type { EpochNs } from '@tapeloom/core/numbers';
import { INDICATORS, indicatorNamed } from '@tapeloom/core/studies/catalogue';
import type { Params } from '@tapeloom/core/studies/indicator';
import { parseParams } from '@tapeloom/core/studies/params';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import { type BlockParts, COLUMN_BYTES } from '@tapeloom/server/blocks/block';
import { Engine } from '@tapeloom/server/engine/engine';
import { OutgoingFlow } from '@tapeloom/server/engine/outgoing-flow';
import type { EngineLink, EngineMessage, TopicSpec } from '@tapeloom/server/topics/engine-link';
import type { Subscriber } from '@tapeloom/server/topics/topic';
import { TopicHub } from '@tapeloom/server/topics/topic-hub';
import { MemoryTape, type MemoryTrade } from '../../packages/server/testing/tape/memory-tape.ts';
import { ManualClock } from '../../simulation/clock/manual-clock.ts';
import { seededRandom } from '../../simulation/clock/seeded-random.ts';
import { loadAverage, median } from '../shared/machine-load.ts';
import type { Bench } from '../shared/report.ts';
import { growthChart } from './topics-chart.ts';

const COUNTS = [1, 2, 5, 10, 20, 50, 100, 200, 500];
const TRADES_PER_SECOND = 1_000;
const COMMITS_PER_SECOND = 50;
const WARM_UP_SECONDS = 3;
/** About how many topics times seconds of tape time a measurement covers, and its least seconds. */
const TOPIC_SECONDS = 400;
const SECONDS_MIN = 3;
const ROUNDS = 3;
const CHART = join(import.meta.dirname, '../results/topics.svg');

const CONTRACT = 'AA';
const DAY = utcDay(20_261_112);
const OPEN = epochNs(DAY, 10 * 3_600e9);
const SESSIONS = createSessionTable(
  [-1, 0].map((offset) => {
    const date = addDays(DAY, offset);
    return { date, open: epochNs(date, 10 * 3_600e9), close: epochNs(date, 20 * 3_600e9) };
  }),
);

/** Typical subscriptions, each topic with its own size: topic n uses kind n, round robin. */
const KINDS: readonly ((size: number) => readonly [indicator: string, params: Params])[] = [
  (size) => ['bars', { size: 1 + size }],
  (size) => ['footprint', { size: 1 + size }],
  (size) => ['bars', { bar: 'tick', size: 50 + size }],
  (size) => ['delta', { size: 1 + size }],
  (size) => ['footprint', { bar: 'volume', size: 200 + size }],
  (size) => ['large-trades', { minSize: 5 + size }],
  (size) => ['bars', { bar: 'range', size: 4 + size }],
  (size) => ['imbalances', { size: 1 + size, stack: 2, lookback: 1 }],
  (size) => ['sweeps', { levels: 2, minSize: 5 + size }],
  (size) => ['tape-speed', { windowSeconds: 1 + size }],
];

interface Cost {
  readonly topics: number;
  /** Processor milliseconds per second of tape time. */
  readonly cpuMs: number;
  readonly bytesPerSecond: number;
}

export const run: Bench = async () => {
  const loadBefore = loadAverage();
  const costs: Cost[] = [];
  for (const topics of COUNTS) {
    const rounds: Cost[] = [];
    for (let round = 0; round < ROUNDS; round += 1) rounds.push(await costOf(topics));
    costs.push({ ...rounds[0]!, cpuMs: median(rounds.map(({ cpuMs }) => cpuMs)) });
  }
  mkdirSync(join(CHART, '..'), { recursive: true });
  writeFileSync(CHART, growthChart(costs));
  const [one, most] = [costs[0]!, costs.at(-1)!];
  const each = (most.cpuMs - one.cpuMs) / (most.topics - one.topics);
  const loads = [loadBefore, loadAverage()] as const;
  return {
    title: 'Processor time of topics, each second of 1,000 trades',
    columns: ['topics', 'CPU ms a second', 'CPU ms a topic', 'KiB/s published'],
    rows: costs.map(({ topics, cpuMs, bytesPerSecond }) => [
      topics,
      cpuMs.toFixed(1),
      (cpuMs / topics).toFixed(2),
      (bytesPerSecond / 1_024).toFixed(0),
    ]),
    notes: [
      `Medians of ${ROUNDS} rounds; ${KINDS.length} kinds of streams in turn, each with sizes of its own, ${COMMITS_PER_SECOND} commits a second. ` +
        'Processor time of engine and hub together, in one thread here; writing to subscribers is not part of it.',
      `From 1 to ${most.topics} topics each further one adds ${each.toFixed(2)} ms a second: one core keeps up with about ` +
        `${Math.floor(1_000 / each).toLocaleString('en')} of them at this rate.`,
      `Chart: bench/results/topics.svg. Load average ${loads[0]} before, ${loads[1]} after.`,
    ],
    json: { tradesPerSecond: TRADES_PER_SECOND, costs, addedMsEach: each, loadAverage: loads },
  };
};

async function costOf(topics: number): Promise<Cost> {
  using stage = new TopicsStage();
  await stage.open(topics);
  const seconds = Math.max(SECONDS_MIN, Math.round(TOPIC_SECONDS / topics));
  await stage.pass(WARM_UP_SECONDS);
  const bytesBefore = stage.bytes;
  const before = process.cpuUsage();
  await stage.pass(seconds);
  const { user, system } = process.cpuUsage(before);
  return {
    topics,
    cpuMs: (user + system) / 1_000 / seconds,
    bytesPerSecond: (stage.bytes - bytesBefore) / seconds,
  };
}

class TopicsStage implements Disposable {
  bytes = 0;
  readonly #clock = new ManualClock(OPEN);
  readonly #tape = new MemoryTape(CONTRACT, TRADES_PER_SECOND);
  readonly #hub: TopicHub;
  readonly #engine: Engine;
  readonly #random = seededRandom(1);
  #price = 20_000;
  #ready = 0;

  constructor() {
    let hear: (message: EngineMessage) => void = () => {};
    this.#engine = new Engine({
      tape: this.#tape,
      flow: new OutgoingFlow(),
      indicators: new Map(INDICATORS.map((indicator) => [indicator.id, indicator])),
      sessionsOf: () => SESSIONS,
      emit: (message) => {
        if (message.t === 'flush') this.bytes += textBytesOf(message.block);
        hear(message);
      },
      yieldTurn: () => turn(),
      onFault: (error) => {
        throw error;
      },
    });
    const link: EngineLink = {
      send: (command) => this.#engine.execute(command),
      listen: (hearing) => {
        hear = hearing;
      },
    };
    const clock = this.#clock;
    this.#hub = new TopicHub({
      ...{ clock, timers: clock, fullSessions: () => SESSIONS },
      datasets: ['SIM'],
      timeOf: () => 'SIM',
    });
    this.#hub.connect([link]);
    this.#tape.commit([], clock.now());
    this.#engine.pulse();
  }

  async open(topics: number): Promise<void> {
    for (let number = 0; number < topics; number += 1) {
      const kind = KINDS[number % KINDS.length]!;
      const [indicator, given] = kind(Math.floor(number / KINDS.length));
      const held = this.#hub.attach(specOf(indicator, given), this.#subscriber());
      if ('code' in held) throw new Error(held.message);
    }
    while (this.#ready < topics) await turn();
  }

  /** Advances the tape by `seconds`, commit by commit. */
  async pass(seconds: number): Promise<void> {
    const stepNs = 1_000_000_000 / COMMITS_PER_SECOND;
    const perCommit = TRADES_PER_SECOND / COMMITS_PER_SECOND;
    for (let commit = 0; commit < seconds * COMMITS_PER_SECOND; commit += 1) {
      const from = this.#clock.now();
      const trades: MemoryTrade[] = [];
      for (let index = 0; index < perCommit; index += 1) {
        const at = (from + BigInt(Math.floor((index * stepNs) / perCommit))) as EpochNs;
        trades.push(this.#trade(at));
      }
      this.#clock.advance(1_000 / COMMITS_PER_SECOND);
      this.#tape.commit(trades, this.#clock.now());
      await turn();
      if (commit % COMMITS_PER_SECOND === 0) this.#engine.pulse();
    }
    await turn();
  }

  [Symbol.dispose](): void {
    this.#engine[Symbol.dispose]();
    this.#hub[Symbol.dispose]();
  }

  #trade(at: EpochNs): MemoryTrade {
    const side = this.#random() < 0.5 ? -1 : 1;
    if (this.#random() < 0.3) this.#price += side;
    return { at, price: this.#price, size: 1 + Math.floor(this.#random() * 8), side };
  }

  #subscriber(): Subscriber {
    return {
      account: 'bench',
      idleTopicsMax: 0,
      refuseOpen: () => null,
      mode: 'live',
      depth: 500,
      shows: () => true,
      outdated: () => {},
      ready: () => {
        this.#ready += 1;
      },
      snapshot: () => {},
      flush: () => {},
      status: () => {},
      ended: (code, message) => {
        throw new Error(`${code}: ${message}`);
      },
    };
  }
}

function specOf(indicator: string, given: Params): TopicSpec {
  const parsed = parseParams(indicatorNamed(indicator)!, given);
  if (!('params' in parsed)) throw new Error(`${indicator}: ${JSON.stringify(parsed)}`);
  return { contract: CONTRACT, indicator, params: parsed.params, delaySeconds: 0 };
}

function textBytesOf({ count, memory }: BlockParts): number {
  return memory.byteLength - count * COLUMN_BYTES;
}
