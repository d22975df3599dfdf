/**
 * `npm run torture -- hostile [seconds] [customers] [seed]`: customers beside as many others, then
 * beside attackers, each part with a fresh process on a copy of the same data. The customers get no
 * error, and their p95 latencies stay within twice or 100 ms more. Memory stays below twice its
 * calm level and returns to it, the tape never stops, and attackers get the right errors. Each
 * crowd has loopback addresses of its own, which need Linux.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { loadAverage, median, percentile } from '../../bench/shared/machine-load.ts';
import { alignedTable } from '../../bench/shared/table.ts';
import { Customers, MEASURES, type Measure, type Samples } from './hostile-customers.ts';
import { FILES_MAX, type Look, prepare, Stage, type StageKeys } from './hostile-stage.ts';
import type { CrowdReport } from './hostile-wire.ts';
import { runInOwnNetwork, sendBytesMax } from './own-network.ts';
import type { TortureReport } from './run.ts';

const CUSTOMERS = 200;
/** About the connections that attackers hold against a service that withstands them. */
const OTHERS = 1_000;
const SETTLE_SECONDS_MAX = 30;
/** In a shorter run it is not judged whether memory returns. */
const AFTER_SECONDS_MAX = 60;
/** The level of memory is the median of this many samples. */
const LEVEL_LOOKS = 5;
const FACTOR_MAX = 2;
const MORE_MS_MAX = 100;
/** Operators give a machine twice a calm service's memory: attackers must not exceed it. */
const PEAK_FACTOR_MAX = 2;
/** A calm service ignores a change by this factor between two collections (`memory-level.ts`). */
const BACK_FACTOR_MAX = 1.25;
const SHARE = 0.95;
/** A slow reader is cut after a minute. */
const CUT_AFTER_SECONDS = 75;
/** Exports wait while their account has too much other unread output, and stall a minute later. */
const EXPORTS_CUT_AFTER_SECONDS = 150;
const MIB = 1_048_576;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

interface Part {
  readonly samples: Samples;
  readonly refused: Readonly<Record<string, number>>;
  readonly troubles: Readonly<Record<string, number>>;
  readonly crowd: CrowdReport;
  readonly beforeMib: number;
  readonly peakMib: number;
  readonly afterMib: number;
  readonly filesMax: number;
  readonly cpuSeconds: number;
  readonly log: string;
}

/** The kernel's buffer per direction: its default, ten megabytes, holds a whole export. */
const BUFFER_BYTES = 262_144;

interface Setting {
  readonly directory: string;
  readonly keys: StageKeys;
  readonly seconds: number;
  readonly seed: number;
}

export async function run({
  rounds: seconds,
  more: [customers = CUSTOMERS, seed = Date.now() % 1_000_000] = [],
}: {
  readonly rounds: number;
  readonly more?: readonly number[];
}): Promise<TortureReport | undefined> {
  if (process.platform !== 'linux') {
    console.log('not run: strangers need loopback addresses of their own, which only Linux has');
    return undefined;
  }
  if (sendBytesMax() !== BUFFER_BYTES) {
    const words = ['hostile', ...[seconds, customers, seed].map(String)];
    const end = await runInOwnNetwork(words, BUFFER_BYTES, BUFFER_BYTES);
    // The inner run has printed its results.
    if ('exitCode' in end) process.exit(end.exitCode ?? 1);
    console.log(`in the machine's own network, whose buffers are large: ${end.skipped}`);
  }
  const loadBefore = loadAverage();
  console.log(`${customers} customers, ${seconds} s a part, seed ${seed}`);
  const directory = mkdtempSync(join(tmpdir(), 'tapeloom-hostile-'));
  try {
    tell('the past and the accounts are made');
    const keys = await prepare(join(directory, 'prepared'), { customers, others: OTHERS });
    const setting = { directory, keys, seconds, seed };
    const calm = await play('calm', setting);
    const hostile = await play('hostile', setting);
    return report({ calm, hostile, setting, customers, loadBefore });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function play(name: 'calm' | 'hostile', setting: Setting): Promise<Part> {
  const { directory, keys, seconds, seed } = setting;
  const prepared = join(directory, 'prepared');
  await using stage = await Stage.open(prepared, join(directory, name));
  const { port } = stage;
  const day = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const at = (ms: number) => new Date(ms).toISOString();
  const hour = day - DAY_MS - 12 * HOUR_MS;
  const range = { from: at(hour), to: at(hour + HOUR_MS) };
  const customers = new Customers({ port, keys: keys.customers, seed, ...range });
  tell(`${name}: ${keys.customers.withHistory.length + keys.customers.liveOnly.length} come`);
  await customers.come();
  if (name === 'calm')
    await stage.bring({ t: 'others', port, keys: keys.others, connections: OTHERS });
  await waitWith(`${name}: settles`, Math.min(seconds, SETTLE_SECONDS_MAX));
  const beforeMib = level(stage.looks);
  const looksBefore = stage.looks.length;
  const cpuBefore = await stage.cpuSeconds();
  customers.samples();
  if (name === 'hostile') {
    const { sandbox: sandboxKeys, history: historyKeys } = keys;
    const past = { from: at(day - 6 * DAY_MS), to: at(day - DAY_MS) };
    await stage.bring({ t: 'attackers', port, seed, sandboxKeys, historyKeys, ...past });
  }
  await waitWith(`${name}: is measured`, seconds);
  const samples = customers.samples();
  const cpuSeconds = (await stage.cpuSeconds()) - cpuBefore;
  const crowd = await stage.clear();
  const looks = stage.looks.slice(looksBefore);
  if (name === 'hostile')
    await waitWith(`${name}: is left alone`, Math.min(seconds, AFTER_SECONDS_MAX));
  const afterMib = level(stage.looks);
  await customers.leave();
  const { troubles, log } = stage;
  const peakMib = Math.max(...looks.map(({ residentBytes }) => residentBytes / MIB));
  const filesMax = Math.max(...looks.map(({ files }) => files));
  const { refused } = customers;
  return {
    samples,
    refused,
    troubles,
    crowd,
    beforeMib,
    peakMib,
    afterMib,
    filesMax,
    cpuSeconds,
    log,
  };
}

function level(looks: readonly Look[]): number {
  return median(looks.slice(-LEVEL_LOOKS).map(({ residentBytes }) => residentBytes / MIB));
}

interface Outcome {
  readonly calm: Part;
  readonly hostile: Part;
  readonly setting: Setting;
  readonly customers: number;
  readonly loadBefore: number;
}

function report({ calm, hostile, setting, customers, loadBefore }: Outcome): TortureReport {
  const { seconds, seed } = setting;
  const broken: string[] = [];
  const measures = (Object.keys(MEASURES) as Measure[]).map((measure) => {
    const [a, b] = [spread(calm.samples[measure]), spread(hostile.samples[measure])];
    const limitMs = Math.max(a.p95 * FACTOR_MAX, a.p95 + MORE_MS_MAX);
    const isHeld = b.p95 <= limitMs;
    if (!isHeld) {
      broken.push(
        `${MEASURES[measure]}: ${ms(b.p95)} ms beside attackers, at most ${ms(limitMs)} ms`,
      );
    }
    return { measure, calm: a, hostile: b, factor: b.p95 / a.p95, limitMs, isHeld };
  });
  broken.push(...refusals('calm', calm), ...refusals('hostile', hostile));
  // The calm part is the reference, so it must be free of errors.
  for (const [what, times] of Object.entries(calm.crowd.counts)) {
    broken.push(`calm: refused to one of the others: ${what} (${times} times)`);
  }
  broken.push(...memoryFaults(hostile, calm, seconds));
  broken.push(...wrongAnswers(hostile.crowd.counts, seconds));

  console.log(
    `\n${customers} customers beside ${OTHERS} others, then beside attackers; p95 in ms\n`,
  );
  const columns = [
    '',
    'calm n',
    'hostile n',
    'calm p50',
    'hostile p50',
    'calm',
    'hostile',
    'factor',
    'limit',
    '',
  ];
  const rows = measures.map(({ measure, calm: a, hostile: b, factor, limitMs, isHeld }) => [
    MEASURES[measure],
    a.count,
    b.count,
    ms(a.p50),
    ms(b.p50),
    ms(a.p95),
    ms(b.p95),
    factor.toFixed(2),
    ms(limitMs),
    isHeld ? 'held' : 'BROKEN',
  ]);
  console.log(alignedTable(columns, rows));
  console.log('');
  tellPart('calm', calm, seconds);
  tellPart('hostile', hostile, seconds);
  if (seconds < AFTER_SECONDS_MAX) {
    console.log('too short to judge whether memory comes back within a minute');
  }
  if (seconds < CUT_AFTER_SECONDS) console.log('too short to see readers cut');
  console.log('attackers:');
  for (const [what, times] of Object.entries(hostile.crowd.counts)) {
    console.log(`  ${what}: ${times.toLocaleString('en-US')}`);
  }
  tellLogs([calm, hostile]);
  console.log(
    `load average ${loadBefore} before, ${loadAverage()} after, ${availableParallelism()} cores`,
  );
  const { samples: _calm, log: _calmLog, ...calmRest } = calm;
  const { samples: _hostile, log: _hostileLog, ...hostileRest } = hostile;
  return {
    broken,
    json: {
      seed,
      seconds,
      customers,
      others: OTHERS,
      measures,
      calm: calmRest,
      hostile: hostileRest,
    },
  };
}

function tellLogs(parts: readonly Part[]): void {
  for (const { log } of parts) if (log !== '') console.log(`log: ${log.slice(0, 2_000)}`);
}

function tellPart(name: string, part: Part, seconds: number): void {
  const { refused, troubles, beforeMib, peakMib, afterMib, filesMax, cpuSeconds, crowd } = part;
  console.log(
    `${name}: refused to customers ${JSON.stringify(refused)}, troubles ${JSON.stringify(troubles)}; memory ` +
      `${mib(beforeMib)} before, ${mib(peakMib)} at most, ${mib(afterMib)} MiB after; ${filesMax} of ${FILES_MAX} files; ` +
      `the crowd held ${crowd.heldMax} connections and took ${crowd.cpuSeconds.toFixed(1)} s of processor time, ` +
      `the service ${cpuSeconds.toFixed(1)} s in ${seconds} s`,
  );
}

function refusals(name: string, { refused, troubles }: Part): readonly string[] {
  const told =
    (what: string) =>
    ([event, times]: [string, number]) =>
      `${name}: ${what}: ${event} (${times} times)`;
  return [
    ...Object.entries(refused).map(told('refused to a customer')),
    ...Object.entries(troubles).map(told('trouble of the service')),
  ];
}

/** The limits also use the calm part: any service grows while rings and caches fill. */
function memoryFaults(
  { beforeMib, peakMib, afterMib }: Part,
  calm: Part,
  seconds: number,
): readonly string[] {
  const calmMib = Math.max(beforeMib, calm.afterMib);
  const [backMib, peakMibMax] = [calmMib * BACK_FACTOR_MAX, calmMib * PEAK_FACTOR_MAX];
  return [
    ...(peakMib > peakMibMax
      ? [`memory: ${mib(peakMib)} MiB at its peak, at most ${mib(peakMibMax)} MiB`]
      : []),
    ...(seconds >= AFTER_SECONDS_MAX && afterMib > backMib
      ? [`memory: ${mib(afterMib)} MiB a minute after, at most ${mib(backMib)} MiB`]
      : []),
  ];
}

/** Checks for responses that attackers must get, and for server errors. */
function wrongAnswers(counts: CrowdReport['counts'], seconds: number): readonly string[] {
  const wanted = [
    'sandbox: error RATE_LIMITED with its sub',
    'sandbox: close 1013',
    'sandbox: POST key 429 RATE_LIMITED',
    'strangers: close 4001',
    'strangers: guess over REST 429 RATE_LIMITED',
    'strangers: idle socket ended by the service',
    ...(seconds < CUT_AFTER_SECONDS
      ? []
      : ['history: unread answers cut', 'strangers: unread documents cut']),
    ...(seconds < EXPORTS_CUT_AFTER_SECONDS ? [] : ['history: exports cut']),
  ];
  const faults = Object.keys(counts).filter((what) => / 50[0-2]\b/.test(what));
  return [
    ...wanted
      .filter((what) => counts[what] === undefined)
      .map((what) => `no attacker met "${what}"`),
    ...faults.map((what) => `a fault of the service: ${what}`),
  ];
}

function spread(values: readonly number[]) {
  const sorted = Float64Array.from(values).sort();
  return { count: values.length, p50: percentile(sorted, 0.5), p95: percentile(sorted, SHARE) };
}

async function waitWith(what: string, seconds: number): Promise<void> {
  tell(`${what} for ${seconds} s`);
  await pause(seconds * 1_000);
}

function tell(what: string): void {
  console.log(`${new Date().toISOString().slice(11, 19)} ${what}`);
}

function ms(value: number): string {
  return value.toFixed(1);
}

function mib(value: number): string {
  return value.toFixed(0);
}
