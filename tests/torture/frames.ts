/**
 * Generated frames against a real service process, over many accounts: the service never fails,
 * closes with the right code, and leaks neither memory nor sockets.
 */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openFiles, residentBytes } from '../../bench/shared/process-holdings.ts';
import { alignedTable } from '../../bench/shared/table.ts';
import { makeAccounts } from '../account-maker.ts';
import { RunningService } from '../running-service.ts';
import { type FuzzProgress, fuzzFrames } from './frames-fuzz.ts';

const ACCOUNTS = 32;
const SAMPLES = 20;
/** First samples, in which caches, compilers and pools still fill. */
const WARM_UP_SAMPLES = 6;
/** The most that the process may grow after these samples. */
const GROWTH_BYTES_MAX = 64 * 1024 * 1024;
const RATE_SHARE_MAX = 0.01;
const SETTLE_TRIES = 50;
const STOP_MS_MAX = 10_000;

/** `rounds` is the number of frames. */
export async function run({ rounds }: { readonly rounds: number }): Promise<void> {
  const seed = Math.trunc(Math.random() * 2 ** 32);
  console.log(`seed ${seed}`);
  const directory = mkdtempSync(join(tmpdir(), 'tapeloom-frames-'));
  const data = join(directory, 'data');
  const service = new RunningService({ data });
  try {
    await service.ready();
    const names = Array.from({ length: ACCOUNTS }, (_, index) => `customer-${index}`);
    const keys = await makeAccounts(data, names);
    const port = Number(new URL(service.address('REST')).port);
    await fuzzFrames({ port, keys }, Math.min(rounds, 2_000), seed + 1);
    const before = await settled(service);
    const resident: number[] = [];
    const progress = await fuzzFrames({ port, keys }, rounds, seed, ({ frames }) => {
      if (frames < ((resident.length + 1) * rounds) / SAMPLES) return;
      resident.push(residentBytes(service.pid));
    });
    const after = await settled(service);
    console.log(outcomeTable(progress));
    console.log(summary(progress, resident, before, after));
    assertHealthy(service, progress, resident);
    assert.ok(after.files <= before.files, `${before.files} open files became ${after.files}`);
    assert.equal((await service.get('/v1/status')).status, 200);
    const { code, ms } = await service.stop('SIGTERM');
    assert.equal(code, 0, service.errors);
    assert.ok(ms < STOP_MS_MAX, `stopped in ${ms} ms`);
  } finally {
    await service.stop('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  }
}

export function outcomeTable({ outcomes, connections }: FuzzProgress): string {
  const rows = [...outcomes]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([label, count]) => [label, count, `${((100 * count) / connections).toFixed(2)} %`]);
  return alignedTable(['sent, end', 'connections', 'share'], rows);
}

interface Holdings {
  readonly files: number;
  readonly residentBytes: number;
}

/** Resolves when no connection is left. */
async function settled(service: RunningService): Promise<Holdings> {
  let files = openFiles(service.pid);
  for (let tries = 0; tries < SETTLE_TRIES; tries += 1) {
    const metrics = await (await service.internal('/metrics')).text();
    const isEmpty = /^tapeloom_connections 0$/m.test(metrics);
    await pause(100);
    const now = openFiles(service.pid);
    if (isEmpty && now >= files) return { files: now, residentBytes: residentBytes(service.pid) };
    files = now;
  }
  throw new Error('connections are left');
}

function assertHealthy(
  service: RunningService,
  { outcomes, connections }: FuzzProgress,
  resident: readonly number[],
): void {
  // Connections that were not meant to exceed a limit.
  const limited = [...outcomes]
    .filter(([label]) => label.endsWith('1008') && !/^(?:flood|fragments)/.test(label))
    .reduce((sum, [, count]) => sum + count, 0);
  assert.ok(limited < connections * RATE_SHARE_MAX, `${limited} of ${connections} ended with 1008`);
  assert.doesNotMatch(service.errors, /"level":(?:50|60|"error"|"fatal")/, service.errors);
  const early = Math.max(...resident.slice(0, WARM_UP_SAMPLES));
  const late = Math.max(...resident.slice(WARM_UP_SAMPLES));
  assert.ok(late - early < GROWTH_BYTES_MAX, `memory grew from ${early} to ${late} bytes`);
}

function summary(
  progress: FuzzProgress,
  resident: readonly number[],
  before: Holdings,
  after: Holdings,
): string {
  const mib = (bytes: number) => `${Math.round(bytes / 1_048_576)} MiB`;
  const { frames, connections, bytes, answers } = progress;
  return [
    `${frames} frames on ${connections} connections, ${mib(bytes)} sent, ${answers} texts came back`,
    `resident before ${mib(before.residentBytes)}, on the way ${resident.map(mib).join(', ')}, after ${mib(after.residentBytes)}`,
    `open files before ${before.files}, after ${after.files}`,
  ].join('\n');
}
