/**
 * A day that is received by push. The service is killed once and the writer fetches what it missed; then the writer
 * loses an hour and says so. Stream, resumed stream, history and export have the same objects. A file repairs the day.
 */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { zstdDecompressSync } from 'node:zlib';
import { importCommand } from '@tapeloom/cli/commands/import';
import { tapeLsCommand } from '@tapeloom/cli/commands/tape-ls';
import { addDays, dayOf, epochNs } from '@tapeloom/core/utc-day';
import type { PushPosition, PushReceipt } from '@tapeloom/protocol/push';
import { applyInstruments } from '@tapeloom/server/markets/instruments/applied-instruments';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { createClock } from '@tapeloom/server/platform/system-clock';
import { RecordedIo } from '../packages/cli/testing/recorded-io.ts';
import { databentoText, type PlainTrade } from '../packages/server/testing/feeds/csv-texts.ts';
import { ago, dateText, ownInstruments, timeText, tradesOver } from './imported-rig.ts';
import {
  killServices,
  RunningService,
  type StreamMessage,
  type TestSubscriber,
  WAIT_LIMIT_MS,
} from './running-service.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-pushed-'));
const data = join(directory, 'data');
const alone = join(directory, 'alone');
const secret = join(directory, 'secret');
const SECRET = '0123456789abcdef'.repeat(4);
const disk = new NodeDisk();
const DAY = ago(1);
const HOUR_NS = 3_600_000_000_000;
/** One trade each half minute; the next day begins with some, so that this one ends. */
const TRADES = tradesOver([DAY, addDays(DAY, 1)], 2_880, (index) => String(1_000 + (index % 50)));
const END = TRADES.findIndex(({ ts }) => dayOf(ts as never) > DAY);
const at = (hours: number) => epochNs(DAY, hours * HOUR_NS);
const indexAt = (hours: number) => TRADES.findIndex(({ ts }) => ts >= at(hours));
const LOST = [14, 15] as const;
const BARS = { instrument: 'QQB', indicator: 'bars' } as const;
const RANGE = { from: timeText(DAY), to: timeText(addDays(DAY, 1)) };

after(() => {
  killServices();
  rmSync(directory, { recursive: true, force: true });
});

async function started(of: string): Promise<RunningService> {
  const service = new RunningService({ data: of, env: { TAPELOOM_PUSH_SECRET_FILE: secret } });
  await service.ready();
  return service;
}

const pushed = (service: RunningService, path: string, init: RequestInit = {}) =>
  fetch(new URL(path, service.address('metrics')), {
    ...init,
    headers: { ...init.headers, authorization: `Bearer ${SECRET}` },
  });

async function resumeFrom(service: RunningService): Promise<number> {
  const position = (await (
    await pushed(service, '/internal/trades/position')
  ).json()) as PushPosition;
  return position.contracts[0]?.lastId ?? 0;
}

/** The n-th trade of the venue has the number n. */
async function push(
  service: RunningService,
  from: number,
  to: number,
  missingBefore: string | null = null,
): Promise<PushReceipt> {
  const lines = TRADES.slice(from, to).map(({ ts, price, size, side }: PlainTrade, index) =>
    JSON.stringify({
      ...{ contract: 'QQB', id: from + index + 1, ts: String(ts), price, size },
      side: side === 1 ? 'buy' : 'sell',
    }),
  );
  const upTo = String(TRADES[to]!.ts);
  const query = new URLSearchParams({ upTo, ...(missingBefore !== null && { missingBefore }) });
  const answer = await pushed(service, `/internal/trades?${query}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-ndjson',
      'tapeloom-batch': `${from} ${to}`.replace(' ', '-'),
    },
    body: lines.join('\n'),
  });
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  return JSON.parse(text) as PushReceipt;
}

/** Pushes everything between two times in batches of an hour and a bit. */
async function pushAll(service: RunningService, from: number, to: number): Promise<void> {
  for (let index = from; index < to; index += 150) {
    const { counts } = await push(service, index, Math.min(to, index + 150));
    assert.equal(counts!.accepted, Math.min(150, to - index));
  }
}

interface Item {
  readonly id: string;
  readonly final: boolean;
  readonly data: unknown;
}

/** Final objects in the order in which a customer gets them. */
class Finals {
  readonly #byId = new Map<string, Item>();
  cursor = '';

  take(messages: readonly StreamMessage[]): void {
    for (const message of messages) {
      if (message.t === 'snapshot') for (const item of message.items as Item[]) this.#add(item);
      if (message.t === 'upsert') this.#add(message as unknown as Item);
      if (typeof message.cursor === 'string') this.cursor = message.cursor;
    }
  }

  get digest(): string {
    return digestOf([...this.#byId.values()]);
  }

  get count(): number {
    return this.#byId.size;
  }

  #add({ id, final, data: value }: Item): void {
    const isOfDay = id.startsWith(dateText(DAY).replaceAll('-', ''));
    if (final && isOfDay) this.#byId.set(id, { id, final, data: value });
  }
}

function digestOf(items: readonly Item[]): string {
  const hash = createHash('sha256');
  for (const { id, data: value } of items) hash.update(`${id} ${JSON.stringify(value)}\n`);
  return hash.digest('hex');
}

async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + WAIT_LIMIT_MS;
  while (!(await isSo())) {
    assert.ok(performance.now() < deadline, `${what} did not happen`);
    await pause(20);
  }
}

async function history(service: RunningService, fields: Readonly<Record<string, string>>) {
  const query = new URLSearchParams({
    ...BARS,
    ...RANGE,
    mode: 'confirmed',
    limit: '5000',
    ...fields,
  });
  const answer = await service.get(`/v1/history?${query}`, service.authorized);
  const body = (await answer.json()) as { items?: Item[]; gaps?: unknown; code?: string };
  return { status: answer.status, items: body.items ?? [], gaps: body.gaps, code: body.code };
}

async function exported(service: RunningService): Promise<readonly Item[]> {
  const query = new URLSearchParams({ ...BARS, ...RANGE, mode: 'confirmed', gaps: 'allow' });
  const answer = await service.get(`/v1/export?${query}`, service.authorized);
  assert.equal(answer.status, 200);
  const text = zstdDecompressSync(Buffer.from(await answer.arrayBuffer())).toString();
  return text
    .trimEnd()
    .split('\n')
    .slice(1, -1)
    .map((line) => JSON.parse(line) as Item);
}

async function run(command: typeof importCommand, ...words: readonly string[]): Promise<string> {
  const io = new RecordedIo();
  assert.equal(await command.run(words, io), 0, io.err);
  return io.out;
}

test('a day with two cuts is the same for everybody, and after its repair the day of the file', async () => {
  const now = createClock({ kind: 'system' }).now();
  writeFileSync(secret, SECRET, { mode: 0o600 });
  await applyInstruments(disk, data, ownInstruments({ isPushed: true }), { now, beside: null });
  await applyInstruments(disk, alone, ownInstruments({}), { now, beside: null });

  let service = await started(data);
  const through = new Finals();
  const resumed = new Finals();
  const watching = async (from: object): Promise<TestSubscriber> => {
    const subscriber = await service.open();
    await subscriber.send({ t: 'subscribe', sub: 'q', ...BARS, params: { depth: 5000 }, ...from });
    return subscriber;
  };
  let watch = await watching({});
  await pushAll(service, 0, indexAt(9));
  await watch.first(({ t }) => t === 'snapshot');

  // The first cut: the service dies, and the writer fetches what it missed.
  await service.stop('SIGKILL');
  await watch.closed;
  for (const finals of [through, resumed]) finals.take(watch.messages);
  service = await started(data);
  const lastId = await resumeFrom(service);
  assert.equal(lastId, indexAt(9), 'what was acknowledged is on the tape');
  watch = await watching({ from: { cursor: through.cursor } });
  await watch.first(({ t }) => t === 'status');
  await pushAll(service, lastId, indexAt(LOST[0]));

  // The second cut: an hour is lost for good.
  const beforeLoss = await watching({});
  await beforeLoss.first(({ t }) => t === 'snapshot');
  await push(service, indexAt(LOST[1]), indexAt(LOST[1]) + 100, String(at(LOST[1])));
  await until('the gap', () =>
    watch.messages.some(({ partialSince }) => partialSince !== undefined),
  );
  resumed.take(beforeLoss.messages);
  await beforeLoss.close();
  const again = await watching({ from: { cursor: resumed.cursor } });
  await pushAll(service, indexAt(LOST[1]) + 100, END + 40);
  const isOver = ({ cursor }: StreamMessage) =>
    typeof cursor === 'string' && cursor >= dateText(addDays(DAY, 1)).replaceAll('-', '');
  await Promise.all([watch.first(isOver), again.first(isOver)]);
  through.take(watch.messages);
  resumed.take(again.messages);
  await Promise.all([watch.close(), again.close()]);

  await until('the seal', async () => (await history(service, {})).status === 402);
  const gap = { from: String(at(LOST[0])), to: String(at(LOST[1])), why: 'partial' };
  const allowed = await history(service, { gaps: 'allow' });
  assert.deepEqual(allowed.gaps, [gap]);
  assert.equal(allowed.items.length, 23 * 60);
  const digest = digestOf(allowed.items);
  assert.equal(digestOf(await exported(service)), digest, 'export');
  assert.deepEqual([through.count, resumed.count], [23 * 60, 23 * 60]);
  assert.equal(through.digest, digest, 'stream');
  assert.equal(resumed.digest, digest, 'resumed stream');
  assert.match(await run(tapeLsCommand, 'QQB', '--data', data), /partial/);

  const path = join(directory, 'trades.csv');
  writeFileSync(path, databentoText(TRADES.slice(0, END), { isPretty: true }));
  const covers = `${dateText(DAY)}..${dateText(addDays(DAY, 1))}`;
  for (const to of [data, alone]) await run(importCommand, path, '--covers', covers, '--data', to);
  await until('the repair', async () => (await history(service, {})).status === 200);
  const other = await started(alone);
  const [repaired, imported] = [await history(service, {}), await history(other, {})];
  assert.equal(repaired.items.length, 24 * 60);
  assert.deepEqual(repaired.items, imported.items);
  for (const one of [service, other]) assert.equal((await one.stop('SIGTERM')).code, 0, one.errors);
});
