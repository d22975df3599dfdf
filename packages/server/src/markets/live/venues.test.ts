import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALL_DIALECTS } from '../../../testing/live/dialects/all-dialects.ts';
import { FeedRun } from '../../../testing/live/feed-run.ts';
import { VENUES } from './venues.ts';

const FIRST_TRADE_MS_MAX = 2_000;
/** They end at different times between two attempts. */
const OUTAGES_MS = [5_000, 5_400, 5_800, 60_000, 60_900, 20 * 60_000];

for (const [name, make] of Object.entries(ALL_DIALECTS)) {
  test(`${name}: a trade is on the tape within 2 s after the venue accepts connections again`, () => {
    const run = new FeedRun({ seed: 7, dialect: make() });
    run.run(3_000);
    for (const outageMs of OUTAGES_MS) {
      run.set({ isDown: true, isQuiet: true });
      run.venue.cut(run.nowMs);
      run.run(outageMs);
      const before = tradesOf(run);
      run.heal();
      run.run(FIRST_TRADE_MS_MAX);
      assert.ok(tradesOf(run) > before, `none after an outage of ${outageMs} ms`);
      run.run(10_000);
      assert.equal(run.feed.status(run.now).state, 'live');
    }
    run.judge();
  });
}

test('the names of venues, their examples and their addresses can be used', () => {
  const names = VENUES.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  for (const { name, examples, addresses } of VENUES) {
    assert.ok(examples.length > 0, name);
    assert.equal(new Set(examples).size, examples.length, name);
    // Not all have requests.
    for (const address of Object.values(addresses).filter((one) => one !== '')) {
      assert.match(address, /^(?:wss|https|tcp):\/\/(?:\{dataset\}|[a-z])/, name);
    }
  }
});

function tradesOf({ intake }: FeedRun): number {
  return intake.trades.values().reduce((sum, { length }) => sum + length, 0);
}
