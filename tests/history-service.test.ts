/** History and exports of the real service, with its threads, its disk and a kill in the middle. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { zstdDecompressSync } from 'node:zlib';
import { killServices, RunningService } from './running-service.ts';
import { tapeloomJson } from './tapeloom-command.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-history-'));
const data = join(directory, 'data');
after(() => {
  killServices();
  rmSync(directory, { recursive: true, force: true });
});

interface Page {
  readonly items: readonly object[];
  readonly next: string | null;
  readonly to: string;
  readonly computeUnits: number;
}

const DAY_MS = 86_400_000;
const midnight = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS);
const RANGE = {
  instrument: 'BTC.c.0',
  indicator: 'bars',
  params: JSON.stringify({ bar: 'time', size: 45 }),
  from: new Date(midnight.getTime() - DAY_MS / 2).toISOString(),
  // Older than the plan's delay, at any time of day.
  to: new Date(midnight.getTime() - DAY_MS / 24).toISOString(),
};

const address = (path: string, fields: Readonly<Record<string, string>>) =>
  `${path}?${new URLSearchParams(fields)}`;

async function walk(service: RunningService, key: string): Promise<readonly object[]> {
  const items: object[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const fields = { ...RANGE, limit: '700', ...(cursor === '' ? {} : { cursor }) };
    const answer = await service.send('GET', address('/v1/history', fields), { key });
    if (answer.status !== 200) assert.fail(await answer.text());
    const page = (await answer.json()) as Page;
    items.push(...page.items);
    cursor = page.next;
  }
  return items;
}

async function exported(
  service: RunningService,
  key: string,
  fields: Readonly<Record<string, string>>,
): Promise<{ readonly bytes: Buffer; readonly token: string }> {
  const answer = await service.send('GET', address('/v1/export', fields), { key });
  if (answer.status !== 200) assert.fail(await answer.text());
  const bytes = Buffer.from(await answer.arrayBuffer());
  return { bytes, token: answer.headers.get('x-export-token')! };
}

async function download(
  ...of: Parameters<typeof exported>
): Promise<{ readonly lines: readonly string[]; readonly token: string }> {
  const { bytes, token } = await exported(...of);
  return { lines: zstdDecompressSync(bytes).toString().match(/.*\n/g) ?? [], token };
}

test('history and exports need no custom configuration, and an export is resumed after a kill [COUNT-12] [COUNT-13] [EXP-06]', async () => {
  const first = new RunningService({ data });
  await first.ready();
  await tapeloomJson(data, 'account', 'create', 'reader', '--plan', 'history');
  const words = ['key', 'create', '--account', 'reader', '--name', 'test'];
  const scopes = ['--environment', 'live', '--scopes', 'stream,history,export'];
  const { key } = await tapeloomJson<{ key: string }>(data, ...words, ...scopes);

  // The plan allows one configuration, which is in use.
  const subscriber = first.connect(key);
  const custom = (sub: string, size: number) => ({
    t: 'subscribe',
    sub,
    instrument: 'BTC.c.0',
    indicator: 'bars',
    params: { bar: 'time', size },
  });
  await subscriber.send(custom('one', 90));
  await subscriber.first(({ t, sub }) => t === 'subscribed' && sub === 'one');
  await subscriber.send(custom('two', 45));
  const refused = await subscriber.first(({ t, sub }) => t === 'error' && sub === 'two');
  assert.equal(refused.code, 'QUOTA_EXCEEDED');

  const items = await walk(first, key);
  assert.ok(items.length > 0);
  const { lines, token } = await download(first, key, RANGE);
  const parsed = lines.map((line) => JSON.parse(line) as object);
  assert.deepEqual(parsed.slice(1, -1), items);
  assert.deepEqual(parsed.at(-1), { t: 'end', items: items.length });

  const tables = await Promise.all(
    ['parquet', 'arrow'].map((format) => exported(first, key, { ...RANGE, format })),
  );

  await first.stop('SIGKILL');
  const second = new RunningService({ data });
  await second.ready();
  const line = Math.floor(lines.length / 2);
  const rest = await download(second, key, { resume: token, line: String(line) });
  assert.deepEqual(rest.lines, lines.slice(line));
  assert.deepEqual((await download(second, key, { resume: token })).lines, lines);
  for (const table of tables) {
    const held = Math.floor(table.bytes.length / 2);
    const end = await exported(second, key, { resume: table.token, byte: String(held) });
    assert.ok(end.bytes.equals(table.bytes.subarray(held)));
  }
  assert.equal(await downloadAsDocumented(second, key), lines.join(''));
  assert.equal((await second.stop('SIGTERM')).code, 0, second.errors);
});

/** Downloads with the program of the documentation. */
async function downloadAsDocumented(service: RunningService, key: string): Promise<string> {
  const page = readFileSync(new URL('../docs/history.md', import.meta.url), 'utf8');
  const program = /^```js file=download\.mjs .*?\n(.*?)^```$/ms.exec(page)?.[1];
  assert.ok(program !== undefined, 'the documentation shows no program');
  const path = join(directory, 'download.mjs');
  const result = join(directory, 'export.ndjson');
  writeFileSync(path, program);
  const env = {
    ...process.env,
    SERVICE_URL: new URL(service.address('REST')).origin,
    TAPELOOM_KEY: key,
  };
  const words = [path, String(new URLSearchParams(RANGE)), result];
  await promisify(execFile)(process.execPath, words, { env });
  return readFileSync(result, 'utf8');
}
