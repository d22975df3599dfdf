import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Recorder, tableOf } from '../../testing/twins/study-driver.ts';
import { LOTS_MAX, type Rank } from '../numbers.ts';
import { allocateBatch, type TradeBatch } from '../trade-batch.ts';
import { epochNs, utcDay } from '../utc-day.ts';
import { bars } from './bars.ts';
import { parseParams } from './params.ts';
import { StudyRun } from './run.ts';

const DAY = utcDay(20260105);
const HOUR_NS = 3_600_000_000_000;

interface BarData {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
  readonly trades: number;
  readonly ask: number;
  readonly delta: number;
  readonly deltaMax: number;
}

/** The final bars of one session with these trades. */
function settledBars(params: object, batch: TradeBatch) {
  const parsed = parseParams(bars, params);
  assert.ok('params' in parsed);
  const recorder = new Recorder();
  const sessions = tableOf([{ open: epochNs(DAY, 0), close: epochNs(DAY, HOUR_NS) }]);
  const start = { at: epochNs(DAY, 0), rank: 0 as Rank };
  const run = new StudyRun(bars.create(parsed.params), sessions, start, { output: recorder });
  run.apply(batch);
  run.advance(epochNs(DAY, HOUR_NS));
  return recorder.messages.map((message) => ({ ...message, data: message.data as BarData }));
}

function batchOf(
  count: number,
  trade: (row: number) => [price: number, size: number, side: number],
) {
  const batch = allocateBatch(DAY, 1 as Rank, count);
  for (let row = 0; row < count; row += 1) {
    [batch.price[row], batch.size[row], batch.side[row]] = trade(row);
  }
  batch.ts.fill(5);
  batch.count = count;
  return batch;
}

describe('bars at the extremes', () => {
  const million = batchOf(1_000_000, (row) => [
    100 + ((row >> 4) % 7),
    1 + (row % 5),
    (row % 3) - 1,
  ]);
  const volume = million.size.reduce((all, size) => all + size, 0);

  for (const [bar, size] of [
    ['time', 1],
    ['tick', 1_000],
    ['volume', 999],
    ['range', 3],
    ['delta', 50],
    ['renko', 2],
  ] as const) {
    it(`a million trades in one nanosecond lose no lot: ${bar}`, () => {
      const made = settledBars({ bar, size }, million);
      assert.equal(
        made.reduce((all, { data }) => all + data.volume, 0),
        volume,
      );
      assert.equal(new Set(made.map(({ id }) => id)).size, made.length);
    });
  }

  it('the largest sizes add up exactly', () => {
    const count = 100_000;
    const [only] = settledBars(
      {},
      batchOf(count, () => [1, LOTS_MAX, 1]),
    );
    assert.equal(BigInt(only!.data.volume), BigInt(count) * BigInt(LOTS_MAX));
    assert.equal(BigInt(only!.data.ask), BigInt(count) * BigInt(LOTS_MAX));
    assert.equal(only!.data.deltaMax, only!.data.delta);
  });

  it('a trade starts at most 1,000 volume bars, the last of which takes the rest', () => {
    const made = settledBars(
      { bar: 'volume', size: 2 },
      batchOf(2, (row) => [7, row === 0 ? 1 : 9_999, 1]),
    );
    assert.deepEqual(
      made.map(({ id }) => id),
      ['20260105.1.1', ...Array.from({ length: 1_000 }, (_, n) => `20260105.2.${n + 1}`)],
    );
    assert.deepEqual(
      [made[0]!, made[1]!, made.at(-2)!, made.at(-1)!].map(({ data }) => data.volume),
      [2, 2, 2, 8_000],
    );
    assert.equal(made.at(-1)!.cursor, '20260105.2.1001');
  });

  it('a trade completes at most 1,000 bricks it starts, the last reaching to the last grid line', () => {
    const prices = [0, -(2 ** 31)];
    const made = settledBars(
      { bar: 'renko', size: 3 },
      batchOf(2, (row) => [prices[row]!, 1, 1]),
    );
    assert.equal(made.length, 1_001);
    const last = made.at(-1)!.data;
    assert.deepEqual([last.open, last.close], [-3_000, -2_147_483_646]);
    assert.deepEqual([last.high, last.low, last.volume], [-3_000, -(2 ** 31), 1]);
    assert.equal(made[500]!.data.volume, 0);
  });

  it('no trade makes no bar, one trade makes one', () => {
    for (const bar of ['time', 'tick', 'volume', 'range', 'delta', 'renko']) {
      assert.equal(
        settledBars(
          { bar },
          batchOf(0, () => [0, 0, 0]),
        ).length,
        0,
      );
      const [only, ...none] = settledBars(
        { bar },
        batchOf(1, () => [-5, 3, 0]),
      );
      assert.deepEqual(none, []);
      const { open, high, low, close, volume, trades } = only!.data;
      assert.deepEqual([open, high, low, close, volume, trades], [-5, -5, -5, -5, 3, 1]);
    }
  });
});
