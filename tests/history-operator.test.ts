/** The operator's side of history: the cache filled beside a running service, and a stop in the middle. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
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
/** Yesterday, whole. */
const RANGE = {
  instrument: 'BTC.c.0',
  indicator: 'footprint',
  params: '{"size":300}',
  from: dateOf(1),
  to: dateOf(0),
};

interface Usage {
  readonly used: { readonly exportBytes: number; readonly computeUnits: number };
  readonly remaining: { readonly exportBytes: number };
  readonly limits: { readonly exportBytes: number };
}
interface Warmed {
  readonly days: readonly { readonly day: number; readonly outcome: string }[];
}
interface Page {
  readonly items: readonly object[];
  readonly next: string | null;
}

const usageOf = async (service: RunningService) =>
  (await (await service.send('GET', '/v1/usage')).json()) as Usage;

async function answered(service: RunningService, path: string): Promise<Response> {
  const answer = await service.send('GET', path);
  if (answer.status !== 200) assert.fail(await answer.text());
  return answer;
}

const historyPath = (fields: object) =>
  `/v1/history?${new URLSearchParams({ ...RANGE, ...fields })}`;

/** The value of a metric by its name and labels as they are printed. */
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

  // And the other way round: what the service kept is there for the command.
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

/** Begins an export, and takes nothing of it until it is asked for. */
async function begunExport(service: RunningService, fields: object) {
  const { hostname, port } = new URL(service.address('REST'));
  const query = new URLSearchParams({ ...RANGE, ...fields });
  const { authorization } = service.authorized;
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.write(
    `GET /v1/export?${query} HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\n\r\n`,
  );
  await once(socket, 'readable');
  /** All that was sent, once the connection has ended. */
  const received = async () => {
    const pieces: Buffer[] = [];
    for await (const piece of socket) pieces.push(piece as Buffer);
    return Buffer.concat(pieces);
  };
  return { received };
}

/** The bytes of a chunked body that came in whole chunks. */
function wholeChunks(answer: Buffer): number {
  assert.match(answer.toString('latin1', 0, 20), /^HTTP\/1\.1 200 /);
  let bytes = 0;
  let at = answer.indexOf('\r\n\r\n') + 4;
  for (;;) {
    const lineEnd = answer.indexOf('\r\n', at);
    const size = Number.parseInt(answer.toString('latin1', at, Math.max(at, lineEnd)), 16);
    const next = lineEnd + 2 + size + 2;
    if (lineEnd < 0 || next > answer.length) return bytes;
    assert.ok(size > 0, 'the end never came');
    bytes += size;
    at = next;
  }
}

test('an export that is cut by a stop is charged what was written, and the stop does not wait for it [COUNT-25] [SEC-28]', async () => {
  const data = join(directory, 'stop');
  const first = new RunningService({ data, env: { ...NO_PAST, TAPELOOM_SIM_SCALE: '3' } });
  await first.ready();
  // A result per trade: far more than all buffers between the two hold.
  const fields = { indicator: 'footprint', params: '{"bar":"tick","size":1}' };
  const { received } = await begunExport(first, fields);
  const stopped = await first.stop('SIGTERM');
  assert.equal(stopped.code, 0, first.errors);
  assert.ok(stopped.ms < 5_000, `${stopped.ms} ms`);
  const bytes = wholeChunks(await received());

  const second = new RunningService({ data, env: { ...NO_PAST, TAPELOOM_SIM_SCALE: '3' } });
  await second.ready();
  const { used, remaining, limits } = await usageOf(second);
  assert.ok(bytes > 0);
  assert.equal(used.exportBytes, bytes, 'pieces that left as a whole are charged, and no others');
  assert.equal(remaining.exportBytes, limits.exportBytes - used.exportBytes, 'nothing is held');
  assert.ok(used.computeUnits > 0);
  assert.equal((await second.stop('SIGTERM')).code, 0, second.errors);
});

test('days far older than the service have their results, and are warmed like others', async () => {
  const data = join(directory, 'old');
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
  const service = new RunningService({ data, env: { ...NO_PAST, TAPELOOM_SIM_SCALE: '1' } });
  await service.ready();
  const old = historyPath({ from: day, to: dateOf(99), dataset: 'SIM', limit: '10000' });
  const page = (await (await answered(service, old)).json()) as Page;
  assert.equal(page.items.length, 288, 'one of every five minutes');
  const metrics = await metricsOf(service);
  assert.equal(metrics('tapeloom_cache_lookups_total{outcome="hit"}'), 1);
  assert.equal((await service.stop('SIGTERM')).code, 0, service.errors);
});
