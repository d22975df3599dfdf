import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  killServices,
  NO_PORTAL,
  NO_TRADES,
  RunningService,
  WAIT_LIMIT_MS,
  within,
} from './running-service.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-npm-start-'));
/** The npm that runs this test, or the machine's. */
const npm = process.env.npm_execpath;
const servicePids: number[] = [];
after(() => {
  // Only services that npm left behind still run.
  for (const pid of servicePids.filter(isRunning)) process.kill(pid, 'SIGKILL');
  killServices();
  rmSync(directory, { recursive: true, force: true });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

interface Started {
  readonly service: RunningService;
  readonly servicePid: number;
  readonly data: string;
}

async function npmStart(name: string): Promise<Started> {
  const data = join(directory, name);
  const service = new RunningService({
    data,
    cwd: join(import.meta.dirname, '..'),
    ...(npm === undefined ? { node: 'npm' } : {}),
    program: [...(npm === undefined ? [] : [npm]), 'start'],
    env: { ...NO_TRADES, TAPELOOM_PORTAL: NO_PORTAL, npm_config_update_notifier: 'false' },
    leadsGroup: true,
  });
  await service.ready();
  const note = JSON.parse(readFileSync(join(data, 'service.json'), 'utf8')) as { pid: number };
  servicePids.push(note.pid);
  assert.notEqual(note.pid, service.pid);
  return { service, servicePid: note.pid, data };
}

/** The output closes when every process that npm started has ended. */
async function assertStopped(
  { service, servicePid, data }: Started,
  ends: readonly (number | null)[] = [0],
): Promise<void> {
  const code = await within(WAIT_LIMIT_MS, 'the end of npm and of the service', service.ended);
  assert.ok(ends.includes(code), `${code}: ${service.errors}`);
  assert.match(service.errors, /"isClean":true,.*"msg":"stopped"/);
  assert.equal(isRunning(servicePid), false);
  assert.equal(existsSync(join(data, 'service.json')), false);
}

test('a SIGTERM to the npm of npm start stops the service', async () => {
  const started = await npmStart('terminated');
  process.kill(started.service.pid, 'SIGTERM');
  await assertStopped(started);
});

test('a SIGINT to the npm of npm start stops the service', async () => {
  const started = await npmStart('interrupted');
  process.kill(started.service.pid, 'SIGINT');
  await assertStopped(started);
});

test('ctrl-c, which a terminal sends to npm and to the service, stops it cleanly', async () => {
  const started = await npmStart('typed');
  process.kill(-started.service.pid, 'SIGINT');
  // npm itself may end by the signal when it forwards it to a service that is just ending.
  await assertStopped(started, [0, null]);
});
