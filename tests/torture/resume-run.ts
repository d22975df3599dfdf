/**
 * Clients are cut repeatedly from a real service, which is itself killed and whose result cache is
 * damaged. They must equal an undisturbed run. All randomness comes from a seed, except for timing.
 */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EpochNs } from '@tapeloom/core/numbers';
import { freePort } from '../../packages/server/testing/platform/free-ports.ts';
import { seededRandom } from '../../simulation/clock/seeded-random.ts';
import { makeAccounts } from '../account-maker.ts';
import { RunningService } from '../running-service.ts';
import { addCacheOutcomes, CacheVandal, cacheLimitOf } from './cache-vandal.ts';
import type { ResumeStream } from './followed.ts';
import { PastReader } from './past-reader.ts';
import { ResumeClient } from './resume-client.ts';
import { judge, openLeftTape, type Truth, truthOf } from './resume-truth.ts';

const ALIAS = 'BTC.c.0';
/** Below the limit of an account: a cut connection may still count for a moment. */
const CLIENTS_PER_ACCOUNT = 2;
const STREAMS_PER_CLIENT = 2;
/** The reference run begins this long, in the service's time, before the first client. */
const BEFORE_NS = 1_200_000_000_000n;
const PROBLEMS_SHOWN = 20;
const PROGRESS_MS = 10_000;

const STREAMS: readonly Omit<ResumeStream, 'instrument'>[] = [
  { indicator: 'bars', params: { size: 5 }, mode: 'live', isBusy: true },
  { indicator: 'footprint', params: { bar: 'tick', size: 5 }, mode: 'live', isBusy: true },
  { indicator: 'bars', params: { bar: 'tick', size: 3 }, mode: 'confirmed', isBusy: true },
  { indicator: 'delta', params: {}, mode: 'live', isBusy: true },
  { indicator: 'large-trades', params: { minSize: 2 }, mode: 'live', isBusy: false },
  {
    indicator: 'unfinished-auctions',
    params: { size: 60, lookback: 1 },
    mode: 'live',
    isBusy: false,
  },
];

export interface ResumeOptions {
  readonly clients: number;
  readonly cuts: number;
  readonly kills: number;
  /** Whether the result cache is damaged, and soon full after a kill. */
  readonly spoilsCache: boolean;
  readonly seed: number;
  readonly speed: number;
  readonly onProgress?: (sentence: string) => void;
}

export interface ResumeReport {
  readonly cuts: number;
  readonly cutsMidFrame: number;
  readonly resumes: number;
  readonly resets: number;
  readonly expired: number;
  readonly covered: number;
  readonly ignored: number;
  readonly updates: number;
  /** Compared responses about sealed days. */
  readonly reads: number;
  /** Damage done to the cache, and the outcomes that the service reported. */
  readonly spoilt: Readonly<Record<string, number>>;
  readonly cached: Readonly<Record<string, number>>;
  readonly refused: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
}

export async function resumeRun(options: ResumeOptions): Promise<ResumeReport> {
  const directory = mkdtempSync(join(tmpdir(), 'tapeloom-resume-'));
  const stage = new ResumeStage(join(directory, 'data'), options, await freePort());
  try {
    return await stage.run();
  } finally {
    await stage.end();
    rmSync(directory, { recursive: true, force: true });
  }
}

class ResumeStage {
  readonly #data: string;
  readonly #options: ResumeOptions;
  readonly #port: number;
  readonly #cached: Record<string, number> = {};
  #service: RunningService;
  #starts = 0;
  #cuts = 0;
  #kills = 0;
  #restarting: Promise<unknown> = Promise.resolve();
  /** Resolves when the service runs after its last kill. */
  readonly #allKilled = Promise.withResolvers<void>();

  constructor(data: string, options: ResumeOptions, port: number) {
    this.#data = data;
    this.#options = options;
    this.#port = port;
    this.#service = this.#start();
    if (options.kills === 0) this.#allKilled.resolve();
  }

  async run(): Promise<ResumeReport> {
    const { clients: count, cuts, seed, spoilsCache } = this.#options;
    await this.#service.ready();
    const data = `${this.#data}-speed`;
    const { contract, now } = await this.#lookAround();
    const streams = STREAMS.map((stream) => ({ ...stream, instrument: contract }));
    const clients = await this.#makeClients(data, streams);
    assert.equal(clients.length, count);
    const [readerKey] = await makeAccounts(data, ['reader']);
    const reader = new PastReader({ port: this.#port, key: readerKey! }, contract, now);
    const vandal = spoilsCache ? new CacheVandal(data, seededRandom(seed)) : null;
    try {
      await this.#withProgress(
        Promise.all(clients.map((client) => client.run(cuts, () => this.#cut()))),
      );
    } finally {
      await reader[Symbol.asyncDispose]();
      await vandal?.[Symbol.asyncDispose]();
    }
    await this.#restarting;
    this.#tell('the service is stopped, and the truth is computed from its tape');
    await addCacheOutcomes(this.#service, this.#cached);
    const { code } = await this.#service.stop('SIGTERM');
    const problems = [...reader.problems, ...clients.flatMap((client) => client.problems)];
    if (code !== 0) problems.push(`the service ended with ${code}: ${this.#service.errors}`);
    const truths = await this.#truths(data, streams, (now - BEFORE_NS) as EpochNs);
    this.#tell('every client is held against it');
    for (const [number, client] of clients.entries()) {
      for (const followed of client.followed) {
        const { indicator, mode } = followed.stream;
        const found = judge(truths.get(followed.stream)!, followed);
        problems.push(...found.map((it) => `client ${number}, ${indicator} ${mode}: ${it}`));
      }
    }
    const { reads } = reader;
    return {
      ...report(clients, problems),
      reads,
      spoilt: vandal?.counts ?? {},
      cached: this.#cached,
    };
  }

  async #withProgress(work: Promise<unknown>): Promise<void> {
    const { clients, cuts } = this.#options;
    const startMs = performance.now();
    const telling = setInterval(() => {
      const seconds = ((performance.now() - startMs) / 1_000).toFixed(0);
      const all = (clients * cuts).toLocaleString('en-US');
      const { external, heapUsed } = process.memoryUsage();
      const mib = ((external + heapUsed) / 1_048_576).toFixed(0);
      this.#tell(
        `${this.#cuts.toLocaleString('en-US')} of ${all} cuts, ${this.#kills} kills, ${seconds} s, ${mib} MiB`,
      );
    }, PROGRESS_MS);
    await work.finally(() => clearInterval(telling));
  }

  #tell(sentence: string): void {
    this.#options.onProgress?.(sentence);
  }

  async end(): Promise<void> {
    await this.#service.stop('SIGKILL');
  }

  #start(): RunningService {
    const args = ['--speed', String(this.#options.speed)];
    const limit = this.#options.spoilsCache ? cacheLimitOf(this.#starts) : {};
    this.#starts += 1;
    const env = { TAPELOOM_PORT: String(this.#port), ...limit };
    return new RunningService({ data: this.#data, args, env });
  }

  /** Reads the alias's current contract and the service's time. */
  async #lookAround(): Promise<{ contract: string; now: bigint }> {
    const subscriber = this.#service.connect();
    await subscriber.send({ t: 'subscribe', sub: 'a', instrument: ALIAS, indicator: 'bars' });
    await subscriber.send({ t: 'ping' });
    const { contract } = await subscriber.first(({ t }) => t === 'subscribed');
    const { ts } = await subscriber.first(({ t }) => t === 'pong');
    await subscriber.close();
    return { contract: contract as string, now: BigInt(ts as string) };
  }

  async #makeClients(data: string, streams: readonly ResumeStream[]): Promise<ResumeClient[]> {
    const { clients: count, seed, speed } = this.#options;
    const names = Array.from(
      { length: Math.ceil(count / CLIENTS_PER_ACCOUNT) },
      (_, index) => `resumer-${index}`,
    );
    const half = Math.ceil(names.length / 2);
    const keys = [
      ...(await makeAccounts(data, names.slice(0, half))),
      ...(await makeAccounts(data, names.slice(half), 'live', ['live'])),
    ];
    return Array.from({ length: count }, (_, index) => {
      const account = Math.floor(index / CLIENTS_PER_ACCOUNT);
      const random = seededRandom(seed + index);
      return new ResumeClient({
        port: this.#port,
        key: keys[account]!,
        localAddress: `127.0.${1 + (index >> 8)}.${index & 255}`,
        hasHistory: account < half,
        staysAwayAfter:
          index % CLIENTS_PER_ACCOUNT === 0 && account % half === 0
            ? this.#allKilled.promise
            : null,
        streams: Array.from(
          { length: STREAMS_PER_CLIENT },
          (_it, at) => streams[(index + at * (1 + Math.floor(index / 7))) % streams.length]!,
        ),
        random,
        speed,
      });
    });
  }

  /** Counts a cut, and kills the service at even shares of all cuts. */
  #cut(): void {
    const { clients, cuts, kills } = this.#options;
    this.#cuts += 1;
    if (this.#kills >= kills) return;
    if (this.#cuts < (clients * cuts * (this.#kills + 1)) / (kills + 1)) return;
    this.#kills += 1;
    this.#restarting = this.#restarting.then(async () => {
      await addCacheOutcomes(this.#service, this.#cached);
      await this.#service.stop('SIGKILL');
      this.#service = this.#start();
      await this.#service.ready();
      if (this.#kills === kills) this.#allKilled.resolve();
    });
  }

  async #truths(
    data: string,
    streams: readonly ResumeStream[],
    since: EpochNs,
  ): Promise<ReadonlyMap<ResumeStream, Truth>> {
    await using tape = await openLeftTape(data);
    const truths = new Map<ResumeStream, Truth>();
    for (const stream of streams) truths.set(stream, await truthOf(tape, data, stream, since));
    return truths;
  }
}

function report(
  clients: readonly ResumeClient[],
  problems: readonly string[],
): Omit<ResumeReport, 'reads' | 'spoilt' | 'cached'> {
  const sum = (of: (client: ResumeClient) => number) =>
    clients.reduce((total, client) => total + of(client), 0);
  const followed = clients.flatMap((client) => client.followed);
  const total = (field: 'resumes' | 'resets' | 'expired' | 'covered' | 'ignored' | 'applied') =>
    followed.reduce((all, it) => all + it[field], 0);
  const refused: Record<string, number> = {};
  for (const client of clients) {
    for (const [what, times] of client.refused) refused[what] = (refused[what] ?? 0) + times;
  }
  return {
    cuts: sum(({ cuts }) => cuts),
    cutsMidFrame: sum(({ cutsMidFrame }) => cutsMidFrame),
    resumes: total('resumes'),
    resets: total('resets'),
    expired: total('expired'),
    covered: total('covered'),
    ignored: total('ignored'),
    updates: total('applied'),
    refused,
    problems,
  };
}

/** Throws when there are problems, with their kinds and the first of them in full. */
export function assertHeld({ problems, ignored }: ResumeReport): void {
  const kinds = Map.groupBy(problems, (it) => it.replaceAll(/\d[\d.~e-]*/g, '#'));
  const counted = [...kinds].map(([kind, of]) => `${of.length} x ${kind}`).slice(0, PROBLEMS_SHOWN);
  const shown = [...counted, '', ...problems.slice(0, PROBLEMS_SHOWN)].join('\n');
  assert.equal(problems.length, 0, `${problems.length} problems:\n${shown}`);
  assert.equal(ignored, 0, 'nothing was sent twice');
}
