import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { overOneDay, oneDay as tape } from '../../testing/twins/one-day.ts';
import type { TradeBatch } from '../trade-batch.ts';
import { FLUSH_STEP_NS } from './flush-step.ts';
import { footprint } from './footprint.ts';

interface FootprintData {
  readonly levels: number[][];
  readonly volume: number;
  readonly poc: number;
}

function runOver(batch: TradeBatch, params: object, stepNs?: number) {
  return overOneDay<FootprintData>(footprint, batch, params, stepNs);
}

describe('footprint at the extremes', () => {
  it('a bar over 100,000 ticks has every level, and the next bar starts clean', () => {
    const wide = tape(200_001, (row) =>
      row < 200_000 ? [row, (row * 7_919) % 100_000, 1] : [70_000_000_000, 5, 2],
    );
    const [first, second] = runOver(wide, {});
    assert.equal(first!.data.levels.length, 100_000);
    assert.equal(first!.data.volume, 200_000);
    assert.deepEqual(
      second!.data.levels,
      [[5, 0, 2]].map(([price, bid, ask]) => [price, bid, ask]),
    );
  });

  it('jumps of 5,000 ticks from trade to trade cost no more than small ones', () => {
    const jumpy = tape(200_000, (row) => [row * 1_000_000, (row % 2) * 5_000 + (row % 5), 1]);
    const made = runOver(jumpy, { size: 1 });
    assert.equal(made.length, 200);
    for (const { data } of made) assert.equal(data.levels.length, 10);
  });

  it('a million trades at one instant are one flush [DET-07]', () => {
    const burst = tape(1_000_000, (row) => [1_000, 100 + (row % 50), 1]);
    const made = runOver(burst, { bar: 'tick', size: 1_000_000_000 }, FLUSH_STEP_NS);
    assert.deepEqual(
      made.map(({ cursor, final }) => [cursor, final]),
      [
        ['20260105.1000000.1', false],
        ['20260105.1000000.2', true],
      ],
    );
    assert.equal(made[0]!.data.volume, 1_000_000);
  });

  it('every level is an array of 3 or 4 whole numbers, the 4th never 0 [CAT-06]', () => {
    const made = runOver(
      tape(5_000, (row) => [row * 50_000_000, 100 + ((row * 37) % 23), 1 + (row % 9)]),
      { group: 2, size: 5 },
    );
    assert.ok(made.length > 40);
    for (const level of made.flatMap(({ data }) => data.levels)) {
      assert.ok(level.length === 3 || level.length === 4);
      assert.ok(level.every(Number.isSafeInteger));
      assert.notEqual(level[3], 0);
    }
  });
});
