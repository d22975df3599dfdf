import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { AccessLog } from '@tapeloom/server/platform/log/access-log';
import { ManualClock } from '../../../../simulation/clock/manual-clock.ts';
import { runRecorded } from '../../testing/recorded-io.ts';
import { commands } from '../commands.ts';

const data = mkdtempSync(join(tmpdir(), 'tapeloom-requests-'));
after(() => rmSync(data, { recursive: true }));
const run = (...words: readonly string[]) =>
  runRecorded(commands, ['requests', ...words], { env: { TAPELOOM_DATA: data } });
const id = (digit: string) => `req_${digit.repeat(32)}`;

test('a request is found by its id on any day of the access log', async () => {
  const off = await run(id('a'));
  assert.equal(off.code, 4);
  assert.match(off.err, /there is no access log .*turn it on with TAPELOOM_ACCESS_DAYS/);
  const clock = new ManualClock(1_795_003_200_000_000_000n);
  const log = new AccessLog({ data, days: 7, clock, onFault: assert.ifError });
  const request = { method: 'GET', path: '/v1/history', ms: 7, account: 'acc_1', key: 'key_1' };
  for (const [digit, status] of [
    ['a', 200],
    ['b', 500],
  ] as const) {
    log.note({ ...request, id: id(digit), status });
    await log.write();
    clock.advance(86_400_000);
  }
  await log[Symbol.asyncDispose]();
  const found = await run(id('a'));
  assert.equal(found.code, 0, found.err);
  assert.match(found.out, /^at +2026-11-18 12:00:00Z\n(?:.*\n)*id +req_a{32}$/m);
  assert.match(found.out, /^account +acc_1$/m);
  assert.equal(JSON.parse((await run(id('b'), '--json')).out).status, 500);
  assert.match((await run(id('c'))).err, /is not in the access log, which has 2 days/);
  assert.equal((await run('req_1')).code, 2);
});
