/**
 * `npm run torture -- cluster [rounds] [clients] [seed] [words]`: five nodes, three NATS servers
 * and PostgreSQL under one fault a round, while customers hop between nodes and read history and
 * exports. After each round no customer has lost, doubled or reordered an update; replicas, tapes
 * and accounts agree. Words select faults by name. A midnight fault runs first.
 */

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { alignedTable } from '../../bench/shared/table.ts';
import {
  natsServer,
  natsServerMissing,
} from '../../packages/server/testing/tape/find-nats-server.ts';
import { seededRandom } from '../../simulation/clock/seeded-random.ts';
import { builtProgram } from '../../tools/build/built-program.ts';
import { memoryDirectory } from '../../tools/memory-directory.ts';
import {
  connectionsHold,
  oneUseOfToken,
  revocationHeard,
  subscriptionsHold,
} from '../cluster-suite/account-checks.ts';
import { makeSharedAccounts } from '../cluster-suite/shared-accounts.ts';
import { AccountsModel } from './cluster/accounts-model.ts';
import { ClusterClient } from './cluster/cluster-client.ts';
import { ClusterStage } from './cluster/cluster-stage.ts';
import type { Fault } from './cluster/faults/fault.ts';
import { FAULTS } from './cluster/faults.ts';
import { PastWork } from './cluster/past-work.ts';
import { RequestsModel } from './cluster/requests-model.ts';
import { checkCustomers, checkReplicas, checkTapes } from './cluster/round-checks.ts';
import { RunClocks } from './cluster/run-clocks.ts';
import { sealedDiffer } from './cluster/sealed-content.ts';
import { pick } from './export-queries.ts';
import type { ResumeStream } from './followed.ts';
import { runInOwnNetwork, sendBytesMax } from './own-network.ts';
import type { TortureReport } from './run.ts';

const CLIENTS = 500;
/** The kernel's send buffer of a connection; this size also identifies the run's own network. */
const BUFFER_BYTES = 4_194_303;
const STREAMS_PER_CLIENT = 2;
/** Time within which every customer has all its streams, before the first fault. */
const BEGIN_MS_MAX = 180_000;
const LOOK_MS = 50;
/** Undisturbed time before and after a fault. */
const CALM_MS = 3_000;
/** The reference history of a round begins this long before the last check of the customers. */
const BEFORE_NS = 90_000_000_000n;
const PROBLEMS_SHOWN = 20;
const DAY_MS = 86_400_000;
const BEFORE_MIDNIGHT_MS = 900_000;

const STREAMS: readonly ResumeStream[] = [
  { indicator: 'bars', params: { size: 5 }, mode: 'live' },
  { indicator: 'footprint', params: { bar: 'tick', size: 5 }, mode: 'live' },
  { indicator: 'bars', params: { bar: 'tick', size: 1 }, mode: 'confirmed' },
  { indicator: 'delta', params: {}, mode: 'live' },
  { indicator: 'large-trades', params: { minSize: 1 }, mode: 'live' },
].map((stream) => ({ ...stream, instrument: 'BTC.c.0', isBusy: true }) as ResumeStream);

export async function run({
  rounds,
  more: [clients = CLIENTS, seed = Date.now() % 1_000_000],
  words: [, , ...names],
}: {
  readonly rounds: number;
  readonly more: readonly number[];
  readonly words: readonly string[];
}): Promise<TortureReport | undefined> {
  if (natsServerMissing !== false) {
    console.log(`not run: ${natsServerMissing}`);
    return undefined;
  }
  let hasLines = sendBytesMax() === BUFFER_BYTES;
  if (!hasLines) {
    await prepare();
    const words = ['cluster', ...[rounds, clients, seed].map(String), ...names];
    const end = await runInOwnNetwork(words, BUFFER_BYTES);
    // The inner run has printed its results.
    if ('exitCode' in end) process.exit(end.exitCode ?? 1);
    console.log(
      `without cuts of lines and full disks, which need a network of our own: ${end.skipped}`,
    );
    hasLines = false;
  }
  console.log(
    `${rounds} rounds, ${clients} clients, seed ${seed}, nats-server ${natsServer().version}`,
  );
  const random = seededRandom(seed);
  const faults = faultsOf(rounds, hasLines, random, names);
  using clocks = await RunClocks.open(faults[0]!.isMidnight ? untilEveningMs() : 0);
  await using stage = await ClusterStage.open({ random, hasLines, clocks });
  const torture = await ClusterTorture.open(stage, clients);
  try {
    return await torture.run(faults);
  } finally {
    await torture[Symbol.asyncDispose]();
  }
}

/** Uses the published program and files in memory: start times and syncs are not under test. */
async function prepare(): Promise<void> {
  const cache = join(import.meta.dirname, '../../node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  process.env.NODE_COMPILE_CACHE ??= join(cache, 'compiled');
  const memory = process.env.TMPDIR === undefined ? memoryDirectory() : null;
  if (memory !== null) process.env.TMPDIR = memory;
  process.env.BUILT_TAPELOOM ??= await builtProgram(join(cache, 'built'));
}

/** Time until 15 minutes before midnight, so that every process starts on the same day. */
function untilEveningMs(): number {
  const evening = DAY_MS - BEFORE_MIDNIGHT_MS;
  return (evening - (Date.now() % DAY_MS) + DAY_MS) % DAY_MS;
}

/** Each fault once in random order, then again. At most one midnight fault, which comes first. */
function faultsOf(
  rounds: number,
  hasLines: boolean,
  random: () => number,
  names: readonly string[],
): readonly Fault[] {
  const possible = FAULTS.filter(
    ({ name, needsLines }) =>
      (hasLines || !needsLines) &&
      (names.length === 0 || names.some((part) => name.includes(part))),
  );
  assert.ok(possible.length > 0, `no fault has ${names.join(' or ')} in its name`);
  const midnights = possible.filter(({ isMidnight }) => isMidnight);
  const others = possible.filter(({ isMidnight }) => !isMidnight);
  const faults: Fault[] = midnights.length === 0 ? [] : [pick(random, midnights)];
  while (faults.length < rounds && others.length > 0) {
    const left = [...others];
    while (left.length > 0) faults.push(...left.splice(Math.floor(random() * left.length), 1));
  }
  return faults.slice(0, rounds);
}

class ClusterTorture implements AsyncDisposable {
  readonly #stage: ClusterStage;
  readonly #clients: readonly ClusterClient[];
  readonly #model: AccountsModel;
  readonly #requests: RequestsModel;
  readonly #past: PastWork;
  readonly #keys: { readonly reader: string; readonly limits: string; readonly tokens: string };
  readonly #rows: string[][] = [];
  readonly #problems: string[] = [];
  #isLost = false;
  /** The time of the last check of the customers; initially their start. */
  #lookedAtMs = Date.now();

  private constructor(
    stage: ClusterStage,
    clients: readonly ClusterClient[],
    parts: {
      readonly model: AccountsModel;
      readonly requests: RequestsModel;
      readonly past: PastWork;
      readonly keys: { readonly reader: string; readonly limits: string; readonly tokens: string };
    },
  ) {
    this.#stage = stage;
    this.#clients = clients;
    this.#model = parts.model;
    this.#requests = parts.requests;
    this.#past = parts.past;
    this.#keys = parts.keys;
  }

  static async open(stage: ClusterStage, count: number): Promise<ClusterTorture> {
    const { random, rig } = stage;
    const names = Array.from({ length: count }, (_, index) => `customer-${index}`);
    const others = ['reader', 'limits', 'tokens', 'probe', 'spender', 'manager', 'past'];
    const all = await makeSharedAccounts(rig.database, [...others, ...names]);
    const [reader, limits, tokens, probe, spender, manager, pastKey, ...keys] = all;
    const [asker] = await makeSharedAccounts(rig.database, ['asker'], []);
    stage.probeKey = probe!;
    const door = () => pick(random, rig.serving);
    const wire = () => {
      const { host, port } = door();
      return { host, port, key: pastKey! };
    };
    // First, because it may fail: connected customers would keep the process alive.
    const past = await PastWork.start({ wire, random });
    const clients = keys.map((key, index) => {
      const streams = Array.from(
        { length: STREAMS_PER_CLIENT },
        (_, at) => STREAMS[(index + at * 2) % STREAMS.length]!,
      );
      return new ClusterClient({ key, door, streams, random: seededRandom(index) });
    });
    const nodes = rig.serving;
    const model = new AccountsModel({ nodes, random, spender: spender!, manager: manager! });
    return new ClusterTorture(stage, clients, {
      model,
      requests: new RequestsModel(nodes, random, asker!),
      past,
      keys: { reader: reader!, limits: limits!, tokens: tokens! },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#past[Symbol.asyncDispose]();
    await Promise.all(this.#clients.map((client) => client[Symbol.asyncDispose]()));
  }

  async run(faults: readonly Fault[]): Promise<TortureReport> {
    const deadline = performance.now() + BEGIN_MS_MAX;
    while (!this.#clients.every(({ hasAll }) => hasAll)) {
      assert.ok(performance.now() < deadline, 'not all customers have what they want');
      await pause(LOOK_MS);
    }
    for (const [index, fault] of faults.entries()) {
      const found = await this.#round(index + 1, fault);
      for (const problem of found.slice(0, PROBLEMS_SHOWN)) console.log(`  ${problem}`);
      this.#problems.push(...found);
      // Later rounds prove nothing when the cluster does not settle.
      if (this.#isLost) break;
    }
    const sum = (of: (client: ClusterClient) => number) =>
      this.#clients.reduce((total, client) => total + of(client), 0);
    const columns = [
      'round',
      'fault',
      'seconds',
      'settled after',
      'checked',
      'revoked',
      'problems',
    ];
    console.log(`\n${alignedTable(columns, this.#rows)}\n`);
    return {
      broken: this.#problems,
      json: {
        rounds: this.#rows.length,
        clients: this.#clients.length,
        cuts: sum(({ cuts }) => cuts),
        resumes: sum(({ followed }) => followed.reduce((all, it) => all + it.resumes, 0)),
        exports: this.#past.exports,
        exportResumes: this.#past.resumes,
        reads: this.#past.reads,
        charged: this.#model.reads,
      },
    };
  }

  async #round(number: number, fault: Fault): Promise<readonly string[]> {
    const from = wholeSeconds(BigInt(this.#lookedAtMs) * 1_000_000n - BEFORE_NS);
    const stopping = new AbortController();
    const { signal } = stopping;
    const working = Promise.all([
      this.#model.work(signal),
      this.#requests.work(signal),
      ...this.#clients.map((client) => client.live(signal)),
    ]);
    const problems: string[] = [];
    const attempt = async (what: string, work: () => Promise<unknown>) => {
      const startMs = performance.now();
      const held = await work().then(
        () => true,
        (error: Error) => {
          problems.push(`${what}: ${error.stack}`);
          return false;
        },
      );
      return { held, seconds: ((performance.now() - startMs) / 1_000).toFixed(1) };
    };
    await pause(CALM_MS);
    const happened = await attempt(fault.name, () => fault.run(this.#stage));
    if (!happened.held) await attempt('healing', () => this.#stage.heal());
    const settled = await attempt('settling', () => this.#stage.settled());
    this.#isLost = !settled.held;
    await pause(CALM_MS);
    stopping.abort();
    await working;
    const { revoked } = this.#model;
    const phases: string[] = [];
    this.#lookedAtMs = Date.now();
    for (const [name, check] of this.#checks(from)) {
      const { seconds } = await attempt(name, async () => {
        problems.push(...((await check()) ?? []));
      });
      phases.push(`${name} ${seconds}`);
    }
    problems.push(...this.#past.problems.splice(0));
    this.#rows.push([
      String(number),
      fault.name,
      happened.seconds,
      settled.seconds,
      phases.join(', '),
      String(revoked),
      String(problems.length),
    ]);
    console.log(
      `round ${number}: ${fault.name}, ${happened.seconds} s, settled after ${settled.seconds} s, checked (${phases.join(', ')}), ${problems.length} problems`,
    );
    return problems;
  }

  /** Each check returns a sentence for each violation, or rejects. */
  #checks(
    from: bigint,
  ): readonly (readonly [string, () => Promise<readonly string[] | undefined>])[] {
    const { rig } = this.#stage;
    const { reader, limits, tokens } = this.#keys;
    const nothing = (work: Promise<unknown>) => work.then(() => undefined);
    return [
      ['customers', () => checkCustomers(rig, this.#clients, { key: reader, from })],
      ['replicas', () => nothing(checkReplicas(rig))],
      ['tapes', () => nothing(checkTapes(rig))],
      ['sealed', () => sealedDiffer([...rig.nodes.values()])],
      ['accounts', () => nothing(this.#model.check())],
      ['tokens', () => nothing(oneUseOfToken(rig.serving, tokens))],
      ['connections', () => nothing(connectionsHold(rig.serving, limits))],
      ['subscriptions', () => nothing(subscriptionsHold(rig.serving, reader))],
      ['requests', () => nothing(this.#requests.check())],
      ['revocation', () => nothing(revocationHeard(rig.serving, tokens))],
    ];
  }
}

function wholeSeconds(ns: bigint): bigint {
  return ns - (ns % 1_000_000_000n);
}
