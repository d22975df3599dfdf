import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { oneDay, overOneDay } from '../../testing/twins/one-day.ts';
import { drive } from '../../testing/twins/study-driver.ts';
import { rankTrades, type TwinTape } from '../../testing/twins/twin-tape.ts';
import { nakedLevels } from './naked-levels.ts';
import { parseParams } from './params.ts';

const START = 1_767_571_200_000_000_000n;
const MINUTE = 60_000_000_000n;

interface LevelData {
  readonly kind: string;
  readonly price: number;
  readonly sessionDate: number;
}

/** Consecutive sessions of one minute, each with trades of one lot at these prices. */
function tape(sessions: readonly (readonly number[])[]): TwinTape {
  const opens = sessions.map((_, index) => START + BigInt(index) * MINUTE);
  const trades = sessions.flatMap((prices, index) =>
    prices.map((price, place) => ({ ns: opens[index]! + BigInt(place), price, size: 1, side: 1 })),
  );
  return {
    sessions: opens.map((open) => ({ open, close: open + MINUTE })),
    trades: rankTrades(trades),
    until: START + BigInt(sessions.length) * MINUTE,
  };
}

function left(input: object, sessions: readonly (readonly number[])[]): string[] {
  const parsed = parseParams(nakedLevels, input);
  assert.ok('params' in parsed);
  const study = nakedLevels.create(parsed.params);
  const { recorder, run } = drive(study, tape(sessions), 'whole', { outlivesSession: true });
  const { items } = recorder.published.snapshot(run.position, 1, 'confirmed');
  return (JSON.parse(items) as { data: LevelData }[]).map(
    ({ data }) => `${data.kind} ${data.price}`,
  );
}

describe('naked levels', () => {
  it('last as many sessions as the look-back says, all of them in a snapshot [DET-24]', () => {
    const rising = Array.from({ length: 30 }, (_, session) => [100 * session]);
    for (const lookback of [1, 3, 20]) {
      const prices = left({ lookback }, rising).filter((level) => level.startsWith('poc'));
      assert.deepEqual(
        prices,
        rising.slice(-lookback).map(([price]) => `poc ${price}`),
      );
    }
  });

  it('are traded by price that passes, inside a session, in either direction [DET-09]', () => {
    assert.deepEqual(left({}, [[50], [40, 60]]).slice(0, 1), ['poc 40']);
    assert.deepEqual(left({}, [[50], [60, 40]]).slice(0, 1), ['poc 40']);
    assert.deepEqual(left({}, [[50], [60, 51]]).slice(0, 1), ['poc 50']);
    assert.deepEqual(left({}, [[50], [60], [40]]).slice(0, 1), ['poc 50']);
    assert.deepEqual(left({}, [[50], [50]]).length, 3);
  });

  it('come from a session of 100,000 ticks, and go by one jump of 5,000', () => {
    const wide = oneDay(100_001, (row) => [row, row % 100_000, 1]);
    const levels = overOneDay<LevelData>(nakedLevels, wide, {}).map(({ data }) => data);
    assert.deepEqual(
      levels.map(({ kind, price }) => [kind, price]),
      [
        ['poc', 0],
        ['vah', 70_000],
        ['val', 0],
      ],
    );
    assert.deepEqual(left({}, [[2_500], [0, 5_000]]), ['poc 0', 'vah 5000', 'val 0']);
  });

  it('are none where nothing traded', () => {
    const none = oneDay(0, () => [0, 0, 0]);
    assert.deepEqual(overOneDay(nakedLevels, none, {}), []);
  });
});
