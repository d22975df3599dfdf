/** Runs the examples as a customer does, against one service whose fast clock lets bars finish. */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it, test } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import type { Browser, Page } from 'playwright-core';
import { CuttingProxy } from './cutting-proxy.ts';
import { chromiumMissing, launchChromium } from './headless-chromium.ts';
import { killServices, NO_PAST, RunningService, WAIT_LIMIT_MS, within } from './running-service.ts';

const examples = join(import.meta.dirname, '../examples');
const directory = mkdtempSync(join(tmpdir(), 'tapeloom-examples-'));
const DAY_MS = 86_400_000;
const PAGE_PASSWORD = 'only for this test';
/** In the page: the status of its request for a token. */
const TOKEN_STATUS = `fetch('/stream-token', { method: 'POST' }).then(({ status }) => status)`;
const midnightMs = Math.floor(Date.now() / DAY_MS) * DAY_MS;
/** Yesterday, which a service has from its first moment on. */
const from = new Date(midnightMs - DAY_MS / 2).toISOString();
const to = new Date(midnightMs - DAY_MS / 24).toISOString();

let service: RunningService;
let proxy: CuttingProxy;
/** The contract of the alias now; with a fast clock the alias may roll to another one. */
let contract: string;

before(async () => {
  service = new RunningService({
    data: join(directory, 'data'),
    args: ['--speed', '600'],
    env: NO_PAST,
  });
  await service.ready();
  proxy = await CuttingProxy.before(service.address('REST'));
  const { instruments } = await json<{ instruments: { symbol: string; alias: string }[] }>(
    '/v1/instruments',
  );
  contract = instruments.find(({ alias }) => alias === 'BTC.c.0')!.symbol;
});
after(async () => {
  for (const child of programs) child.kill('SIGKILL');
  await proxy?.[Symbol.asyncDispose]();
  killServices();
  rmSync(directory, { recursive: true, force: true });
});

test('the script prints every bar once, over a cut', async () => {
  const ids: string[] = [];
  const script = new Program('node-script/footprints.ts', contract, '6');
  for await (const line of script.lines()) {
    if (line.startsWith('#')) continue;
    ids.push(line.split(' ')[0]!);
    if (ids.length === 2) proxy.cut();
  }
  await script.endedWell();
  const all = await settledIds('footprint', {});
  assert.deepEqual(ids, all.slice(all.indexOf(ids[0]!), all.indexOf(ids.at(-1)!) + 1));
});

test('the bot follows every large trade once, over a cut and a kill', async () => {
  const path = join(directory, 'orders.ndjson');
  const words = ['large-trades-bot/bot.ts', contract, path, '3'] as const;
  const orders = () =>
    (readFileSync(path, 'utf8').match(/.+/g) ?? []).map((line) => JSON.parse(line) as Order);

  const killed = new Program(...words);
  let followed = 0;
  for await (const line of killed.lines()) {
    if (line.startsWith('#')) continue;
    followed += 1;
    if (followed === 3) proxy.cut();
    if (followed === 6) killed.child.kill('SIGKILL');
  }
  const before = orders().length;
  assert.ok(before >= 6);
  const second = new Program(...words);
  let isAsked = false;
  for await (const line of second.lines()) {
    if (isAsked || line.startsWith('#') || orders().length < before + 3) continue;
    isAsked = true;
    second.child.kill('SIGINT');
  }
  await second.endedWell();

  const reasons = orders().map(({ reason }) => reason);
  const all = await settledIds('large-trades', { minSize: 3 });
  assert.deepEqual(reasons, all.slice(all.indexOf(reasons[0]!), all.indexOf(reasons.at(-1)!) + 1));
});

test('the month is joined to the present, from the first day on that there is', async () => {
  const script = new Program('month-joined/volume-by-hour.ts', contract, '30', '2');
  const lines = await Array.fromAsync(script.lines());
  await script.endedWell();
  const since = /^\w+ since (\d{4}-\d\d-\d\d): [1-9]\d* of \d+ units$/.exec(lines[0]!)?.[1];
  assert.ok(since !== undefined, lines[0]!);
  const usual = lines.slice(0, lines.indexOf('Now:'));
  assert.equal(usual.filter((line) => /^\d\d:00 +\d+\.\d/.test(line)).length, 24);
  // History now must equal the example's past and live bars together.
  const past = Number(/ of (\d+) bars:$/m.exec(lines.join('\n'))?.[1]);
  const bars = await settled('bars', { size: 300, session: 'utc' }, since);
  const opens = bars.map(({ ts }) => new Date(Number(BigInt(ts) / 1_000_000n)).toISOString());
  assert.deepEqual(
    lines.slice(-2).map((line) => line.slice(0, 5)),
    opens.slice(past, past + 2).map((open) => open.slice(11, 16)),
  );
});

describe('in a browser', { skip: chromiumMissing }, () => {
  let browser: Browser;
  before(async () => {
    browser = await launchChromium();
  });
  after(() => browser.close());

  /** Opens the page of an example; collects its errors. */
  async function open(
    name: string,
    fields: Readonly<Record<string, string>>,
  ): Promise<{ readonly page: Page; readonly faults: readonly string[] }> {
    const backend = new Program(name);
    const [address] = await once(createInterface(backend.child.stdout!), 'line');
    const page = await browser.newPage({ viewport: { width: 1280, height: 760 } });
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(String(error)));
    // Some browsers decompress zstd natively; this test covers the others.
    await page.addInitScript('delete globalThis.DecompressionStream');
    await page.goto(`${address}?${new URLSearchParams(fields)}`);
    return { page, faults };
  }

  /** Checks a condition on every animation frame; the page's policy forbids `eval` inside it. */
  const until = (page: Page, condition: string) => {
    const shown = page.evaluate(`new Promise((resolve) => {
      const text = (id) => document.getElementById(id).textContent;
      const look = () => (${condition} ? resolve() : requestAnimationFrame(look));
      look();
    })`);
    return within(WAIT_LIMIT_MS, condition, shown);
  };

  it('the page shows a live footprint to who has signed in, comes back after a cut, and never has the key [AUTH-12, TOK-13]', async () => {
    const { page, faults } = await open('browser-page/backend.ts', { instrument: contract });
    assert.equal(await page.evaluate(TOKEN_STATUS), 401, 'nobody has signed in');
    for (const password of ['a guess', PAGE_PASSWORD]) {
      assert.equal(await page.locator('#chart').count(), 0);
      await page.fill('#password', password);
      await page.click('button');
    }
    await until(page, `text('state') === 'live' && Number(text('count')) > 0`);
    const nextToken = page.waitForRequest('**/stream-token');
    proxy.cut();
    await nextToken;
    const label = await page.getAttribute('#chart', 'aria-label');
    await until(page, `text('state') === 'live' && chart.ariaLabel !== ${JSON.stringify(label)}`);
    const drawn = await page.evaluate<number>(`(() => {
      const { width, height } = document.getElementById('chart');
      const image = document.getElementById('chart').getContext('2d').getImageData(0, 0, width, height);
      return image.data.filter((value, at) => at % 4 === 3 && value > 0).length;
    })()`);
    assert.ok(drawn > 10_000, `${drawn} pixels`);

    for (const path of ['/', '/page.js', '/page.css']) {
      const answer = await fetch(new URL(path, page.url()));
      assert.equal((await answer.text()).includes(service.keys.live), false, path);
    }
    assert.equal((await page.content()).includes(service.keys.live), false);
    const stranger = await fetch(new URL('/stream-token', page.url()), { method: 'POST' });
    assert.equal(stranger.status, 403);
    assert.deepEqual(faults, []);
    await page.close();
  });

  it('an export is read there, with a decoder that is handed in', async () => {
    const { page, faults } = await open('zstd-in-the-browser/backend.ts', {
      instrument: contract,
      from,
      to,
    });
    await until(page, `text('told') !== 'Loading …'`);
    const bars = await history({
      instrument: contract,
      indicator: 'bars',
      mode: 'confirmed',
      from,
      to,
    });
    assert.equal(await page.textContent('#told'), `${bars.length} bars`);
    assert.deepEqual(faults, []);
    await page.close();
  });
});

test('DuckDB makes of the exports what the service computes itself', async () => {
  const range = { instrument: contract, mode: 'confirmed', from, to };
  await download('bars.parquet', { ...range, indicator: 'bars', format: 'parquet' });
  await download('footprint.ndjson.zst', { ...range, indicator: 'footprint' });
  const duckdb = await DuckDBInstance.create();
  const connection = await duckdb.connect();
  await connection.run(`SET file_search_path = '${directory}'`);
  const result = async (name: string) => {
    const sql = readFileSync(join(examples, 'duckdb', name), 'utf8');
    return (await connection.runAndReadAll(sql)).getRowObjectsJson();
  };

  const hours = await history<HourBar>({
    ...range,
    indicator: 'bars',
    params: JSON.stringify({ size: 3_600 }),
  });
  const [first, ...others] = await result('bars.sql');
  assert.equal(others.length, 10);
  assert.deepEqual(
    [first, ...others].map((row) => [row!.open, row!.high, row!.low, row!.close, row!.volume]),
    hours.map(({ open, high, low, close, volume }) => [
      ...[open, high, low, close].map((ticks) => ticks * 5),
      String(volume),
    ]),
  );

  const bars = await history<{ levels: number[][] }>({ ...range, indicator: 'footprint' });
  const volumes = new Map<number, number>();
  for (const [price, ...lots] of bars.flatMap(({ levels }) => levels)) {
    const sum = lots.reduce((all, part) => all + part, 0);
    volumes.set(price! * 5, (volumes.get(price! * 5) ?? 0) + sum);
  }
  const busiest = [...volumes].sort(([p, a], [q, b]) => b - a || p - q).slice(0, 10);
  assert.deepEqual(
    (await result('footprint.sql')).map(({ price, volume }) => [price, Number(volume)]),
    busiest,
  );
  connection.closeSync();
  duckdb.closeSync();
});

interface Order {
  readonly reason: string;
}

const programs = new Set<ChildProcess>();

/** An example as its own process, over a connection that can be cut. */
class Program {
  readonly child: ChildProcess;
  #errors = '';

  constructor(name: string, ...words: readonly string[]) {
    this.child = spawn(process.execPath, [join(examples, name), ...words], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        SERVICE_URL: proxy.url,
        TAPELOOM_KEY: service.keys.live,
        PORT: '0',
        PAGE_PASSWORD,
      },
    });
    programs.add(this.child);
    this.child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text;
    });
  }

  lines(): AsyncIterable<string> {
    return createInterface(this.child.stdout!);
  }

  async endedWell(): Promise<void> {
    if (this.child.exitCode === null) await once(this.child, 'close');
    assert.equal(this.child.exitCode, 0, this.#errors);
  }
}

async function settledIds(indicator: string, params: object): Promise<readonly string[]> {
  return (await settled(indicator, params, from)).map(({ id }) => id);
}

interface Item {
  readonly id: string;
  readonly ts: string;
}

/** All objects up to now, a position no earlier than any subscriber's. */
async function settled(indicator: string, params: object, since: string): Promise<readonly Item[]> {
  const subscriber = await service.open();
  const request = { instrument: contract, indicator, params, mode: 'confirmed' };
  await subscriber.send({ t: 'subscribe', sub: 'now', ...request });
  const { cursor: now } = await subscriber.first(({ t }) => t === 'snapshot');
  await subscriber.close();
  // For a cursor that it has not reached yet, history waits; for a time it does not.
  const untilCursor = String(now);
  const fields = { instrument: contract, indicator, params: JSON.stringify(params) };
  const items: Item[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: { items: Item[]; next: string | null } = await json('/v1/history', {
      ...fields,
      from: since,
      untilCursor,
      limit: '10000',
      mode: 'confirmed',
      ...(cursor === '' ? {} : { cursor }),
    });
    items.push(...page.items);
    cursor = page.next;
  }
  return items;
}

interface HourBar {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

async function json<T>(path: string, fields: Readonly<Record<string, string>> = {}): Promise<T> {
  return (await (await answered(path, fields)).json()) as T;
}

/** The data of all items of a range that fits on one page. */
async function history<Data>(fields: Readonly<Record<string, string>>): Promise<readonly Data[]> {
  const { items } = await json<{ items: { data: Data }[] }>('/v1/history', fields);
  return items.map(({ data }) => data);
}

async function download(name: string, fields: Readonly<Record<string, string>>): Promise<void> {
  const answer = await answered('/v1/export', fields);
  writeFileSync(join(directory, name), await answer.bytes());
}

async function answered(path: string, fields: Readonly<Record<string, string>>): Promise<Response> {
  const answer = await service.get(`${path}?${new URLSearchParams(fields)}`, service.authorized);
  if (answer.status !== 200) assert.fail(await answer.text());
  return answer;
}
