import assert from 'node:assert/strict';
import { test } from 'node:test';
import { footprintOf } from '../../testing/made-scene.ts';
import { BarSeries } from '../series/bar-series.ts';
import { CellGlow } from './cell-glow.ts';

function bar(id: string, ask: number, final = false) {
  const series = new BarSeries();
  const levels = [
    [100, 4, 0],
    [102, 9, ask],
  ] as const;
  series.put({ ...footprintOf(id, 1_000n, levels), final });
  return series.last;
}

test('cells that have just traded glow for 300 ms, those of a new bar do not', () => {
  const glow = new CellGlow();
  glow.take(bar('20261110.1', 36), 0);
  assert.ok(!glow.isActive);
  glow.take(bar('20261110.1', 40), 100);
  assert.deepEqual([glow.strength(102, 1, 100), glow.strength(102, -1, 100)], [1, 0]);
  assert.equal(glow.strength(102, 1, 250), 0.5);
  glow.step(399);
  assert.ok(glow.isActive);
  glow.step(400);
  assert.ok(!glow.isActive);
  glow.take(bar('20261110.1', 41), 450);
  glow.take(bar('20261110.2', 1), 500);
  assert.ok(!glow.isActive);
});
