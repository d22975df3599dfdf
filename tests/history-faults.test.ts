/** How the real service handles damaged files: a cached result, a sealed day. */

import assert from 'node:assert/strict';
import { globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Problem } from '@tapeloom/protocol/problem';
import { checkProblem } from '../packages/server/testing/rest/problem-check.ts';
import { killServices, RunningService } from './running-service.ts';
import { tapeloomJson } from './tapeloom-command.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-faults-'));
const data = join(directory, 'data');
const DAY_MS = 86_400_000;
const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const dayBefore = (days: number) => new Date(midnight - days * DAY_MS).toISOString().slice(0, 10);

/** The pause between two checks. */
const turn = () => pause(5);

let service: RunningService;
let key = '';
before(async () => {
  service = new RunningService({ data });
  await service.ready();
  await tapeloomJson(data, 'account', 'create', 'reader', '--plan', 'history');
  const words = ['key', 'create', '--account', 'reader', '--name', 'test'];
  const scopes = ['--environment', 'live', '--scopes', 'history,export'];
  key = (await tapeloomJson<{ key: string }>(data, ...words, ...scopes)).key;
});
after(() => {
  killServices();
  rmSync(directory, { recursive: true, force: true });
});

async function ask(path: string, fields: Readonly<Record<string, string>>) {
  const query = { instrument: 'BTC.c.0', indicator: 'bars', limit: '10000', ...fields };
  if (path === '/v1/export') delete (query as { limit?: string }).limit;
  const answer = await service.send('GET', `${path}?${new URLSearchParams(query)}`, { key });
  const text = Buffer.from(await answer.arrayBuffer()).toString('latin1');
  return { status: answer.status, headers: Object.fromEntries(answer.headers), text };
}

/** The used and remaining budgets, except the count of requests. */
async function usage(): Promise<object> {
  const answer = await service.send('GET', '/v1/usage', { key });
  const { used, remaining } = (await answer.json()) as Record<string, Record<string, number>>;
  return { used: { ...used, restRequests: 0 }, remaining };
}

const day = (days: number) => ({ from: dayBefore(days), to: dayBefore(days - 1) });

/** Overwrites bytes in the middle of a file. */
function damage(file: string): void {
  const bytes = readFileSync(file);
  const middle = bytes.length >> 1;
  bytes.fill(0xa5, middle, middle + Math.min(64, bytes.length - middle));
  writeFileSync(file, bytes);
}

test('a kept result that rots is found out and computed anew, to the same bytes', async () => {
  const first = await ask('/v1/history', day(2));
  assert.equal(first.status, 200, first.text);
  // The result is cached after the response.
  const kept = () => globSync('cache/**/*.result', { cwd: data }).map((name) => join(data, name));
  while (kept().length === 0) await turn();
  const again = await ask('/v1/history', day(2));
  assert.equal(again.text, first.text, 'kept or computed is the same');
  for (const file of kept()) damage(file);
  assert.equal((await ask('/v1/history', day(2))).text, first.text, 'what is in memory is right');
  // A new process has nothing in memory.
  await service.stop('SIGKILL');
  service = new RunningService({ data });
  await service.ready();
  for (const file of kept()) writeFileSync(file, '');
  assert.equal((await ask('/v1/history', day(2))).text, first.text);
  while (kept().every((file) => statSync(file).size === 0)) await turn();
});

/** Damages a sealed day that no request has read. */
async function damagedDay(days: number) {
  const name = dayBefore(days).replaceAll('-', '');
  // The running service still builds older days.
  while ((await ask('/v1/history/estimate', day(days + 1))).status !== 200) await turn();
  const page = JSON.parse((await ask('/v1/history', { ...day(3), limit: '1' })).text);
  const { contract } = page as { contract: string };
  const [file] = globSync(`tape/*/days/${contract}/${name}.arrow`, { cwd: data });
  assert.ok(file !== undefined, `there is a sealed ${name} of ${contract}`);
  const bytes = readFileSync(join(data, file));
  damage(join(data, file));
  return { name, contract, file, putBack: () => writeFileSync(join(data, file), bytes) };
}

test('an export that comes to a rotten day is cut there, and not resumed over it', async () => {
  const { name } = await damagedDay(6);
  // Enough lines that some are sent before the export reaches the damaged day.
  const params = JSON.stringify({ bar: 'tick', size: 1 });
  const range = { from: dayBefore(7), to: dayBefore(5) };
  const fields = { instrument: 'BTC.c.0', indicator: 'bars', params, ...range };
  const url = `/v1/export?${new URLSearchParams(fields)}`;
  const answer = await service.send('GET', url, { key });
  assert.equal(answer.status, 200);
  await assert.rejects(answer.arrayBuffer(), 'no end that looks like one');
  while (!service.errors.includes(name)) await turn();
  const resume = answer.headers.get('x-export-token')!;
  const again = await service.send('GET', `/v1/export?${new URLSearchParams({ resume })}`, { key });
  const { code, missingDays } = (await again.json()) as Problem;
  assert.deepEqual([again.status, code, missingDays], [402, 'NOT_COVERED', [dayBefore(6)]]);
});

test('a day that a stream finds damaged ends other streams, is missing for history and instruments, and counted', async () => {
  const watcher = service.connect();
  const subscribe = { t: 'subscribe', sub: 'a', instrument: 'BTC.c.0' };
  await watcher.send({ ...subscribe, indicator: 'session-levels' });
  await watcher.first(({ t, state }) => t === 'status' && state === 'live');
  watcher.messages.length = 0;
  const { name, contract } = await damagedDay(1);
  const counted = async () => {
    const text = await (await service.internal('/metrics')).text();
    return Number(/^tapeloom_days_damaged (\d+)/m.exec(text)![1]);
  };
  const before = await counted();
  const wanted = { t: 'subscribe', sub: 'b', instrument: contract, indicator: 'session-levels' };
  const client = service.connect();
  await client.send({ ...wanted, params: { initialBalanceMinutes: 30 } });
  await client.first(({ t, sub }) => t === 'status' && sub === 'b');
  while ((await counted()) === before) await turn();
  // A standalone node cannot fetch a copy. A subscriber whose results include the day is reset and
  // starts again without it.
  const { reason } = await watcher.first(({ t }) => t === 'reset');
  assert.equal(reason, 'source_gap');
  await watcher.first(({ t, state }) => t === 'status' && state === 'live');
  await watcher.close();
  assert.ok(service.errors.includes(name));
  const { status, text } = await ask('/v1/history/estimate', day(1));
  assert.deepEqual([status, (JSON.parse(text) as Problem).missingDays], [402, [dayBefore(1)]]);
  const answer = await service.send('GET', '/v1/instruments', { key });
  const { instruments } = (await answer.json()) as {
    readonly instruments: readonly {
      readonly symbol: string;
      readonly history: { readonly missingDays: readonly string[] } | null;
    }[];
  };
  const { history } = instruments.find(({ symbol }) => symbol === contract)!;
  assert.ok(history!.missingDays.includes(dayBefore(1)), JSON.stringify(history));
});

test('a sealed day that rots is missing from the first request on, named in the log and counted, until it is put back [ERR-20]', async () => {
  const { name, file, putBack } = await damagedDay(4);

  const before = await usage();
  const broken = await ask('/v1/history', day(4));
  assert.equal(broken.status, 402, broken.text);
  const docsUrl = (JSON.parse(broken.text) as Problem).type.split('/errors#')[0]!;
  for (const hint of ['arrow', 'tape', 'damage', basename(file)]) {
    assert.ok(!broken.text.includes(hint), `nothing is told of ${hint}`);
  }
  while (!service.errors.includes(name)) await turn();
  assert.match(await (await service.internal('/metrics')).text(), /^tapeloom_days_damaged [1-9]/m);

  for (const path of ['/v1/history', '/v1/history/estimate', '/v1/export']) {
    const missing = await ask(path, { from: dayBefore(5), to: dayBefore(2) });
    const body = JSON.parse(missing.text) as Problem;
    checkProblem({ ...missing, body }, docsUrl, { status: 402, code: 'NOT_COVERED' });
    assert.deepEqual(body.missingDays, [dayBefore(4)]);
  }
  assert.deepEqual(await usage(), before, 'and nothing is charged');
  for (const days of [3, 5]) {
    const whole = await ask('/v1/history', day(days));
    assert.equal(whole.status, 200, whole.text);
  }

  const around = { from: dayBefore(5), to: dayBefore(2) };
  const { text } = await ask('/v1/history/estimate', { ...around, gaps: 'allow' });
  const { gaps } = JSON.parse(text) as { readonly gaps: readonly { readonly why: string }[] };
  assert.deepEqual([gaps.length, gaps[0]?.why], [1, 'damaged'], text);
  putBack();
  // The service checks the day about once a second.
  while ((await ask('/v1/history/estimate', around)).status !== 200) await pause(100);
  assert.equal((await ask('/v1/history', day(4))).status, 200);
  assert.equal((await service.stop('SIGTERM')).code, 0, service.errors);
});
