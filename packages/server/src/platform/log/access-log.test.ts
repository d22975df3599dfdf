import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import { AccessLog, accessLogFiles, accessLogPath, STREAM_LINES_A_SECOND } from './access-log.ts';

const root = mkdtempSync(join(tmpdir(), 'tapeloom-access-'));
after(() => rmSync(root, { recursive: true }));
/** 2026-11-18, noon. */
const NOON = 1_795_003_200_000_000_000n;
const DAY_MS = 86_400_000;
const REQUEST = {
  ...{ id: 'req_1', method: 'GET', path: '/v1/history', status: 200, ms: 12 },
  ...{ account: 'acc_1', key: null },
};

function rig(name: string, more: { readonly dayBytesMax?: number } = {}) {
  const data = join(root, name);
  const clock = new ManualClock(NOON);
  const faults: unknown[] = [];
  const onFault = (error: unknown) => faults.push(error);
  const log = new AccessLog({ data, days: 2, clock, onFault, ...more });
  const lines = (day: string) =>
    readFileSync(join(accessLogPath(data), `${day}.ndjson`), 'utf8')
      .trimEnd()
      .split('\n');
  return { data, clock, log, lines, faults };
}

test('a request is one line of its day, and days beyond those asked for go', async () => {
  const { data, clock, log, lines } = rig('days');
  log.note(REQUEST);
  await log.write();
  assert.deepEqual(JSON.parse(lines('2026-11-18')[0]!), { at: String(NOON), ...REQUEST });
  writeFileSync(join(accessLogPath(data), 'notes.txt'), 'not ours');
  for (let day = 0; day < 2; day++) {
    clock.advance(DAY_MS);
    log.note({ ...REQUEST, path: `/${'x'.repeat(1_000)}` });
    await log.write();
  }
  assert.deepEqual(readdirSync(accessLogPath(data)).sort(), [
    '2026-11-19.ndjson',
    '2026-11-20.ndjson',
    'notes.txt',
  ]);
  assert.match((await accessLogFiles(data))[0]!, /2026-11-20/);
  assert.equal(JSON.parse(lines('2026-11-20')[0]!).path.length, 200);
  await log[Symbol.asyncDispose]();
});

test('a day holds so much and no more, also after a restart, and lines beyond that are counted', async () => {
  const first = rig('full', { dayBytesMax: 400 });
  for (let count = 0; count < 2; count++) first.log.note(REQUEST);
  await first.log[Symbol.asyncDispose]();
  const { log, lines } = rig('full', { dayBytesMax: 400 });
  for (let count = 0; count < 3; count++) log.note(REQUEST);
  await log[Symbol.asyncDispose]();
  assert.equal(lines('2026-11-18').length, 2);
  assert.equal(log.leftOutTotal, 3);
});

test('of streams that end a sample of each second is kept, and the others are counted', async () => {
  const { clock, log, lines } = rig('sampled');
  const ended = { ...REQUEST, path: '/v1', status: 101, close: 1001 };
  for (let count = 0; count < STREAM_LINES_A_SECOND + 5; count++) log.noteSampled(ended);
  log.note(REQUEST);
  assert.equal(log.leftOutTotal, 5);
  clock.advance(1_000);
  log.noteSampled(ended);
  await log[Symbol.asyncDispose]();
  assert.equal(lines('2026-11-18').length, STREAM_LINES_A_SECOND + 2);
  assert.equal(JSON.parse(lines('2026-11-18')[0]!).close, 1001);
  assert.equal(log.leftOutTotal, 5);
});

test('a disk that takes no lines is told once, and the service goes on', async () => {
  const { data, log, faults } = rig('broken');
  writeFileSync(data, 'a file where the directory should be');
  for (let count = 0; count < 3; count++) {
    log.note(REQUEST);
    await log.write();
  }
  assert.deepEqual([faults.length, log.leftOutTotal], [1, 3]);
  await log[Symbol.asyncDispose]();
});
