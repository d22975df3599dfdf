/** A full, read-only or missing disk, at a start and while running; if possible on a tmpfs. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { killServices, NO_PAST, RunningService, WAIT_LIMIT_MS, within } from './running-service.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-full-'));
const data = join(directory, 'data');
after(() => {
  killServices();
  rmSync(directory, { recursive: true, force: true });
});

const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', directory]).status;
const mountMissing = canMount === 0 ? false : 'no file system can be mounted here';

const procMissing = process.platform === 'linux' ? false : 'only Linux has /proc';

/** A command prefix: mounts a small data directory and prepares it with this shell text. */
const onSmallDisk = (size: string, prepare: string) => [
  ...['unshare', '-rm', 'sh', '-c'],
  `mkdir -p ${data} && mount -t tmpfs -o size=${size} none ${data} && ${prepare}; exec "$@"`,
  'sh',
];

for (const [name, prepare, reason] of [
  ['full', `(cat /dev/zero > ${data}/filler) 2>/dev/null`, 'the disk is full'],
  ['read-only', `mount -o remount,ro ${data}`, 'no file can be opened or made there'],
] as const) {
  test(`a start on a ${name} disk is refused in one sentence that names the directory`, {
    skip: mountMissing,
  }, async () => {
    const service = new RunningService({ data, env: NO_PAST, prefix: onSmallDisk('1m', prepare) });
    assert.equal(await service.ended, 1);
    assert.match(
      service.errors,
      new RegExp(
        `^Tapeloom cannot start: the data directory ${data} cannot be written: ${reason} \\(.*\\)\\n$`,
      ),
    );
  });
}

test('a data directory that nobody can make is refused at once', {
  skip: procMissing,
}, async () => {
  const service = new RunningService({ data: '/proc/x', env: NO_PAST });
  assert.equal(await within(WAIT_LIMIT_MS, 'the end', service.ended), 1);
  assert.match(service.errors, /^Tapeloom cannot start: the data directory \/proc\/x cannot be/);
});

/** Fills the disk, also against concurrent writers. */
function fill(path: string): void {
  const piece = new Uint8Array(1 << 20);
  try {
    for (;;) appendFileSync(path, piece);
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
  }
}

test('a disk that was full and has room again ends the process with 75, for a supervisor to start it again', {
  skip: mountMissing,
}, async () => {
  const service = new RunningService({ data, env: NO_PAST, prefix: onSmallDisk('150m', 'true') });
  await service.ready();
  // The disk as the child process sees it.
  const inside = `/proc/${service.pid}/root${data}`;
  const filler = join(inside, 'filler');
  fill(filler);
  const hasStopped = async () => {
    while (!service.errors.includes('no more trades are ingested')) await pause(50);
  };
  await within(WAIT_LIMIT_MS, 'the stop of the tape', hasStopped());
  const status = await service.get('/v1/status');
  assert.equal(((await status.json()) as { engine: { state: string } }).engine.state, 'down');
  assert.match(service.errors, /"data":".*\/data".*ENOSPC/);
  rmSync(filler);
  assert.equal(await within(WAIT_LIMIT_MS, 'the end', service.ended), 75);
  assert.match(
    service.output,
    /the disk accepts writes again; the tape resumes with the next start/,
  );
});
