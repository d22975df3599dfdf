import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { UtcDay } from '@tapeloom/core/numbers';
import { MS_NS_BIG } from '@tapeloom/core/units';
import { addDays, dayOf, epochNs } from '@tapeloom/core/utc-day';
import { applyInstruments } from '@tapeloom/server/markets/instruments/applied-instruments';
import { decideAndKeepRolls } from '@tapeloom/server/markets/instruments/decide-rolls';
import { readInstruments } from '@tapeloom/server/markets/instruments/read-instruments';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { createClock } from '@tapeloom/server/platform/system-clock';
import { readImported } from '@tapeloom/server/tape/imported/imported-manifest';
import { importDays, type TradeRow } from '../packages/server/testing/imported-dataset.ts';
import { killServices, NO_PAST, RunningService, type StreamMessage } from './running-service.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-imported-'));
const data = join(directory, 'data');
const disk = new NodeDisk();
const now = createClock({ kind: 'system' }).now();
const TODAY = dayOf(now);
const BOTH = { ...NO_PAST, TAPELOOM_SIM: 'on' };
const FOOTPRINT = { indicator: 'footprint', params: { bar: 'time', size: 3_600 } };
const MINUTE_NS = 60_000_000_000;
after(() => {
  killServices();
  rmSync(directory, { recursive: true, force: true });
});

const ago = (days: number) => addDays(TODAY, -days);
const timeText = (day: UtcDay) => new Date(Number(epochNs(day, 0) / MS_NS_BIG)).toISOString();
const expiry = (days: number) => timeText(ago(days)).replace('T00', 'T12');
/**
 * QQA has expired, QQB trades; volume rolled the alias from QQA to QQB five days ago. No contract
 * of OO trades any more, and nothing of PP was imported.
 */
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
        roll: { rule: before-expiry, businessDays: 1 }
        contracts:
          - { symbol: QQA, expiry: ${expiry(2)} }
          - { symbol: QQB, expiry: ${expiry(-40)} }
          - { symbol: QQC, expiry: ${expiry(-80)} }
      OO:
        name: An index of the past
        exchange: OURS
        currency: EUR
        tick: "0.5"
        lot: "1"
        pointValue: "10"
        calendar: round-the-clock
        contracts:
          - { symbol: OOA, expiry: ${expiry(40)} }
          - { symbol: OOB, expiry: ${expiry(20)} }
      PP:
        name: Another index of the past
        exchange: OURS
        currency: EUR
        tick: "0.5"
        lot: "1"
        pointValue: "10"
        calendar: round-the-clock
        contracts:
          - { symbol: PPA, expiry: ${expiry(20)} }
    aliases:
      OO.c.0:
        product: OO
        roll:
          - { from: ${timeText(ago(60)).slice(0, 10)}, symbol: OOA }
          - { from: ${timeText(ago(41)).slice(0, 10)}, symbol: OOB }
      PP.c.0:
        product: PP
        roll:
          - { from: ${timeText(ago(60)).slice(0, 10)}, symbol: PPA }
      QQ.v.0: { product: QQ, roll: volume, from: ${timeText(ago(8)).slice(0, 10)} }
      QQ.now:
        product: QQ
        roll:
          - { from: ${timeText(ago(8)).slice(0, 10)}, symbol: QQB }
          - { from: ${timeText(TODAY).slice(0, 10)}, symbol: QQC }
`;

/** A trade per minute of this size, around a price. */
function imported(symbol: string, day: UtcDay, price: number, size: number) {
  const rows = Array.from({ length: 24 * 60 }, (_, minute): TradeRow => {
    return [minute * MINUTE_NS + 1_000, price + (minute % 7), size, minute % 2 === 0 ? 1 : -1];
  });
  return { symbol, day, rows };
}

async function importAll(days: readonly ReturnType<typeof imported>[]): Promise<void> {
  await importDays(disk, `${data}/tape`, 'OURS', days);
  const manifest = (await readImported(disk, `${data}/tape`, 'OURS'))!;
  await decideAndKeepRolls(
    disk,
    `${data}/tape`,
    readInstruments(INSTRUMENTS).datasets[0]!,
    manifest,
  );
}

interface Answer {
  readonly status: number;
  readonly code?: string;
  readonly contract?: string;
  readonly next?: string;
  readonly detail?: string;
  readonly items?: readonly { readonly data: { readonly open: number } }[];
}

/** One day of hourly footprints. */
async function history(
  service: RunningService,
  instrument: string,
  day: UtcDay,
  {
    key = service.keys.live,
    ...others
  }: { readonly key?: string; readonly dataset?: string; limit?: string; cursor?: string } = {},
): Promise<Answer> {
  const query = new URLSearchParams({
    instrument,
    indicator: FOOTPRINT.indicator,
    params: JSON.stringify(FOOTPRINT.params),
    from: timeText(day),
    to: timeText(addDays(day, 1)),
    ...others,
  });
  const answer = await service.get(`/v1/history?${query}`, { authorization: `Bearer ${key}` });
  return { ...((await answer.json()) as object), status: answer.status };
}

const opens = ({ items = [] }: Answer) => new Set(items.map((item) => item.data.open >= 2_000));

async function makeKey(service: RunningService, instruments: readonly string[]): Promise<string> {
  const body = { name: 'one', environment: 'live', scopes: ['history'], instruments };
  const answer = await service.send('POST', '/v1/keys', { body });
  assert.equal(answer.status, 201);
  return ((await answer.json()) as { key: string }).key;
}

const isSnapshot = ({ t }: StreamMessage) => t === 'snapshot';
let lastCursor: string;
let service: RunningService;

test('imported contracts and simulated ones are listed, read and streamed by one service', async () => {
  const changes = await applyInstruments(disk, data, INSTRUMENTS, { now, beside: null });
  assert.ok(changes.every(({ isRefused }) => !isRefused));
  await importAll([
    ...[8, 7, 6, 5, 4].map((days) => imported('QQA', ago(days), 1_000, days > 6 ? 9 : 1)),
    ...[8, 7, 6, 5, 4, 3, 2, 1].map((days) => imported('QQB', ago(days), 1_500, 5)),
    ...[2, 1].map((days) => imported('QQC', ago(days), 1_700, 1)),
    ...[43, 42].map((days) => imported('OOA', ago(days), 1_200, 1)),
    ...[25, 24].map((days) => imported('OOB', ago(days), 1_300, 1)),
  ]);
  service = new RunningService({ data, env: BOTH });
  await service.ready();
  const listed = async (query: string) => {
    const answer = await service.get(`/v1/instruments${query}`, service.authorized);
    const { instruments } = (await answer.json()) as {
      instruments: { symbol: string; alias: string | null; dataset: string; streamed: boolean }[];
    };
    return instruments;
  };
  const streamed = await listed('');
  assert.deepEqual(new Set(streamed.map(({ dataset }) => dataset)), new Set(['SIM', 'OURS']));
  assert.deepEqual(
    (await listed('?dataset=OURS')).map((it) => [it.symbol, it.alias, it.streamed]),
    [
      ['QQA', null, true],
      ['QQB', 'QQ.v.0', true],
      ['QQC', 'QQ.now', true],
      ['OOA', null, true],
      ['OOB', null, true],
      ['PPA', null, false],
    ],
  );
  const page = await history(service, 'QQB', ago(2));
  assert.deepEqual([page.status, page.items?.length], [200, 24]);
  assert.equal((await history(service, 'BTC.c.0', ago(1))).status, 200);
  const missing = await history(service, 'QQA', ago(3), { dataset: 'OURS' });
  assert.deepEqual([missing.status, missing.code], [402, 'NOT_COVERED']);

  const subscriber = await service.open();
  await subscriber.send({ t: 'subscribe', sub: 'q', instrument: 'QQ.v.0', ...FOOTPRINT });
  const snapshot = await subscriber.first(isSnapshot);
  const items = snapshot.items as readonly { id: string }[];
  assert.equal(items.length, 24, 'the last session, while no other was imported');
  assert.ok(items.every(({ id }) => id.startsWith(`${ago(1)}.`)));
  const states = subscriber.messages.filter(({ t }) => t === 'status').map(({ state }) => state);
  assert.deepEqual(states, ['warming', 'stale']);
  await subscriber.send({ t: 'subscribe', sub: 'c', instrument: 'QQC', ...FOOTPRINT });
  lastCursor = (await subscriber.first((it) => isSnapshot(it) && it.sub === 'c')).cursor as string;
  const noon = `${timeText(ago(1)).slice(0, 10)}T12:00:00Z`;
  const past = { instrument: 'QQC', ...FOOTPRINT, from: { time: noon } };
  await subscriber.send({ t: 'subscribe', sub: 'p', ...past });
  const end = { cursor: lastCursor };
  await subscriber.first(
    ({ t, sub, cursor }) => t === 'upsert' && sub === 'p' && cursor === end.cursor,
  );
  await subscriber.close();
});

test('contracts that have expired are listed, streamed and read like any other, and so is an alias that means no live one', async () => {
  const listed = await service.get('/v1/instruments', service.authorized);
  const { instruments } = (await listed.json()) as {
    instruments: { symbol: string; status: string; aliases: { alias: string }[] }[];
  };
  const of = (name: string) => instruments.find(({ symbol }) => symbol === name);
  assert.equal(of('OOA')?.status, 'expired');
  assert.deepEqual(
    of('QQB')?.aliases.map(({ alias }) => alias),
    ['QQ.v.0', 'QQ.now'],
  );
  for (const [name, day, contract] of [
    ['OOA', ago(42), 'OOA'],
    ['OO.c.0', ago(42), 'OOA'],
    ['OO.c.0', ago(24), 'OOB'],
  ] as const) {
    const page = await history(service, name, day);
    assert.deepEqual([page.status, page.contract, page.items?.length], [200, contract, 24]);
  }
  const query = new URLSearchParams({
    instrument: 'OOA',
    indicator: FOOTPRINT.indicator,
    params: JSON.stringify(FOOTPRINT.params),
    from: timeText(ago(42)),
    to: timeText(ago(41)),
  });
  const exported = await service.get(`/v1/export?${query}`, service.authorized);
  assert.equal(exported.status, 200, await exported.text());

  const subscriber = await service.open();
  const snapshotOf = async (sub: string, instrument: string, from?: object) => {
    await subscriber.send({ t: 'subscribe', sub, instrument, ...FOOTPRINT, ...(from && { from }) });
    const begun = await subscriber.first((it) => it.t === 'subscribed' && it.sub === sub);
    const { items } = await subscriber.first((it) => isSnapshot(it) && it.sub === sub);
    return [begun.contract, (items as readonly unknown[]).length];
  };
  assert.deepEqual(await snapshotOf('a', 'OOA'), ['OOA', 24]);
  assert.deepEqual(await snapshotOf('b', 'OO.c.0'), ['OOB', 24]);
  const noon = `${timeText(ago(42)).slice(0, 10)}T12:00:00Z`;
  await snapshotOf('r', 'OOA', { time: noon });
  const isLast = ({ t, sub, id }: StreamMessage) =>
    t === 'upsert' && sub === 'r' && String(id).startsWith(`${ago(42)}.`);
  await subscriber.first(isLast);
  await subscriber.send({ t: 'subscribe', sub: 'n', instrument: 'PP.c.0', ...FOOTPRINT });
  const refused = await subscriber.first((it) => it.t === 'error' && it.sub === 'n');
  assert.equal(refused.code, 'UNKNOWN_INSTRUMENT');
  assert.equal(refused.message, '"PP.c.0" designates no streamed contract at the moment.');
  await subscriber.close();
});

test('an alias means over history what volume has decided [INST-04] [INST-11] [INST-12] [INST-13] [INST-14] [INST-15]', async () => {
  const [before, since] = [ago(6), ago(5)];
  const contractOf = async (day: UtcDay) => (await history(service, 'QQ.v.0', day)).contract;
  assert.deepEqual([await contractOf(before), await contractOf(since)], ['QQA', 'QQB']);
  const statusOf = async (key: string, name: string, day: UtcDay, dataset = 'OURS') =>
    (await history(service, name, day, { key, dataset })).status;
  const byContract = await makeKey(service, ['QQB']);
  assert.equal(await statusOf(byContract, 'QQ.v.0', before), 403);
  assert.equal(await statusOf(byContract, 'QQ.v.0', since), 200);
  const byAlias = await makeKey(service, ['QQ.v.0']);
  assert.equal(await statusOf(byAlias, 'QQ.v.0', before), 200);
  assert.equal(await statusOf(byAlias, 'QQA', before), 403);
  const byExpired = await makeKey(service, ['QQA']);
  assert.equal(await statusOf(byExpired, 'QQA', before), 200);
});

test('days that are replaced reset the streams they matter to, and no page mixes before and after', async () => {
  const subscriber = await service.open();
  await subscriber.send({ t: 'subscribe', sub: 'q', instrument: 'QQB', ...FOOTPRINT });
  await subscriber.first(isSnapshot);
  await subscriber.send({ t: 'subscribe', sub: 'b', instrument: 'BTC.c.0', indicator: 'bars' });
  await subscriber.first((message) => isSnapshot(message) && message.sub === 'b');
  subscriber.messages.length = 0;
  const isReset = ({ t }: StreamMessage) => t === 'reset';
  const importing = importAll([2, 1].map((days) => imported('QQB', ago(days), 2_000, 5)));
  while (!subscriber.messages.some(isReset)) {
    const page = await history(service, 'QQB', ago(2));
    assert.equal(page.status, 200);
    assert.equal(opens(page).size, 1, 'all before or all after');
  }
  await importing;
  const reset = await subscriber.first(isReset);
  assert.deepEqual([reset.sub, reset.reason], ['q', 'source_gap']);
  const snapshot = await subscriber.first((message) => isSnapshot(message) && message.sub === 'q');
  assert.deepEqual(opens({ status: 0, ...snapshot }), new Set([true]));
  assert.deepEqual(opens(await history(service, 'QQB', ago(2))), new Set([true]));
  assert.equal(subscriber.messages.filter(isReset).length, 1, 'the other stream goes on');
  await subscriber.close();
  assert.deepEqual((await service.stop('SIGTERM')).code, 0, service.errors);
  assert.equal(service.faults, '');
});

test('a further page is refused with what to do when its days were replaced after the page before', async () => {
  service = new RunningService({ data });
  await service.ready();
  const pageOf = async (days: number, cursor?: string) =>
    await history(service, 'OOB', ago(days), { limit: '5', ...(cursor && { cursor }) });
  const [older, newer] = [(await pageOf(25)).next!, (await pageOf(24)).next!];
  assert.match(newer, /^\d{8}\.\d+\.\d+~[0-9a-f]{12}$/);
  assert.equal((await pageOf(24, newer)).status, 200);
  await importAll([imported('OOB', ago(24), 2_300, 1)]);
  let page = await pageOf(24, newer);
  while (page.status === 200) page = await pageOf(24, newer);
  assert.deepEqual([page.status, page.code], [410, 'CURSOR_EXPIRED']);
  assert.match(page.detail!, /replaced .* Start again without `cursor`/);
  assert.equal((await pageOf(25, older)).status, 200, 'no day of it is another');
  const again = await pageOf(24);
  assert.deepEqual([(await pageOf(24, again.next)).status, opens(again)], [200, new Set([true])]);
  await service.stop('SIGTERM');
});

test('cursors outlive a restart, unless their days were replaced while no service ran', async () => {
  const resume = async () => {
    // Without the simulator, tape time comes from an imported tape.
    service = new RunningService({ data });
    await service.ready();
    const subscriber = await service.open();
    const from = { cursor: lastCursor };
    await subscriber.send({ t: 'subscribe', sub: 'c', instrument: 'QQC', ...FOOTPRINT, from });
    await subscriber.first(({ t, state }) => t === 'status' && state === 'stale');
    const told = subscriber.messages.find(({ t }) => t === 'reset')?.reason ?? null;
    await subscriber.close();
    await service.stop('SIGTERM');
    return told;
  };
  assert.equal(await resume(), null);
  await importAll([imported('QQC', ago(1), 3_000, 1)]);
  assert.equal(await resume(), 'source_gap');
});

test('a stream by an alias shows the contract of the newest imported day, and moves on when another is imported', async () => {
  service = new RunningService({ data });
  await service.ready();
  const subscriber = await service.open();
  await subscriber.send({ t: 'subscribe', sub: 'n', instrument: 'QQ.now', ...FOOTPRINT });
  const begun = await subscriber.first(({ t }) => t === 'subscribed');
  assert.equal(begun.contract, 'QQB');
  assert.equal(((await subscriber.first(isSnapshot)).items as readonly unknown[]).length, 24);
  subscriber.messages.length = 0;
  await importAll([imported('QQC', TODAY, 3_000, 1)]);
  const moved = await subscriber.first(({ t }) => t === 'subscribed');
  assert.equal(moved.contract, 'QQC');
  assert.ok(subscriber.messages.some(({ t, reason }) => t === 'reset' && reason === 'roll'));
  await subscriber.first(isSnapshot);
  await subscriber.close();
  await service.stop('SIGTERM');
});

test('a symbol of two datasets keeps the service from starting, and says which', async () => {
  const clashing = join(directory, 'clashing');
  const text = INSTRUMENTS.replaceAll('QQ.v.0', 'BTC.c.0');
  await applyInstruments(disk, clashing, text, { now, beside: null });
  const refused = new RunningService({ data: clashing, env: BOTH });
  assert.equal(await refused.ended, 1);
  assert.match(refused.errors, /BTC\.c\.0 is in SIM and in OURS/);
});
