/** Days of a dataset of pushed trades are repaired from files while the service runs. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { importCommand } from '@tapeloom/cli/commands/import';
import type { UtcDay } from '@tapeloom/core/numbers';
import { HOUR_NS } from '@tapeloom/core/units';
import { addDays, dayOf, epochNs } from '@tapeloom/core/utc-day';
import { applyInstruments } from '@tapeloom/server/markets/instruments/applied-instruments';
import { claimTape } from '@tapeloom/server/markets/source-claim';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { createClock } from '@tapeloom/server/platform/system-clock';
import { verifyTape } from '@tapeloom/server/tape/inspect/verify-tape';
import { TapeManifest } from '@tapeloom/server/tape/tape-manifest';
import { sealDay } from '@tapeloom/server/tape/write/seal/seal';
import { RecordedIo } from '../packages/cli/testing/recorded-io.ts';
import { databentoText, type PlainTrade } from '../packages/server/testing/feeds/csv-texts.ts';
import { batchOf, type TradeRow } from '../packages/server/testing/imported-dataset.ts';
import { ago, dateText, ownInstruments, timeText, tradesOver } from './imported-rig.ts';
import { killServices, RunningService, type StreamMessage } from './running-service.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-repairs-'));
const [data, alone] = [join(directory, 'data'), join(directory, 'alone')];
const SECRET = '0123456789abcdef'.repeat(4);
const disk = new NodeDisk();
const now = createClock({ kind: 'system' }).now();
const [FIRST, LAST] = [ago(4), ago(1)] as const;
/** The trades that were made, and what the live tape has of them: not the first day, nor some hours of the last. */
const TRADES = tradesOver([FIRST, LAST], 1_440, (index) => String(1_000 + (index % 50)));
const GAP = [10 * HOUR_NS, 14 * HOUR_NS] as const;

async function sealLive(day: UtcDay, trades: readonly PlainTrade[]): Promise<void> {
  const rows = trades.map(({ ts, price, side }): TradeRow => {
    return [Number(ts - epochNs(day, 0)), Number(price) * 2, 2, side as 1 | -1];
  });
  const batch = batchOf(day, rows);
  const gaps = day === LAST ? [GAP] : [];
  await sealDay(disk, `${data}/tape`, { dataset: 'OURS', symbol: 'QQB', batch, gaps });
}

async function run(to: string, days: readonly [UtcDay, UtcDay], ...words: readonly string[]) {
  const [from, end] = [epochNs(days[0], 0), epochNs(addDays(days[1], 1), 0)];
  const trades = TRADES.filter(({ ts }) => ts >= from && ts < end);
  const path = join(directory, 'trades.csv');
  writeFileSync(path, databentoText(trades, { isPretty: true }));
  const io = new RecordedIo();
  const covers = `${dateText(days[0])}..${dateText(addDays(days[1], 1))}`;
  const code = await importCommand.run([path, '--covers', covers, '--data', to, ...words], io);
  return { code, out: io.out, err: io.err };
}

let service: RunningService;
before(async () => {
  await applyInstruments(disk, data, ownInstruments({ isPushed: true }), { now, beside: null });
  await applyInstruments(disk, alone, ownInstruments({}), { now, beside: null });
  await claimTape(disk, `${data}/tape`, 'OURS', { source: 'push' }, '');
  for (let day = addDays(FIRST, 1); day <= LAST; day = addDays(day, 1)) {
    const its = TRADES.filter(({ ts }) => dayOf(ts as typeof now) === day);
    const isMissing = (ns: bigint) => day === LAST && ns >= GAP[0] && ns < GAP[1];
    await sealLive(
      day,
      its.filter(({ ts }) => !isMissing(ts - epochNs(day, 0))),
    );
  }
  await (await TapeManifest.open(disk, `${data}/tape`, 'OURS')).save();
  const secret = join(directory, 'secret');
  writeFileSync(secret, SECRET, { mode: 0o600 });
  service = new RunningService({ data, env: { TAPELOOM_PUSH_SECRET_FILE: secret } });
  await service.ready();
});
after(() => {
  killServices();
  rmSync(directory, { recursive: true, force: true });
});

async function push(): Promise<void> {
  const ts = String(createClock({ kind: 'system' }).now());
  const trade = { contract: 'QQB', id: 1, ts, price: '1000.5', size: '1', side: 'buy' };
  const answer = await fetch(new URL('/internal/trades', service.address('metrics')), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${SECRET}`,
      'content-type': 'application/x-ndjson',
      'tapeloom-batch': 'one',
    },
    body: `${JSON.stringify(trade)}\n`,
  });
  assert.equal(answer.status, 200, await answer.text());
}

interface Answer {
  readonly status: number;
  readonly next?: string;
  readonly items: readonly unknown[];
}

async function history(from: RunningService, fields: Readonly<Record<string, string>> = {}) {
  const query = new URLSearchParams({
    instrument: 'QQB',
    indicator: 'bars',
    params: JSON.stringify({ bar: 'time', size: 3_600 }),
    from: timeText(FIRST),
    to: timeText(addDays(LAST, 1)),
    ...fields,
  });
  const answer = await from.get(`/v1/history?${query}`, from.authorized);
  return { ...((await answer.json()) as Answer), status: answer.status };
}

const isOf =
  (sub: string, kind: string) =>
  ({ t, sub: of }: StreamMessage) =>
    t === kind && of === sub;

test('files repair days of a live dataset: streams are reset, and history is that of the files alone', async () => {
  await push();
  const subscriber = await service.open();
  const levels = { instrument: 'QQB', indicator: 'session-levels' };
  await subscriber.send({ t: 'subscribe', sub: 'levels', ...levels });
  await subscriber.first(isOf('levels', 'snapshot'));
  await subscriber.send({ t: 'subscribe', sub: 'bars', instrument: 'QQB', indicator: 'bars' });
  await subscriber.first(isOf('bars', 'snapshot'));
  assert.equal((await history(service)).status, 402);
  const gaps = { gaps: 'allow', limit: '20' };
  const page = await history(service, gaps);
  assert.equal(page.status, 200);

  const refused = await run(data, [LAST, ago(0)]);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /the live tape may still get trades of this day/);
  const { code, out, err } = await run(data, [FIRST, LAST]);
  assert.equal(code, 0, err);
  assert.match(out, /1 added, 1 repaired, 2 same +complete/);
  const reset = await subscriber.first(({ t }) => t === 'reset');
  assert.deepEqual([reset.sub, reset.reason], ['levels', 'source_gap']);
  await subscriber.close();
  assert.deepEqual(
    subscriber.messages.filter(({ t }) => t === 'reset').map(({ sub }) => sub),
    ['levels'],
  );

  const repaired = await history(service);
  assert.equal(repaired.status, 200);
  assert.equal(repaired.items.length, 96);
  const further = await history(service, { ...gaps, cursor: page.next! });
  assert.equal(further.status, 410, 'no walk mixes what was before and after');

  assert.equal((await run(alone, [FIRST, LAST])).code, 0);
  const other = new RunningService({ data: alone });
  await other.ready();
  assert.deepEqual(repaired.items, (await history(other)).items);
  await other.stop('SIGTERM');
});

test('a restart serves the repaired days, and the tape is sound', async () => {
  const before = await history(service);
  assert.equal((await service.stop('SIGTERM')).code, 0, service.errors);
  assert.equal(service.faults, '');
  for await (const event of verifyTape(disk, `${data}/tape`)) {
    assert.notEqual(event.type, 'finding', JSON.stringify(event));
  }
  service = new RunningService({ data });
  await service.ready();
  assert.deepEqual(await history(service), before);
  await service.stop('SIGTERM');
});
