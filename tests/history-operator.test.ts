/** The operator's side of history: warming the cache of a running service, and much older days. */

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { killServices, NO_PAST, RunningService } from './running-service.ts';
import { tapeloom, tapeloomJson } from './tapeloom-command.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-operator-'));
after(() => {
  killServices();
  rmSync(directory, { recursive: true, force: true });
});

const DAY_MS = 86_400_000;
const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const dateOf = (daysAgo: number) =>
  new Date(midnight - daysAgo * DAY_MS).toISOString().slice(0, 10);
/** All of yesterday. */
const RANGE = {
  instrument: 'BTC.c.0',
  indicator: 'footprint',
  params: '{"size":300}',
  from: dateOf(1),
  to: dateOf(0),
};

interface Warmed {
  readonly days: readonly { readonly day: number; readonly outcome: string }[];
}
interface Page {
  readonly items: readonly object[];
  readonly next: string | null;
}

async function answered(service: RunningService, path: string): Promise<Response> {
  const answer = await service.send('GET', path);
  if (answer.status !== 200) assert.fail(await answer.text());
  return answer;
}

const historyPath = (fields: object) =>
  `/v1/history?${new URLSearchParams({ ...RANGE, ...fields })}`;

/** Reads the metrics; the result maps a name with labels, as printed, to its value. */
async function metricsOf(service: RunningService): Promise<(name: string) => number> {
  const text = await (await service.internal('/metrics')).text();
  return (name) => {
    const line = text.split('\n').find((one) => one.startsWith(`${name} `));
    assert.ok(line !== undefined, `there is no metric ${name}`);
    return Number(line.slice(name.length + 1));
  };
}

test('what is warmed beside a running service is what the service finds, and it is counted', async () => {
  const data = join(directory, 'warm');
  const leftovers = join(data, 'cache/settled/SIM/BTCX6');
  mkdirSync(leftovers, { recursive: true });
  writeFileSync(join(leftovers, 'half.result.1-1-1.tmp'), 'half');
  const service = new RunningService({ data, env: { ...NO_PAST, TAPELOOM_CACHE_BYTES: '64MiB' } });
  await service.ready();
  assert.ok(!existsSync(join(leftovers, 'half.result.1-1-1.tmp')));
  assert.match(service.errors, /"removed":1.*unfinished results of the cache were removed/);

  const words = ['cache', 'warm', '--instrument', 'BTC.c.0', '--indicator', 'footprint'];
  const rest = ['--params', '{"size":300,"depth":9}', '--from', dateOf(1)];
  const warmed = await tapeloomJson<Warmed>(data, ...words, ...rest);
  assert.deepEqual(
    warmed.days.map(({ outcome }) => outcome),
    ['kept'],
  );
  const before = await metricsOf(service);
  assert.equal(before('tapeloom_cache_lookups_total{outcome="hit"}'), 0);
  const page = (await (await answered(service, historyPath({ limit: '10000' }))).json()) as Page;
  assert.ok(page.items.length > 0);
  const exported = await answered(service, `/v1/export?${new URLSearchParams(RANGE)}`);
  const file = Buffer.from(await exported.arrayBuffer());
  const lines = zstdDecompressSync(file).toString().trimEnd().split('\n');
  assert.deepEqual(
    lines.slice(1, -1).map((line) => JSON.parse(line)),
    page.items,
  );
  const refused = await service.send('GET', historyPath({ limit: '0' }));
  assert.equal(refused.status, 400);

  const after = await metricsOf(service);
  assert.equal(after('tapeloom_cache_lookups_total{outcome="hit"}'), 2);
  assert.equal(after('tapeloom_cache_lookups_total{outcome="miss"}'), 0);
  const answers = (kind: string, outcome: string) =>
    after(`tapeloom_history_answers_total{kind="${kind}",outcome="${outcome}"}`);
  assert.equal(answers('page', 'sent'), 1);
  assert.equal(answers('page', 'INVALID_PARAMETERS'), 1);
  assert.equal(answers('export', 'sent'), 1);
  assert.equal(after('tapeloom_history_bytes_total{kind="export"}'), file.length);
  assert.ok(after('tapeloom_compute_threads') >= 1);
  assert.ok(after('tapeloom_compute_turn_seconds_count') > 0);
  assert.equal(
    after('tapeloom_compute_turn_seconds_bucket{le="+Inf"}'),
    after('tapeloom_compute_turn_seconds_count'),
  );
  assert.equal(after('tapeloom_cache_bytes_max'), 64 * 1024 ** 2);
  assert.equal(after('tapeloom_days_damaged'), 0);

  // Conversely, the command finds what the service has cached.
  const other = { params: '{"size":600}', limit: '1' };
  await answered(service, historyPath(other));
  const again = await tapeloomJson<Warmed>(
    data,
    ...words,
    '--params',
    other.params,
    ...rest.slice(2),
  );
  assert.deepEqual(
    again.days.map(({ outcome }) => outcome),
    ['there'],
  );
  assert.equal((await service.stop('SIGTERM')).code, 0, service.errors);
});

test('days far older than the service have their results, and are warmed like others', async () => {
  const data = join(directory, 'old');
  // Enough for a trade in every bar; commands read this variable too.
  const scale = { TAPELOOM_SIM_SCALE: '0.3' };
  Object.assign(process.env, scale);
  const day = dateOf(100);
  const fill = ['sim', 'fill', '--contract', 'all', '--from', day, '--to', day];
  const filled = await tapeloom(data, ...fill);
  assert.equal(filled.code, 0, filled.stderr);
  const words = ['cache', 'warm', '--instrument', 'BTC.c.0', '--indicator', 'footprint'];
  const range = ['--params', RANGE.params, '--from', day, '--to', day];
  const warmed = await tapeloomJson<Warmed>(data, ...words, ...range);
  assert.deepEqual(
    warmed.days.map(({ outcome }) => outcome),
    ['kept'],
  );
  const service = new RunningService({ data, env: { ...NO_PAST, ...scale } });
  await service.ready();
  const old = historyPath({ from: day, to: dateOf(99), dataset: 'SIM', limit: '10000' });
  const page = (await (await answered(service, old)).json()) as Page;
  assert.equal(page.items.length, 288, 'one of every five minutes');
  const metrics = await metricsOf(service);
  assert.equal(metrics('tapeloom_cache_lookups_total{outcome="hit"}'), 1);
  assert.equal((await service.stop('SIGTERM')).code, 0, service.errors);
});
