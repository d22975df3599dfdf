import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { oneDay, overOneDay } from '../../testing/twins/one-day.ts';
import { FLUSH_STEP_NS } from './flush-step.ts';
import { volumeProfile } from './volume-profile.ts';

const LOTS_MAX = 2 ** 31 - 1;

interface ProfileData {
  readonly levels: number[][];
  readonly poc: number;
  readonly volume: number;
  readonly delta: number;
  readonly high: number;
  readonly low: number;
}

describe('volume-profile at the extremes', () => {
  it('a session without a trade has no profile, one with a trade has one row', () => {
    assert.deepEqual(
      overOneDay(
        volumeProfile,
        oneDay(0, () => [0, 0, 0]),
        {},
      ),
      [],
    );
    const [one, ...more] = overOneDay<ProfileData>(
      volumeProfile,
      oneDay(1, () => [5, 7, 3]),
      {},
    );
    assert.deepEqual(more, []);
    const { levels, poc, volume, delta, high, low } = one!.data;
    assert.deepEqual([levels, poc, volume, delta, high, low], [[[7, 3, 0]], 7, 3, -3, 7, 7]);
  });

  it('a session over 100,000 ticks has every level, with gaps of 5,000 ticks none between', () => {
    const wide = oneDay(200_000, (row) => [row, (row * 7_919) % 100_000, 1]);
    const [profile] = overOneDay<ProfileData>(volumeProfile, wide, {});
    assert.equal(profile!.data.levels.length, 100_000);
    assert.deepEqual([profile!.data.low, profile!.data.high], [0, 99_999]);
    const jumpy = oneDay(10_000, (row) => [row, (row % 2) * 5_000 + (row % 5), 1]);
    const [jumped] = overOneDay<ProfileData>(volumeProfile, jumpy, {});
    assert.equal(jumped!.data.levels.length, 10);
  });

  it('sizes up to 2^31 − 1 add up exactly', () => {
    const huge = oneDay(300_000, (row) => [row, 100, LOTS_MAX - (row % 2)]);
    const [profile] = overOneDay<ProfileData>(volumeProfile, huge, {});
    assert.equal(profile!.data.volume, 150_000 * (2 * LOTS_MAX - 1));
    assert.deepEqual(
      profile!.data.levels[0]!.slice(1).reduce((all, lots) => all + lots),
      profile!.data.volume,
    );
  });

  it('a million trades at one instant are one flush, and one more at the close [DET-07]', () => {
    const burst = oneDay(1_000_000, (row) => [1_000, 100 + (row % 50), 1]);
    const made = overOneDay<ProfileData>(volumeProfile, burst, {}, FLUSH_STEP_NS);
    assert.deepEqual(
      made.map(({ cursor, final, data }) => [cursor, final, data.volume]),
      [
        ['20260105.1000000.1', false, 1_000_000],
        ['20260105.1000000.2', true, 1_000_000],
      ],
    );
  });
});
