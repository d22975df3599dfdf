import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { oneDay, overOneDay } from '../../testing/twins/one-day.ts';
import { FLUSH_STEP_NS } from './flush-step.ts';
import { tpo } from './tpo.ts';

const MINUTE_NS = 60_000_000_000;

interface TpoData {
  readonly rows: [price: number, letters: string][];
  readonly poc: number;
  readonly singles: number[];
  readonly ibHigh: number | null;
  readonly high: number;
  readonly low: number;
}

describe('tpo at the extremes', () => {
  it('a session without a trade has no profile, one with a trade has one TPO', () => {
    const none = oneDay(0, () => [0, 0, 0]);
    assert.deepEqual(overOneDay(tpo, none, {}), []);
    const one = oneDay(1, () => [5, 7, 3]);
    const [profile, ...more] = overOneDay<TpoData>(tpo, one, {});
    assert.deepEqual(more, []);
    const { rows, poc, singles, ibHigh, high, low } = profile!.data;
    assert.deepEqual([rows, poc, singles, ibHigh, high, low], [[[7, 'A']], 7, [7], 7, 7, 7]);
  });

  it('a session over 100,000 ticks has every row, with gaps of 5,000 ticks none between', () => {
    const wide = oneDay(200_000, (row) => [row, (row * 7_919) % 100_000, 1]);
    const [profile] = overOneDay<TpoData>(tpo, wide, {});
    assert.equal(profile!.data.rows.length, 100_000);
    assert.equal(profile!.data.singles.length, 100_000);
    const jumpy = oneDay(10_000, (row) => [row, (row % 2) * 5_000 + (row % 5), 1]);
    assert.equal(overOneDay<TpoData>(tpo, jumpy, {})[0]!.data.rows.length, 10);
  });

  it('a day of one-minute brackets has a letter for each of its 1,440', () => {
    const steady = oneDay(1_440, (row) => [row * MINUTE_NS, 50, 1]);
    const [profile] = overOneDay<TpoData>(tpo, steady, { bracketMinutes: 1 });
    const letters = profile!.data.rows[0]![1];
    assert.equal(letters.length, 1_440);
    assert.equal(letters.slice(0, 54), 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyzAB');
  });

  it('a million trades that say nothing new are no update [DET-06] [DET-07]', () => {
    const dull = oneDay(1_000_001, (row) => [row * 1_000, 100 + (row % 2), 1]);
    const made = overOneDay<TpoData>(tpo, dull, {}, FLUSH_STEP_NS);
    assert.deepEqual(
      made.map(({ cursor, final }) => [cursor, final]),
      [
        ['20260105.2.1', false],
        ['20260105.1000001.1', true],
      ],
    );
  });
});
