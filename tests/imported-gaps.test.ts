/** History of imported days; some days are missing, and one day lacks some hours. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { UtcDay } from '@tapeloom/core/numbers';
import { MS_NS_BIG } from '@tapeloom/core/units';
import { addDays, dayOf, epochNs } from '@tapeloom/core/utc-day';
import { applyInstruments } from '@tapeloom/server/markets/instruments/applied-instruments';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { createClock } from '@tapeloom/server/platform/system-clock';
import {
  type DayToImport,
  importDays,
  type TradeRow,
} from '../packages/server/testing/imported-dataset.ts';
import { killServices, RunningService } from './running-service.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-gaps-'));
const data = join(directory, 'data');
const disk = new NodeDisk();
const now = createClock({ kind: 'system' }).now();
const MINUTE_NS = 60_000_000_000;
const TRADES_A_DAY = 24 * 60;
/** The missing hours of the partial day. */
const HOLE = [10, 12] as const;

const ago = (days: number) => addDays(dayOf(now), -days);
const dateText = (day: UtcDay) =>
  new Date(Number(epochNs(day, 0) / MS_NS_BIG)).toISOString().slice(0, 10);
const hour = (days: number, hours: number) => String(epochNs(ago(days), hours * 60 * MINUTE_NS));
const [MISSING, PARTIAL] = [5, 4];

/** QQA has expired; QQB has no data. */
const INSTRUMENTS = `datasets:
  OURS:
    products:
      QQ:
        name: An index of our own
        exchange: OURS
        currency: EUR
        tick: "0.5"
        lot: "1"
        pointValue: "10"
        calendar: round-the-clock
        contracts:
          - { symbol: QQA, expiry: ${dateText(ago(1))}T12:00:00Z }
          - { symbol: QQB, expiry: ${dateText(ago(-40))}T12:00:00Z }
`;

/** A trade per minute, except in some hours. */
function dayOfTrades(days: number, hole: readonly [number, number] | null = null): DayToImport {
  const rows = Array.from({ length: TRADES_A_DAY }, (_, minute): TradeRow => {
    return [minute * MINUTE_NS, 1_000 + (minute % 7), 1 + (minute % 3), minute % 2 === 0 ? 1 : -1];
  });
  const [from, to] = (hole ?? [0, 0]).map((hours) => hours * 60 * MINUTE_NS);
  const left = rows.filter(([ns]) => ns < from! || ns >= to!);
  const gaps = hole === null ? {} : { gaps: [[from!, to!] as const] };
  return { symbol: 'QQA', day: ago(days), rows: left, ...gaps };
}

let service: RunningService;
before(async () => {
  await applyInstruments(disk, data, INSTRUMENTS, { now, beside: null });
  await importDays(disk, `${data}/tape`, 'OURS', [
    ...[8, 7, 6, 3, 2].map((days) => dayOfTrades(days)),
    dayOfTrades(PARTIAL, HOLE),
  ]);
  service = new RunningService({ data });
  await service.ready();
});
after(() => {
  killServices();
  rmSync(directory, { recursive: true, force: true });
});

interface Answer {
  readonly status: number;
  readonly code?: string;
  readonly missingDays?: readonly string[];
  readonly gaps?: readonly unknown[];
  readonly computeUnits: number;
  readonly items: readonly { readonly cursor: string }[];
}

const WEEK = {
  instrument: 'QQA',
  dataset: 'OURS',
  indicator: 'bars',
  from: dateText(ago(8)),
  to: dateText(ago(2)),
};

async function ask(path: string, fields: Readonly<Record<string, string>>): Promise<Answer> {
  const answer = await service.get(`${path}?${new URLSearchParams(fields)}`, service.authorized);
  return { ...((await answer.json()) as Answer), status: answer.status };
}

test('an imported contract that has expired is read with its dataset or without', async () => {
  const fields = { ...WEEK, to: dateText(ago(6)), limit: '10000' };
  const page = await ask('/v1/history', fields);
  assert.deepEqual([page.status, page.computeUnits], [200, 2 * TRADES_A_DAY]);
  const { dataset: _, ...without } = fields;
  assert.deepEqual(await ask('/v1/history', without), page);
});

test('missing and partial days are refused by name; where gaps are allowed they are listed [HIST-17] [HIST-18] [HIST-19]', async () => {
  const missingDays = [MISSING, PARTIAL].map((days) => dateText(ago(days)));
  for (const path of ['/v1/history', '/v1/history/estimate', '/v1/export']) {
    const refused = await ask(path, WEEK);
    assert.deepEqual([refused.status, refused.code], [402, 'NOT_COVERED'], path);
    assert.deepEqual(refused.missingDays, missingDays);
  }
  const allowed = { ...WEEK, gaps: 'allow', limit: '10000' };
  const gaps = [
    { from: hour(MISSING, 0), to: hour(PARTIAL, 0), why: 'missing' },
    { from: hour(PARTIAL, HOLE[0]), to: hour(PARTIAL, HOLE[1]), why: 'partial' },
  ];
  const estimate = await ask('/v1/history/estimate', allowed);
  assert.deepEqual([estimate.gaps, estimate.missingDays], [gaps, missingDays]);
  const page = await ask('/v1/history', allowed);
  assert.deepEqual([page.status, page.gaps], [200, gaps]);
  assert.equal(page.computeUnits, estimate.computeUnits);
  assert.equal(page.computeUnits, 5 * TRADES_A_DAY - 2 * 60);
  const { instruments } = (await (
    await service.get('/v1/instruments?dataset=OURS', service.authorized)
  ).json()) as { instruments: { history: { quality: { state: string; origin: string }[] } }[] };
  assert.deepEqual(
    instruments[0]!.history.quality.map(({ state, origin }) => [state, origin]),
    [
      ['complete', 'imported'],
      ['missing', null],
      ['partial', 'imported'],
      ['complete', 'imported'],
    ],
  );
});

test('what is imported later fills the gaps while the service runs', async () => {
  const allowed = { ...WEEK, gaps: 'allow', limit: '10000' };
  const before = await ask('/v1/history', allowed);
  await importDays(disk, `${data}/tape`, 'OURS', [dayOfTrades(MISSING), dayOfTrades(PARTIAL)]);
  while ((await ask('/v1/history/estimate', WEEK)).status !== 200) await pause(100);
  const whole = await ask('/v1/history', { ...WEEK, limit: '10000' });
  assert.equal(whole.computeUnits, 6 * TRADES_A_DAY);
  const { gaps, ...now } = await ask('/v1/history', allowed);
  assert.deepEqual(gaps, []);
  assert.deepEqual(now.items, whole.items);
  assert.ok(whole.items.length > before.items.length);
  assert.equal((await service.stop('SIGTERM')).code, 0, service.errors);
});
