/**
 * The time until a start is ready to serve. Over existing data: the installed program, and the
 * sources. On an empty directory: the first start, which builds the days that streams need. Beside
 * them, a bare Node that does nothing. The starts take turns; medians count.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RunningService } from '../../tests/running-service.ts';
import { SERVICE_OF_SOURCES } from '../../tests/tapeloom-program.ts';
import { buildTapeloomPackage } from '../../tools/build/tapeloom-package.ts';
import { loadAverage, median } from '../shared/machine-load.ts';
import type { Bench, BenchReport } from '../shared/report.ts';

const STARTS = 10;
const FIRST = 'first, sources';
const TARGETS_MS: Readonly<Record<string, number>> = {
  installed: 800,
  sources: 1_200,
  [FIRST]: 4_000,
};
/** Each first start makes millions of trades. */
const FIRST_STARTS = 3;
/** The market has its default size; a start does not read sealed days. */
const SETTING = { TAPELOOM_SIM_SCALE: '1', TAPELOOM_SIM_DAYS: '0' };
/** Ticks per second of Linux's processor time. */
const TICKS = 100;

interface Start {
  readonly ms: number;
  /** Of all threads; null where the system does not report it. */
  readonly cpuMs: number | null;
}

export const run: Bench = async () => {
  const loadBefore = loadAverage();
  const directory = mkdtempSync(join(tmpdir(), 'tapeloom-start-'));
  try {
    const built = join(directory, 'tapeloom');
    await buildTapeloomPackage(built);
    const data = join(directory, 'data');
    const works: Readonly<Record<string, () => Promise<Start>>> = {
      installed: () => startOf(data, [join(built, 'bin/tapeloom.js'), 'serve'], SETTING),
      sources: () => startOf(data, SERVICE_OF_SOURCES, SETTING),
      [FIRST]: () => firstStart(join(directory, 'first')),
      'node -e 0': bareStart,
    };
    const starts = new Map<string, Start[]>();
    // The first round builds the data and fills Node's compile cache.
    for (let round = 0; round <= STARTS; round += 1) {
      for (const [name, work] of Object.entries(works)) {
        if (name === FIRST && round > FIRST_STARTS) continue;
        const start = await work();
        if (round > 0) starts.set(name, [...(starts.get(name) ?? []), start]);
      }
    }
    return report(starts, [loadBefore, loadAverage()]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
};

/** Builds the default days. `RunningService` leaves out the build of the portal. */
async function firstStart(data: string): Promise<Start> {
  rmSync(data, { recursive: true, force: true });
  return await startOf(data, SERVICE_OF_SOURCES, { TAPELOOM_SIM_SCALE: '1' });
}

async function startOf(
  data: string,
  program: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Start> {
  const service = new RunningService({ data, program, env });
  const seconds = await service.ready();
  const cpuMs = cpuMsOf(service.pid);
  const { code } = await service.stop('SIGTERM');
  if (code !== 0) throw new Error(`a service ended with ${code}: ${service.errors}`);
  return { ms: seconds * 1_000, cpuMs };
}

async function bareStart(): Promise<Start> {
  const startMs = performance.now();
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
  return { ms: performance.now() - startMs, cpuMs: null };
}

function cpuMsOf(pid: number): number | null {
  if (process.platform !== 'linux') return null;
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS;
}

function report(
  starts: ReadonlyMap<string, readonly Start[]>,
  loads: readonly number[],
): BenchReport {
  const medians = [...starts].map(([name, all]) => {
    const ms = all.map((start) => start.ms);
    const cpuMs = all.flatMap((start) => start.cpuMs ?? []);
    return {
      name,
      ms: Math.round(median(ms)),
      least: Math.round(Math.min(...ms)),
      most: Math.round(Math.max(...ms)),
      cpuMs: cpuMs.length === 0 ? null : Math.round(median(cpuMs)),
    };
  });
  const targets = medians.flatMap(({ name, ms }) => {
    const target = TARGETS_MS[name];
    if (target === undefined) return [];
    return `Target: ${name} ready within ${target} ms on two quiet cores: ${ms <= target ? 'met' : 'missed'} (${ms} ms).`;
  });
  return {
    title: 'A start over existing data, and the first of all',
    columns: ['program', 'ready after, ms', 'least', 'most', 'processor, ms'],
    rows: medians.map(({ name, ms, least, most, cpuMs }) => [name, ms, least, most, cpuMs ?? '-']),
    notes: [
      `From the start of the process until it says that it is ready; medians of ${STARTS} starts in turn, of ${FIRST_STARTS} first ones.`,
      ...targets,
      `Load average ${loads[0]} before, ${loads[1]} after.`,
    ],
    json: { starts: STARTS, medians, loadAverage: loads },
  };
}
