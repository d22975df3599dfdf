/**
 * Clients cut the exports of a real service and resume them, while the service is killed and its
 * result cache damaged. Each joined file must equal the undisturbed one, and every charge must be
 * exact. All randomness comes from a seed, except for timing.
 */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../packages/server/testing/platform/free-ports.ts';
import { seededRandom } from '../../simulation/clock/seeded-random.ts';
import type { Random } from '../../simulation/disk/sim-disk.ts';
import { makeAccounts } from '../account-maker.ts';
import { RunningService } from '../running-service.ts';
import { addCacheOutcomes, CacheVandal, cacheLimitOf } from './cache-vandal.ts';
import { type Cut, type Fetched, fetchExport, heldOf, type Wire } from './export-client.ts';
import { ExportLedger } from './export-ledger.ts';
import { type ExportedQuery, exportedQueries, pick, untilReadable } from './export-queries.ts';

const INSTRUMENTS = ['BTC.c.0', 'ES.c.0', 'NQ.c.0'];
const UNHEARD_MS_MAX = 30;
/** More than the length of a frame with the end line alone. */
const END_BYTES = 64;
const PROBLEMS_SHOWN = 20;

export interface ExportRunOptions {
  readonly exports: number;
  /** The most cuts of one export. */
  readonly cutsMax: number;
  readonly clients: number;
  readonly queries: number;
  /** Whole days before today that are exported. */
  readonly days: number;
  readonly kills: number;
  /** Whether the result cache is damaged, and soon full after a kill. */
  readonly spoilsCache: boolean;
  readonly seed: number;
  readonly onProgress?: (exports: number) => void;
}

export interface ExportReport {
  readonly exports: number;
  readonly responses: number;
  readonly cuts: Readonly<Record<string, number>>;
  readonly kills: number;
  readonly interrupted: number;
  /** Damage done to the cache, by kind. */
  readonly spoilt: Readonly<Record<string, number>>;
  /** Cache outcomes that the service reported. */
  readonly cached: Readonly<Record<string, number>>;
  /** Bytes of the largest file. */
  readonly largest: number;
  readonly bytesRead: number;
  /** Bytes of all joined files, decompressed. */
  readonly bytesJoined: number;
  readonly bytesCharged: number;
  readonly unitsCharged: number;
  readonly problems: readonly string[];
}

export async function exportRun(options: ExportRunOptions): Promise<ExportReport> {
  const directory = mkdtempSync(join(tmpdir(), 'tapeloom-export-'));
  const stage = new ExportStage(join(directory, 'data'), options, await freePort());
  try {
    return await stage.run();
  } finally {
    await stage.end();
    rmSync(directory, { recursive: true, force: true });
  }
}

class ExportStage {
  readonly #data: string;
  readonly #options: ExportRunOptions;
  readonly #port: number;
  readonly #counts = { responses: 0, interrupted: 0, bytesRead: 0, bytesJoined: 0 };
  readonly #cuts: Record<string, number> = {};
  readonly #cached: Record<string, number> = {};
  readonly #problems: string[] = [];
  #service: RunningService;
  #kills = 0;
  #up: Promise<unknown>;
  #starts = 0;
  #started = 0;
  #done = 0;

  constructor(data: string, options: ExportRunOptions, port: number) {
    this.#data = data;
    this.#options = options;
    this.#port = port;
    this.#service = this.#start();
    this.#up = this.#service.ready();
  }

  async run(): Promise<ExportReport> {
    const { clients, exports, queries: count, days, seed, spoilsCache } = this.#options;
    await this.#up;
    const names = Array.from({ length: clients }, (_, index) => `exporter-${index}`);
    const [first, ...others] = await makeAccounts(this.#data, ['undisturbed', ...names]);
    const wire = { port: this.#port, key: first! };
    await untilReadable(wire, INSTRUMENTS, this.#options.days);
    const random = seededRandom(seed);
    const queries = await exportedQueries(wire, count, { random, instruments: INSTRUMENTS, days });
    const vandal = spoilsCache ? new CacheVandal(this.#data, seededRandom(seed)) : null;
    const ledgers = await Promise.all(
      others.map(async (key) => await this.#work({ port: this.#port, key }, queries)),
    ).finally(() => vandal?.[Symbol.asyncDispose]());
    await this.#up;
    await addCacheOutcomes(this.#service, this.#cached);
    const { code } = await this.#service.stop('SIGTERM');
    if (code !== 0) this.#problems.push(`the service ended with ${code}: ${this.#service.errors}`);
    const sum = (of: (ledger: ExportLedger) => number) =>
      ledgers.reduce((total, ledger) => total + of(ledger), 0);
    return {
      exports,
      ...this.#counts,
      cuts: this.#cuts,
      kills: this.#kills,
      spoilt: vandal?.counts ?? {},
      cached: this.#cached,
      largest: Math.max(...queries.map(({ bytes }) => bytes)),
      bytesCharged: sum(({ used }) => used.exportBytes),
      unitsCharged: sum(({ used }) => used.computeUnits),
      problems: this.#problems,
    };
  }

  get kills(): number {
    return this.#kills;
  }

  get up(): Promise<unknown> {
    return this.#up;
  }

  async end(): Promise<void> {
    await this.#up.catch(() => undefined);
    await this.#service.stop('SIGKILL');
  }

  #start(): RunningService {
    const limit = this.#options.spoilsCache ? cacheLimitOf(this.#starts) : {};
    this.#starts += 1;
    const days = { TAPELOOM_SIM_DAYS: String(this.#options.days + 1) };
    const env = { TAPELOOM_PORT: String(this.#port), ...days, ...limit };
    return new RunningService({ data: this.#data, env });
  }

  /** One account's exports, one after another. */
  async #work(wire: Wire, queries: readonly ExportedQuery[]): Promise<ExportLedger> {
    const { exports, seed, onProgress } = this.#options;
    const ledger = new ExportLedger(wire, this);
    while (this.#started < exports) {
      this.#started += 1;
      const number = this.#started;
      const random = seededRandom(seed + number);
      const query = pick(random, queries);
      const problem = await this.#export(wire, query, { random, ledger });
      if (problem !== null) {
        this.#problems.push(`export ${number}, ${JSON.stringify(query.fields)}: ${problem}`);
      }
      this.#done += 1;
      this.#killInTime();
      onProgress?.(this.#done);
    }
    return ledger;
  }

  async #export(
    wire: Wire,
    query: ExportedQuery,
    { random, ledger }: { readonly random: Random; readonly ledger: ExportLedger },
  ): Promise<string | null> {
    const held = heldOf(query.fields);
    let token: string | null = null;
    let cutsLeft = Math.floor(random() * (this.#options.cutsMax + 1));
    while (!held.isWhole) {
      const { place, bytes } = held;
      const fields = token === null ? query.fields : { resume: token, ...place };
      const left = Math.ceil(query.bytes * (1 - bytes.length / query.file.length));
      const cut: Cut = cutsLeft > 0 ? this.#randomCut(random, left) : { t: 'none' };
      cutsLeft -= 1;
      const isStart = token === null;
      const kills = await ledger.ready();
      const fetched = await fetchExport(wire, fields, cut);
      if (fetched.t === 'refused') return `refused with ${fetched.status}: ${fetched.text}`;
      const problem = await ledger.charge({ query, isStart, fetched, kills });
      this.#count(fetched, kills);
      if (problem !== null) return `${problem} (${JSON.stringify({ ...place, cut })})`;
      if (fetched.t === 'unheard') continue;
      token ??= fetched.token;
      if (token !== fetched.token) return 'a resume gave another token';
      held.add(fetched);
      if (fetched.isEnded && !held.isWhole) return 'a response ended before the end of the export';
    }
    const { bytes } = held;
    this.#counts.bytesJoined += bytes.length;
    if (bytes.equals(query.file)) return null;
    return `the joined file is another one: ${bytes.length} bytes of ${query.file.length}`;
  }

  /** `left`: roughly the bytes still to come. */
  #randomCut(random: Random, left: number): Cut {
    const kind = pick(random, ['unheard', 'nothing', 'anywhere', 'anywhere', 'early', 'late']);
    this.#cuts[kind] = (this.#cuts[kind] ?? 0) + 1;
    switch (kind) {
      case 'unheard':
        return { t: 'unheard', afterMs: Math.floor(random() * UNHEARD_MS_MAX) };
      case 'nothing':
        return { t: 'bytes', bytes: 0 };
      case 'early':
        return { t: 'bytes', bytes: 1 + Math.floor(random() * END_BYTES) };
      case 'late':
        return { t: 'bytes', bytes: Math.max(1, left - Math.floor(random() * END_BYTES)) };
      default:
        return { t: 'bytes', bytes: 1 + Math.floor(random() * left) };
    }
  }

  #count(fetched: Fetched, kills: number): void {
    this.#counts.responses += 1;
    if (this.#kills > kills) this.#counts.interrupted += 1;
    if (fetched.t === 'heard') this.#counts.bytesRead += fetched.body.length;
  }

  /** Kills the service at even shares of all exports, while others run. */
  #killInTime(): void {
    const { exports, kills } = this.#options;
    if (this.#kills >= kills || this.#done < (exports * (this.#kills + 1)) / (kills + 1)) return;
    this.#kills += 1;
    this.#up = this.#up.then(async () => {
      await addCacheOutcomes(this.#service, this.#cached);
      await this.#service.stop('SIGKILL');
      this.#service = this.#start();
      await this.#service.ready();
    });
  }
}

/** Throws when there are problems, with the first of them. */
export function assertExportsHeld({ problems }: ExportReport): void {
  const shown = problems.slice(0, PROBLEMS_SHOWN).join('\n');
  assert.equal(problems.length, 0, `${problems.length} problems:\n${shown}`);
}
