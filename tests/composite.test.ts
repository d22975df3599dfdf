/**
 * A composite over three pushed datasets with other ticks and lots. Its bars are those of an independent merge, for a
 * stream and in history. A member loses an hour: the composite has the gap, and the file that repairs the member
 * repairs the composite.
 */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { importCommand } from '@tapeloom/cli/commands/import';
import { addDays, dayOf, epochNs } from '@tapeloom/core/utc-day';
import { applyInstruments } from '@tapeloom/server/markets/instruments/applied-instruments';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { createClock } from '@tapeloom/server/platform/system-clock';
import { RecordedIo } from '../packages/cli/testing/recorded-io.ts';
import { databentoText, type PlainTrade } from '../packages/server/testing/feeds/csv-texts.ts';
import { ago, dateText, timeText, tradesOver } from './imported-rig.ts';
import {
  killServices,
  RunningService,
  type StreamMessage,
  WAIT_LIMIT_MS,
} from './running-service.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-composite-'));
const data = join(directory, 'data');
const secret = join(directory, 'secret');
const SECRET = '0123456789abcdef'.repeat(4);
const DAY = ago(1);
const MINUTE_NS = 60_000_000_000n;
const HOUR_NS = 3_600_000_000_000;
const at = (hours: number) => epochNs(DAY, hours * HOUR_NS);
const LOST = [14, 15] as const;

/** The size of one contract of `okx` is 0.01 of the coin. */
const MEMBERS = {
  BIN: {
    symbol: 'BTC.bin',
    tick: '0.5',
    lot: '0.003',
    pointValue: '1',
    price: 50_000,
    every: 1_440,
  },
  BYB: {
    symbol: 'BTC.byb',
    tick: '0.1',
    lot: '0.002',
    pointValue: '1',
    price: 50_001,
    every: 1_440,
  },
  OKX: { symbol: 'BTC.okx', tick: '0.2', lot: '1', pointValue: '0.01', price: 49_999, every: 720 },
} as const;
type Member = keyof typeof MEMBERS;
const NAMES = Object.keys(MEMBERS) as Member[];

const INSTRUMENTS = JSON.stringify({
  datasets: Object.fromEntries([
    ...NAMES.map((name) => {
      const { symbol, tick, lot, pointValue } = MEMBERS[name];
      const product = { extends: 'crypto-perpetual', name, tick, lot, pointValue };
      return [name, { live: { source: 'push' }, products: { [symbol]: product } }];
    }),
    [
      'ALL',
      {
        live: { source: 'composite' },
        products: {
          BTC: {
            ...{ extends: 'crypto-perpetual', name: 'Bitcoin', symbol: 'BTC.all' },
            members: NAMES.map((name) => MEMBERS[name].symbol),
          },
        },
      },
    ],
  ]),
});

/** Two days; the second has some trades only, so that the first one ends. */
const TRADES = Object.fromEntries(
  NAMES.map((name) => {
    const { price, every, tick, lot } = MEMBERS[name];
    const ticks = (index: number) => (price + Number(tick) * (index % 40)).toFixed(1);
    const trades = tradesOver([DAY, addDays(DAY, 1)], every, ticks).map((trade, index) => ({
      ...trade,
      size: (Number(lot) * (1 + (index % 7))).toFixed(3),
    }));
    const end = trades.findIndex(({ ts }) => dayOf(ts as never) > DAY);
    return [name, trades.slice(0, end + 20)];
  }),
) as unknown as Readonly<Record<Member, readonly PlainTrade[]>>;

after(() => {
  killServices();
  rmSync(directory, { recursive: true, force: true });
});

async function push(
  service: RunningService,
  name: Member,
  [from, to]: readonly [number, number],
  missingBefore: bigint | null = null,
): Promise<void> {
  const { symbol } = MEMBERS[name];
  const lines = TRADES[name].slice(from, to).map(({ ts, price, size, side }, index) =>
    JSON.stringify({
      ...{ contract: symbol, id: from + index + 1, ts: String(ts), price, size },
      side: side === 1 ? 'buy' : 'sell',
    }),
  );
  const upTo = String(TRADES[name][to - 1]!.ts + 1n);
  const query = new URLSearchParams({
    ...{ dataset: name, upTo },
    ...(missingBefore !== null && { missingBefore: String(missingBefore) }),
  });
  const url = new URL(`/internal/trades?${query}`, service.address('metrics'));
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${SECRET}`,
      'content-type': 'application/x-ndjson',
      'tapeloom-batch': `${name}-${from}-${to}`,
    },
    body: lines.join('\n'),
  });
  assert.equal(answer.status, 200, await answer.text());
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + WAIT_LIMIT_MS;
  while (!(await isSo())) {
    assert.ok(performance.now() < deadline, `${what} did not happen`);
    await pause(50);
  }
}

/** Prices in ticks of 0.1, sizes in lots of 0.001: what the members' have in common. */
interface Bar {
  readonly ts: string;
  readonly prices: readonly number[];
  readonly volume: number;
  readonly bid: number;
  readonly ask: number;
  readonly trades: number;
}

/** One-minute bars of the trades of all members by time and then by dataset. */
function mergedBars(isThere: (name: Member, ts: bigint) => boolean = () => true): readonly Bar[] {
  const merged = NAMES.toSorted()
    .flatMap((name) =>
      TRADES[name]
        .filter(({ ts }) => dayOf(ts as never) === DAY && isThere(name, ts))
        .map(({ ts, price, size, side }) => {
          const coins = Number(size) * Number(MEMBERS[name].pointValue);
          const lots = Math.round(coins * 1_000);
          return { minute: ts / MINUTE_NS, ts, price: Math.round(Number(price) * 10), lots, side };
        }),
    )
    // Stable: equal times stay in the order of the datasets.
    .sort((a, b) => Number(a.ts - b.ts));
  return Object.values(Object.groupBy(merged, ({ minute }) => String(minute))).map((some) => {
    const prices = some!.map(({ price }) => price);
    const sum = (of: readonly { readonly lots: number }[]) =>
      of.reduce((all, { lots }) => all + lots, 0);
    return {
      ts: String(some![0]!.minute * MINUTE_NS),
      prices: [prices[0]!, Math.max(...prices), Math.min(...prices), prices.at(-1)!],
      volume: sum(some!),
      bid: sum(some!.filter(({ side }) => side === -1)),
      ask: sum(some!.filter(({ side }) => side === 1)),
      trades: some!.length,
    };
  });
}

interface BarItem {
  readonly id: string;
  readonly final?: boolean;
  readonly ts: string;
  readonly data: Readonly<Record<string, number>>;
}

function barOf({ ts, data: of }: BarItem): Bar {
  const { open, high, low, close, volume, bid, ask, trades } = of;
  return {
    ts,
    prices: [open!, high!, low!, close!],
    volume: volume!,
    bid: bid!,
    ask: ask!,
    trades: trades!,
  };
}

async function history(service: RunningService, fields: Readonly<Record<string, string>> = {}) {
  const query = new URLSearchParams({
    ...{ instrument: 'BTC.all', indicator: 'bars', mode: 'confirmed', limit: '5000' },
    ...{ from: timeText(DAY), to: timeText(addDays(DAY, 1)) },
    ...fields,
  });
  const answer = await service.get(`/v1/history?${query}`, service.authorized);
  const body = (await answer.json()) as { items?: BarItem[]; gaps?: unknown };
  return { status: answer.status, bars: (body.items ?? []).map(barOf), gaps: body.gaps };
}

/** The final bars of the day that a stream has shown, in the order of their first version. */
function streamedBars(messages: readonly StreamMessage[]): readonly Bar[] {
  const bars = new Map<string, BarItem>();
  const items = messages.flatMap((message) =>
    message.t === 'snapshot' ? (message.items as BarItem[]) : [message as unknown as BarItem],
  );
  for (const item of items) {
    if (item.final === true && dayOf(BigInt(item.ts) as never) === DAY) bars.set(item.id, item);
  }
  return [...bars.values()].map(barOf);
}

test('a composite is the merge of its members, with their gaps and their repairs', async () => {
  const now = createClock({ kind: 'system' }).now();
  writeFileSync(secret, SECRET, { mode: 0o600 });
  await applyInstruments(new NodeDisk(), data, INSTRUMENTS, { now, beside: null });
  const service = new RunningService({ data, env: { TAPELOOM_PUSH_SECRET_FILE: secret } });
  await service.ready();
  const indexAt = (name: Member, hours: number) =>
    TRADES[name].findIndex(({ ts }) => ts >= at(hours));
  for (const name of NAMES) await push(service, name, [0, indexAt(name, 6)]);
  const watch = await service.open();
  const bars = { instrument: 'BTC.all', indicator: 'bars', params: { depth: 5000 } };
  await watch.send({ t: 'subscribe', sub: 'bars', ...bars });
  await watch.first(({ t }) => t === 'snapshot');
  const [lost, again] = [indexAt('OKX', LOST[0]), indexAt('OKX', LOST[1])];
  await push(service, 'OKX', [indexAt('OKX', 6), lost]);
  await push(service, 'OKX', [again, TRADES.OKX.length], at(LOST[1]));
  for (const name of ['BIN', 'BYB'] as const) {
    await push(service, name, [indexAt(name, 6), TRADES[name].length]);
  }
  let found = await history(service, { gaps: 'allow' });
  await until('the day', async () => {
    found = await history(service, { gaps: 'allow' });
    return found.status === 200 && found.bars.length === 24 * 60;
  });
  // What the member's tape had before is from its last trade on unknown.
  const since = TRADES.OKX[lost - 1]!.ts + 1n;
  const gap = { from: String(since), to: String(at(LOST[1])), why: 'partial' };
  assert.deepEqual(found.gaps, [gap]);
  const isThere = (name: Member, ts: bigint) => name !== 'OKX' || ts < since || ts >= at(LOST[1]);
  assert.deepEqual(found.bars, mergedBars(isThere));
  await until('the stream', async () => streamedBars(watch.messages).length >= 24 * 60);
  assert.deepEqual(streamedBars(watch.messages), found.bars);
  await watch.close();
  const path = join(directory, 'trades.csv');
  const end = TRADES.OKX.findIndex(({ ts }) => dayOf(ts as never) > DAY);
  writeFileSync(path, databentoText(TRADES.OKX.slice(0, end), { isPretty: true }));
  const covers = `${dateText(DAY)}..${dateText(addDays(DAY, 1))}`;
  const io = new RecordedIo();
  const words = [
    path,
    '--covers',
    covers,
    '--data',
    data,
    '--dataset',
    'OKX',
    '--contract',
    'BTC.okx',
  ];
  assert.equal(await importCommand.run(words, io), 0, io.err);
  await until('the repair', async () => (await history(service)).status === 200);
  found = await history(service);
  assert.deepEqual(found.bars, mergedBars());
  const { code } = await service.stop('SIGTERM');
  assert.equal(code, 0, service.errors);
});
