import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeTexts } from '../scene/time-text.ts';
import type { BarObject } from '../series/bar-series.ts';
import { ChartContent } from '../series/chart-content.ts';
import { DEFAULT_CHART } from '../spec/chart-spec.ts';
import { chartTable } from './chart-table.ts';

const NOON = 1_794_916_800_000_000_000n;

function footprint(minute: number, levels: readonly (readonly number[])[]): BarObject {
  const ts = NOON + BigInt(minute) * 60_000_000_000n;
  const [bid, ask] = [1, 2].map((at) => levels.reduce((sum, level) => sum + level[at]!, 0));
  return {
    ...{ id: `20261117.${minute}`, final: true, ts },
    data: {
      ...{ end: String(ts), open: levels[0]![0]!, close: levels.at(-1)![0]!, trades: 9 },
      ...{ high: levels.at(-1)![0]!, low: levels[0]![0]!, volume: bid! + ask!, bid, ask },
      ...{ unknown: 0, delta: ask! - bid!, deltaMin: 0, deltaMax: 0, levels },
    },
  } as unknown as BarObject;
}

function table() {
  const content = new ChartContent();
  content.instrument = {
    ...{ name: 'ES.c.0', contract: 'ESZ6', title: 'E-mini S&P 500 December 2026' },
    ...{ tickSizeNanos: 250_000_000, timeZone: 'America/Chicago' },
  };
  content.bars.put(
    footprint(0, [
      [22_000, 10, 5],
      [22_001, 20, 90],
      [22_002, 25, 100],
      [22_003, 5, 130],
      [22_004, 3, 1],
    ]),
  );
  content.bars.putGap({
    ...{ kind: 'gap', fromNs: NOON + 60_000_000_000n, endNs: NOON + 240_000_000_000n },
    why: 'missing',
  });
  content.bars.put(
    footprint(4, [
      [22_003, 0, 4],
      [22_004, 1200, 7],
    ]),
  );
  const timeText = timeTexts('exchange', 'America/Chicago');
  return chartTable({ content, spec: DEFAULT_CHART, group: 1, timeText });
}

test('bars are listed newest first, with gaps named', () => {
  const { bars, caption } = table();
  assert.equal(caption, 'ES.c.0, 5 minutes, newest first, times in CT');
  assert.deepEqual(
    bars.map(({ time, close, volume, delta, poc }) => [time, close, volume, delta, poc]),
    [
      ['06:04', '5501.00', '1,211', '−1,189', '5501.00'],
      ['06:01', '', '', '', ''],
      ['06:00', '5501.00', '389', '+263', '5500.75'],
    ],
  );
  assert.equal(bars[1]?.gap, 'Gap until 06:04, no feed');
});

test('the rows of a bar are listed from the highest price, with marks in words', () => {
  const rows = table().rows(0);
  assert.deepEqual(
    rows.map(({ price, bid, ask, delta, marks }) => [price, bid, ask, delta, marks].join(' | ')),
    [
      '5501.00 | 3 | 1 | −2 | unfinished high',
      '5500.75 | 5 | 130 | +125 | POC, VAH, buy imbalance, stack of 3',
      '5500.50 | 25 | 100 | +75 | buy imbalance, stack of 3',
      '5500.25 | 20 | 90 | +70 | VAL, buy imbalance, stack of 3',
      '5500.00 | 10 | 5 | −5 | unfinished low',
    ],
  );
});

test('a gap and an unknown column have no rows', () => {
  assert.deepEqual(table().rows(1), []);
  assert.deepEqual(table().rows(99), []);
});

test('CSV has numbers that programs read, oldest first', () => {
  assert.deepEqual(table().csv().split('\n'), [
    'time,open,high,low,close,volume,bid,ask,unknown,delta,trades,final',
    '2026-11-17T12:00:00Z,5500.00,5501.00,5500.00,5501.00,389,63,326,0,263,9,true',
    '2026-11-17T12:04:00Z,5500.75,5501.00,5500.75,5501.00,1211,1200,11,0,-1189,9,true',
    '',
  ]);
  assert.match(table().rowsCsv(2), /^price,bid,ask,unknown,delta,marks\n5501\.00,1200,7,0,-1193,/);
});
