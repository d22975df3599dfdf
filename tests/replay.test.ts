/**
 * The real program replays a file and a day of a tape: streams get what history returns afterwards.
 * These are the commands of docs/recipes/test-a-bot.md.
 */

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { rank, type UtcDay } from '@tapeloom/core/numbers';
import { addDays, utcDay } from '@tapeloom/core/utc-day';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { sealDay } from '@tapeloom/server/tape/write/seal/seal';
import {
  killServices,
  NO_PORTAL,
  RunningService,
  type StreamMessage,
  type TestSubscriber,
} from './running-service.ts';
import { COMMAND } from './tapeloom-program.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-played-'));
after(() => {
  killServices();
  rmSync(directory, { recursive: true, force: true });
});

const FROM_MS = Date.UTC(2026, 2, 10, 14, 30);
const LENGTH_MS = 600_000;
const INDICATORS = ['bars', 'footprint', 'vwap', 'delta'];

/** A minute before the replay, in the same session, and ten minutes to play. */
function trades(): string {
  const rows = ['timestamp,symbol,price,size,side'];
  const add = (ms: number, index: number) => {
    const price = (20_000 + ((index * 7) % 23) - ((index * 3) % 11)) / 4;
    const side = index % 3 === 0 ? 'sell' : 'buy';
    rows.push(`${ms}000000,ESH6,${price},${1 + ((index * index) % 97)},${side}`);
  };
  for (let index = 0; index < 60; index += 1) add(FROM_MS - 600_000 + index * 1_000, index);
  for (let index = 0; index < 1_500; index += 1) add(FROM_MS + index * 400 + (index % 7), index);
  return `${rows.join('\n')}\n`;
}

function replay(...words: readonly string[]): RunningService {
  return new RunningService({
    data: directory,
    program: COMMAND,
    args: ['serve', ...words],
    env: { TAPELOOM_PORTAL: NO_PORTAL, TMPDIR: directory },
  });
}

const replays = () => readdirSync(directory).filter((name) => name.startsWith('tapeloom-replay-'));
const changes = (messages: readonly StreamMessage[]) =>
  messages.filter(({ t }) => t === 'upsert' || t === 'remove');

async function follow(service: RunningService, instrument: string): Promise<TestSubscriber> {
  const subscriber = await service.open();
  for (const indicator of INDICATORS) {
    await subscriber.send({ t: 'subscribe', sub: indicator, instrument, indicator });
  }
  return subscriber;
}

/** What history returns: settled results, or every message with `snapshot`. */
async function history(service: RunningService, indicator: string, snapshot: boolean) {
  const query = new URLSearchParams({
    instrument: 'ESH6',
    indicator,
    from: new Date(FROM_MS).toISOString(),
    to: new Date(FROM_MS + LENGTH_MS).toISOString(),
    limit: '5000',
    // The file starts in the middle of a session, as most files do.
    gaps: 'allow',
    ...(snapshot && { snapshot: 'true' }),
  });
  const answer = await service.get(`/v1/history?${query}`, service.authorized);
  const page = (await answer.json()) as { items: StreamMessage[]; next: string | null };
  assert.equal(answer.status, 200, JSON.stringify(page));
  assert.equal(page.next, null);
  return page.items;
}

test('a file is played as if it were live, and a stream gets what history says afterwards', async () => {
  const file = join(directory, 'es.csv');
  writeFileSync(file, trades());
  const from = new Date(FROM_MS).toISOString();
  const service = replay('--file', file, '--from', from, '--speed', '600', '--hold');
  await service.ready();
  assert.match(service.errors, /ESH6: 1,560 trades from .*\nTick 0\.25, known of ES\. Lot 1\.\n/);
  const chart = /\/sign-in\?next=%2Fdocs%2Findicators%2Ffootprint%3Flive#svc_link_\w{33}\n/;
  // The chart's address, with any host.
  await service.says(chart);
  const data = join(directory, replays()[0]!);
  assert.match(service.errors, new RegExp(`The data directory ${data} is removed afterwards`));
  const subscriber = await follow(service, 'ESH6');
  await service.says(/The replay has ended\. Its data is still served/);
  // All earlier messages have arrived.
  await subscriber.send({ t: 'ping', id: 'end' });
  await subscriber.first(({ t, id }) => t === 'pong' && id === 'end');
  const instruments = await service.get('/v1/instruments', service.authorized);
  const [listed] = ((await instruments.json()) as { instruments: StreamMessage[] }).instruments;
  assert.deepEqual([listed!.symbol, listed!.alias, listed!.dataset], ['ESH6', null, 'FILE']);

  for (const indicator of INDICATORS) {
    const ofTopic = subscriber.messages.filter(({ sub }) => sub === indicator);
    assert.equal(ofTopic.filter(({ t }) => t === 'snapshot').length, 1);
    assert.ok(ofTopic.every(({ t }) => t !== 'reset' && t !== 'error'));
    const got = changes(ofTopic).map(({ sub, ...message }) => message);
    const end = BigInt(FROM_MS + LENGTH_MS) * 1_000_000n;
    const settled = (await history(service, indicator, false)).filter(({ final }) => final);
    assert.deepEqual(
      got.filter(({ final, t }) => final || t === 'remove').slice(0, settled.length),
      settled,
      indicator,
    );
    const [snapshot, ...recorded] = await history(service, indicator, true);
    assert.deepEqual(got.slice(0, recorded.length), recorded, indicator);
    assert.ok(recorded.length > 0 && snapshot!.t === 'snapshot');
    for (const { ts } of got.slice(recorded.length)) assert.ok(BigInt(String(ts)) <= end);
  }
  const { code } = await service.stop('SIGTERM');
  assert.equal(code, 0);
  assert.ok(!existsSync(data));
});

/** One lot per second for an hour from 20:00 UTC, up to the close. */
async function sealHour(data: string, day: UtcDay): Promise<void> {
  const count = 3_600;
  const batch = {
    day,
    firstRank: rank(1),
    count,
    ts: Float64Array.from({ length: count }, (_, row) => (72_000 + row) * 1e9),
    price: Int32Array.from({ length: count }, (_, row) => 20_000 + (row % 9)),
    size: new Int32Array(count).fill(1),
    side: Int8Array.from({ length: count }, (_, row) => (row % 2 === 0 ? 1 : -1)),
  };
  await sealDay(new NodeDisk(), `${data}/tape`, { dataset: 'SIM', symbol: 'ESH6', batch });
}

test('a day of the tape is played up to its close, and the process ends when streams have all of it', async () => {
  const data = join(directory, 'data');
  const day = utcDay(20260310);
  for (const one of [addDays(day, -1), day]) await sealHour(data, one);
  const files = readdirSync(data, { recursive: true }).sort();
  const service = replay(
    ...['--replay', 'ES.c.0', '--day', '2026-03-10', '--data', data, '--speed', '3000'],
    ...['--from', '2026-03-10T20:30:00Z', '--hold', '--exit-at-end'],
  );
  await service.ready();
  const yesterday = new URLSearchParams({
    instrument: 'ESH6',
    indicator: 'bars',
    from: '2026-03-09T22:00:00Z',
    to: '2026-03-10T20:10:00Z',
  });
  const past = await service.get(`/v1/history?${yesterday}`, service.authorized);
  assert.equal(((await past.json()) as { items: object[] }).items.length, 10);
  const subscriber = await follow(service, 'ESH6');
  assert.equal(await service.ended, 0, service.errors);
  await subscriber.closed;
  const bars = changes(subscriber.messages).filter(({ sub, final }) => sub === 'bars' && final);
  assert.deepEqual(
    bars.map(({ data }) => (data as { volume: number }).volume),
    new Array(30).fill(60),
  );
  assert.match(service.output, /the replay is complete: stopping\nstopped, the tape is closed\n$/);
  assert.deepEqual(replays(), []);
  assert.deepEqual(readdirSync(data, { recursive: true }).sort(), files);
});
