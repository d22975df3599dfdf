/** Checks the machine: disk space, clock, open files and memory, compared with what the service needs. */

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { GIB } from '@tapeloom/core/units';
import { dayOf } from '@tapeloom/core/utc-day';
import type { Config } from '@tapeloom/server/config/config';
import {
  connectionLimits,
  fewConnections,
} from '@tapeloom/server/operations/start/connection-limits';
import { StartRefusedError } from '@tapeloom/server/operations/start/start-refused-error';
import { littleBecause } from '@tapeloom/server/platform/disk/free-space';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { openFilesMax } from '@tapeloom/server/platform/open-files';
import type { ServiceNote } from '@tapeloom/server/platform/service-note';
import { createClock } from '@tapeloom/server/platform/system-clock';
import { dayOfFile, logDirectory } from '@tapeloom/server/tape/tape-paths';
import { tapeDayBytes } from '@tapeloom/server/tape/write/tape-growth';
import { sizeText } from '../size-text.ts';
import { type Finding, fault, ok, skipped, warning } from './finding.ts';

/** An idle service uses a third of this, one under attack more than half. */
const MEMORY_BYTES_MIN = GIB;
const ANSWERED_WITHIN_MS = 5_000;

export async function checkDisk({ data }: Config, datasets: readonly string[]): Promise<Finding> {
  const disk = new NodeDisk();
  let directory = data;
  while ((await disk.stat(directory)) === null && dirname(directory) !== directory) {
    directory = dirname(directory);
  }
  const space = await disk.space(directory);
  if (space === null) return skipped('disk', 'this system does not report its free disk space');
  const tapeRoot = join(data, 'tape');
  const days = datasets.map((one) => tapeDayBytes(disk, tapeRoot, one).catch(() => 0));
  const dayBytes = (await Promise.all(days)).reduce((sum, bytes) => sum + bytes, 0);
  const needs = dayBytes === 0 ? '' : `; a day of the tape needs ${sizeText(dayBytes)}`;
  const detail = `${sizeText(space.freeBytes)} of ${sizeText(space.totalBytes)} are free${needs}`;
  const advice =
    'Free disk space: use a larger disk, TAPELOOM_KEEP_DAYS, tapeloom tape rm, or tapeloom cache clear.';
  if (space.freeBytes <= dayBytes) return fault('disk', `${detail}, which is not there`, advice);
  const why = littleBecause({ ...space, dayBytes });
  return why === null ? ok('disk', detail) : warning('disk', `${detail}: ${why}`, advice);
}

export async function checkClock(
  { data }: Config,
  datasets: readonly string[],
  note: ServiceNote | null,
): Promise<readonly Finding[]> {
  const ahead = (await tapeAhead(data, datasets)) ?? (await serviceAhead(note));
  const findings = [await checkSynchronised()];
  if (ahead === null) return findings;
  const advice =
    'Correct the clock. If it was ahead before, tapeloom tape trim moves aside what was written then; a running service waits until the clock has caught up with the tape.';
  return [...findings, fault('clock', ahead, advice)];
}

async function checkSynchronised(): Promise<Finding> {
  const words = ['show', '--property=NTPSynchronized', '--value'];
  const asked = await promisify(execFile)('timedatectl', words, {
    timeout: ANSWERED_WITHIN_MS,
  }).catch(() => null);
  const answer = asked?.stdout.trim();
  if (answer === 'yes') return ok('clock', 'synchronised with a time server');
  if (answer === 'no') {
    const advice = 'Turn on a time service, such as systemd-timesyncd or chrony.';
    return warning('clock', 'not synchronised with a time server', advice);
  }
  return skipped('clock', 'this system does not report whether the clock is synchronised');
}

/** Compares whole days: a service does not start on a tape that is ahead of the clock. */
async function tapeAhead(data: string, datasets: readonly string[]): Promise<string | null> {
  const directories = datasets.map((one) => logDirectory(join(data, 'tape'), one));
  const disk = new NodeDisk();
  const names = (await Promise.all(directories.map((one) => disk.list(one)))).flat();
  const newest = Math.max(...names.map((name) => dayOfFile(name, 'log') ?? 0), 0);
  const today = dayOf(createClock({ kind: 'system' }).now());
  return newest > today
    ? `the tape contains the day ${newest}, but the clock shows ${today}`
    : null;
}

async function serviceAhead(note: ServiceNote | null): Promise<string | null> {
  if (note === null) return null;
  try {
    const signal = AbortSignal.timeout(ANSWERED_WITHIN_MS);
    const text = await (await fetch(`${note.internal}/metrics`, { signal })).text();
    const seconds = Number(/^tapeloom_clock_ahead_seconds (\S+)$/m.exec(text)?.[1] ?? 0);
    return seconds > 0 ? `the tape is ${Math.ceil(seconds)} s ahead of the clock` : null;
  } catch {
    // The check of the service reports that it does not respond.
    return null;
  }
}

export function checkLimits(note: ServiceNote | null): readonly Finding[] {
  return [checkOpenFiles(note), checkMemory()];
}

function checkOpenFiles(note: ServiceNote | null): Finding {
  const ofService = note === null ? null : openFilesOf(note.pid);
  const openFiles = ofService ?? openFilesMax();
  const whose =
    ofService === null ? " in this shell; the service's unit may have another limit" : '';
  const advice = 'Raise it: LimitNOFILE=65536 in the systemd unit, or ulimit -n 65536.';
  const machine = { openFiles, cores: availableParallelism() };
  try {
    const limits = connectionLimits(machine);
    const few = fewConnections(limits, machine);
    if (few !== null) return warning('open files', `${few}${whose}`, advice);
    return ok('open files', `${openFiles ?? 'any number'}${whose}: ${limits.all} connections`);
  } catch (error) {
    if (!(error instanceof StartRefusedError)) throw error;
    return fault('open files', `${error.message.split(':')[0]}${whose}`, advice);
  }
}

/** Only Linux reveals another process's limit. */
function openFilesOf(pid: number): number | null {
  try {
    const text = readFileSync(`/proc/${pid}/limits`, 'utf8');
    const soft = /^Max open files +(\d+)/m.exec(text)?.[1];
    return soft === undefined ? null : Number(soft);
  } catch {
    return null;
  }
}

function checkMemory(): Finding {
  const limit = process.constrainedMemory();
  const bytes = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  if (bytes >= MEMORY_BYTES_MIN) return ok('memory', sizeText(bytes));
  const advice = `Give the machine or its container at least ${sizeText(MEMORY_BYTES_MIN)}.`;
  return warning('memory', sizeText(bytes), advice);
}
