/**
 * The parts of `npm run bench -- export`. Each part measures a running service from this process,
 * over the loopback, and reports the result beside a comparison.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { zstdDecompressSync } from 'node:zlib';
import {
  type Answered,
  type Fields,
  type HistoryProcess,
  newFootprint,
} from '../history/history-process.ts';
import { type MadeTape, newestDays } from '../history/history-tape.ts';
import { median, percentile } from '../shared/machine-load.ts';

const MILLION = 1_000_000;
const MIB = 2 ** 20;

const TEN_DAYS = 10;
const COLD_ROUNDS = 5;
const WARM_ROUNDS = 60;
const PAGE_ROUNDS = 400;
const LINEAR_DAYS = [1, 5, 25] as const;
const LINEAR_ROUNDS = 3;
const FAIR_BLOCKS = 4;
const FAIR_PAGES = 50;

const SHARE_MIN = 0.7;
const FIRST_BYTE_MS_MAX = 50;
/** How many times the median the 95th percentile may take. */
const FIRST_BYTE_SPREAD_MAX = 2;
const GROWTH_BYTES_MAX = 256 * MIB;
const LINEAR_MAX = 1.25;
const FAIR_MAX = 2;
/** Until the newest results are cached and memory is stable. */
const SETTLE_MS = 700;

/** What is measured, the result, the comparison, the target, and whether it is met. */
export type PartRow = readonly [string, string, string, string, string];

export interface PartResult {
  readonly rows: readonly PartRow[];
  readonly json: Readonly<Record<string, unknown>>;
}

export interface Stage {
  /** Where the service keeps its data. */
  readonly data: string;
  readonly process: HistoryProcess;
  /** About a million trades a day. */
  readonly tape: MadeTape;
  /** About five million trades a day. */
  readonly busyTape: MadeTape;
}

const FOOTPRINT = { indicator: 'footprint', params: '{}' };
/** About as many lines a day as the cache keeps. */
const MANY_BARS = { indicator: 'footprint', params: JSON.stringify({ bar: 'tick', size: 75 }) };

/** Ten days that no request has read before. */
export async function cold({ process, tape }: Stage): Promise<PartResult> {
  const range = newestDays(tape, TEN_DAYS);
  const times: number[] = [];
  let body: Buffer = Buffer.alloc(0);
  for (let round = 0; round <= COLD_ROUNDS; round += 1) {
    process.clearCache();
    const fields = fieldsOf(tape, range, { ...FOOTPRINT, params: newFootprint() });
    const answered = await process.ask(0, '/v1/export', fields, { keepBody: true });
    // The first round also compiles.
    if (round > 0) times.push(answered.ms);
    body = answered.body!;
    await pause(SETTLE_MS);
  }
  const ms = median(times);
  const expanded = zstdDecompressSync(body).length;
  const perSecond = (amount: number) => (amount / ms) * 1_000;
  const tradesPerSecond = Math.round(perSecond(range.trades));
  const rates = `${megabytes(perSecond(body.length))} MB/s sent, ${megabytes(perSecond(expanded))} expanded`;
  return {
    rows: [
      row(
        `cold, ten days, ${count(range.trades)} trades`,
        `${count(tradesPerSecond)} trades/s, ${ms.toFixed(0)} ms`,
        rates,
      ),
    ],
    json: { trades: range.trades, ms, bytes: body.length, expanded, tradesPerSecond },
  };
}

/**
 * The same ten days from the cache, in turns with a file of the same bytes: bare, and with the
 * digest and the commits that an export must make.
 */
export async function warm(stage: Stage): Promise<PartResult> {
  const rows: PartRow[] = [];
  const json: Record<string, unknown> = {};
  for (const [name, what] of Object.entries({ footprint: FOOTPRINT, bars: MANY_BARS })) {
    const found = await warmShare(stage, what);
    const { share, bodyShare, bytes, exportMs, fileMs, floorMs } = found;
    rows.push(
      row(
        `warm, ten days of ${name}, ${megabytes(bytes)} MB`,
        `${percent(share)} (${exportMs.toFixed(1)} ms)`,
        `a file of these bytes: ${fileMs.toFixed(1)} ms`,
        `>= ${percent(SHARE_MIN)}`,
        verdict(share >= SHARE_MIN),
      ),
      row(`warm, from first byte to last, ${name}`, percent(bodyShare), 'the same of the file'),
      row(
        `the file with its digest and two commits, ${name}`,
        `${percent(found.floorShare)} (${floorMs.toFixed(1)} ms)`,
        `the export has ${percent(found.shareOfFloor)} of its speed`,
      ),
    );
    json[name] = found;
  }
  return { rows, json };
}

async function warmShare({ data, process, tape }: Stage, what: typeof FOOTPRINT) {
  const fields = fieldsOf(tape, newestDays(tape, TEN_DAYS), what);
  const kept = await process.ask(0, '/v1/export', fields, { keepBody: true });
  await pause(SETTLE_MS);
  const path = join(data, 'sent-file');
  writeFileSync(path, kept.body!);
  await process.sendFile(path);
  const turns: Record<'exported' | 'file' | 'floor', Answered>[] = [];
  for (let round = 0; round < 2 * WARM_ROUNDS; round += 1) {
    const exported = await process.ask(round % 2, '/v1/export', fields);
    const file = await process.askFile();
    const floor = await process.askDigestedFile();
    if (exported.bytes !== file.bytes) throw new Error('the export has other bytes than before');
    if (round >= WARM_ROUNDS) turns.push({ exported, file, floor });
  }
  const bodyMs = ({ ms, firstByteMs }: Answered) => ms - firstByteMs;
  return {
    // Compares turn by turn, so that a busy moment of the machine hits both.
    share: median(turns.map(({ exported, file }) => file.ms / exported.ms)),
    bodyShare: median(turns.map(({ exported, file }) => bodyMs(file) / bodyMs(exported))),
    floorShare: median(turns.map(({ floor, file }) => file.ms / floor.ms)),
    shareOfFloor: median(turns.map(({ exported, floor }) => floor.ms / exported.ms)),
    bytes: kept.bytes,
    exportMs: median(turns.map(({ exported }) => exported.ms)),
    fileMs: median(turns.map(({ file }) => file.ms)),
    floorMs: median(turns.map(({ floor }) => floor.ms)),
  };
}

/** Pages of cached days. */
export async function page({ process, tape }: Stage): Promise<PartResult> {
  const trading = tape.days.filter(({ isTrading }) => isTrading).length;
  const times: number[] = [];
  for (let round = -trading; round < PAGE_ROUNDS; round += 1) {
    const day = 1 + ((round + trading) % Math.min(trading, TEN_DAYS));
    const { from } = newestDays(tape, day);
    const to = from + 86_400_000_000_000n;
    const fields = { ...fieldsOf(tape, { from, to }, FOOTPRINT), limit: '1000' };
    const { firstByteMs } = await process.ask(1, '/v1/history', fields);
    if (round === -1) await pause(SETTLE_MS);
    if (round >= 0) times.push(firstByteMs);
  }
  const { p50, p95, max } = spread(times);
  return {
    rows: [
      row(
        `first byte of a cached page, ${PAGE_ROUNDS} requests`,
        `p50 ${p50.toFixed(1)}, p95 ${p95.toFixed(1)}, max ${max.toFixed(1)} ms`,
        '1,000 bars of a day with a million trades',
        `p95 < ${FIRST_BYTE_MS_MAX} ms, <= ${FIRST_BYTE_SPREAD_MAX} × p50`,
        verdict(p95 < FIRST_BYTE_MS_MAX && p95 <= FIRST_BYTE_SPREAD_MAX * p50),
      ),
    ],
    json: { p50, p95, max },
  };
}

/** A long export of a service that has done no work yet. */
export async function memory({ process, busyTape }: Stage): Promise<PartResult> {
  await pause(SETTLE_MS);
  const range = newestDays(busyTape, TEN_DAYS);
  const before = await process.usage();
  const { ms } = await process.ask(0, '/v1/export', fieldsOf(busyTape, range, FOOTPRINT));
  const { rssPeakBytes } = await process.usage();
  const growth = rssPeakBytes - before.rssBytes;
  return {
    rows: [
      row(
        `memory of an export of ${count(range.trades)} trades`,
        `${mebibytes(growth)} MiB more at most`,
        `${mebibytes(before.rssBytes)} MiB before, ${(ms / 1_000).toFixed(1)} s`,
        `< ${mebibytes(GROWTH_BYTES_MAX)} MiB`,
        verdict(growth < GROWTH_BYTES_MAX),
      ),
    ],
    json: { trades: range.trades, rssBefore: before.rssBytes, rssPeakBytes, growth, ms },
  };
}

/** Cold exports of more and more days. */
export async function linear({ process, tape }: Stage): Promise<PartResult> {
  const rows: PartRow[] = [];
  const costs: { readonly trades: number; readonly msPerMillion: number; ratio: number }[] = [];
  for (const days of LINEAR_DAYS) {
    const range = newestDays(tape, days);
    const times: number[] = [];
    // The first rounds also compile.
    for (let round = costs.length === 0 ? -LINEAR_ROUNDS : 0; round < LINEAR_ROUNDS; round += 1) {
      process.clearCache();
      const what = { ...FOOTPRINT, params: newFootprint() };
      const { ms } = await process.ask(0, '/v1/export', fieldsOf(tape, range, what));
      if (round >= 0) times.push(ms);
      await pause(SETTLE_MS);
    }
    const ms = Math.min(...times);
    const msPerMillion = ms / (range.trades / MILLION);
    const ratio = msPerMillion / (costs[0]?.msPerMillion ?? msPerMillion);
    costs.push({ trades: range.trades, msPerMillion, ratio });
    rows.push(
      row(
        `cold, ${count(range.trades)} trades`,
        `${msPerMillion.toFixed(1)} ms a million`,
        `${ratio.toFixed(2)} × the first`,
        `<= ${LINEAR_MAX} ×`,
        verdict(ratio <= LINEAR_MAX),
      ),
    );
  }
  return { rows, json: { costs } };
}

/** Pages of one customer while another customer runs long queries without a break. */
export async function fairness(stage: Stage): Promise<PartResult> {
  const rows: PartRow[] = [];
  const json: Record<string, unknown> = {};
  for (const kind of ['cold', 'cached'] as const) {
    const pages = new FairPages(stage, kind);
    await pages.measure();
    const idle: number[] = [];
    const busy: number[] = [];
    for (let block = 0; block < FAIR_BLOCKS; block += 1) {
      idle.push(...(await pages.measure()));
      await using _load = new LongQueries(stage);
      await pause(SETTLE_MS);
      busy.push(...(await pages.measure()));
    }
    const [alone, beside] = [spread(idle), spread(busy)];
    const ratio = beside.p95 / alone.p95;
    rows.push(
      row(
        `${kind} page beside a query of ${count(newestDays(stage.busyTape, TEN_DAYS).trades)} trades`,
        `p50 ${beside.p50.toFixed(1)}, p95 ${beside.p95.toFixed(1)} ms: ${ratio.toFixed(2)} ×`,
        `idle: p50 ${alone.p50.toFixed(1)}, p95 ${alone.p95.toFixed(1)} ms`,
        `p95 <= ${FAIR_MAX} ×`,
        verdict(ratio <= FAIR_MAX),
      ),
    );
    json[kind] = { idle: alone, busy: beside, ratio };
  }
  return { rows, json };
}

class FairPages {
  readonly #stage: Stage;
  readonly #kind: 'cold' | 'cached';
  /** A new value makes each page cold. */
  static #lots = 1_000_000;

  constructor(stage: Stage, kind: 'cold' | 'cached') {
    this.#stage = stage;
    this.#kind = kind;
  }

  async measure(): Promise<readonly number[]> {
    const { process, tape } = this.#stage;
    const times: number[] = [];
    const range = newestDays(tape, 1);
    for (let number = 0; number < FAIR_PAGES; number += 1) {
      FairPages.#lots += 1;
      const params = this.#kind === 'cold' ? { bar: 'volume', size: FairPages.#lots } : {};
      const what = { indicator: 'bars', params: JSON.stringify(params) };
      const { ms } = await process.ask(2, '/v1/history', fieldsOf(tape, range, what));
      times.push(ms);
    }
    return times;
  }
}

/** A customer that runs one long uncached query after another until disposal. */
class LongQueries implements AsyncDisposable {
  readonly #ended = new AbortController();
  readonly #work: Promise<void>;
  /** Bars so long that all of them fit on a page. */
  static #size = 300;

  constructor(stage: Stage) {
    this.#work = this.#run(stage);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort();
    await this.#work;
  }

  async #run({ process, busyTape }: Stage): Promise<void> {
    const { signal } = this.#ended;
    const range = newestDays(busyTape, TEN_DAYS);
    while (!signal.aborted) {
      LongQueries.#size += 1;
      const params = JSON.stringify({ size: LongQueries.#size });
      const fields = fieldsOf(busyTape, range, { indicator: 'footprint', params });
      const asked = process.ask(3, '/v1/history', { ...fields, limit: '10000' }, { signal });
      await asked.catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    }
  }
}

function fieldsOf(
  { symbol: instrument }: MadeTape,
  { from, to }: { readonly from: bigint; readonly to: bigint },
  what: typeof FOOTPRINT,
): Fields {
  return { instrument, ...what, from: String(from), to: String(to) };
}

function row(
  what: string,
  found: string,
  beside: string,
  target = '',
  met: 'met' | 'missed' | '' = '',
): PartRow {
  return [what, found, beside, target, met];
}

function verdict(isMet: boolean): 'met' | 'missed' {
  return isMet ? 'met' : 'missed';
}

function spread(times: readonly number[]) {
  const sorted = times.toSorted((a, b) => a - b);
  return { p50: percentile(sorted, 0.5), p95: percentile(sorted, 0.95), max: sorted.at(-1)! };
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

function mebibytes(bytes: number): string {
  return (bytes / MIB).toFixed(0);
}
