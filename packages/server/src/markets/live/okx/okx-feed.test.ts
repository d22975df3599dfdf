import assert from 'node:assert/strict';
import { test } from 'node:test';
import { okxDialect } from '../../../../testing/live/dialects/okx-dialect.ts';
import { assertFeedSurvives } from '../../../../testing/live/feed-property.ts';
import { FeedRun } from '../../../../testing/live/feed-run.ts';

const SCHEDULES = 4;

test('whatever happens, a tape from OKX has every trade in order or a gap that names it, and never both', () => {
  assertFeedSurvives(okxDialect, SCHEDULES);
});

test('while nothing is traded the watermark follows, a ping at a time', () => {
  let pings = 0;
  const session: typeof okxDialect.session = (address) => {
    const own = okxDialect.session(address);
    return {
      ...own,
      received(message, ...rest) {
        if (message === 'ping') pings += 1;
        return own.received(message, ...rest);
      },
    };
  };
  const run = new FeedRun({ seed: 7, dialect: { ...okxDialect, session } });
  run.run(10_000);
  run.set({ isQuiet: true });
  for (let second = 0; second < 600; second += 1) {
    run.run(1_000);
    const { lagMs, reconnects } = run.feed.status(run.now);
    assert.ok(lagMs < 6_000 && reconnects === 0, `${lagMs} after ${second} s`);
  }
  assert.ok(pings <= 125, `${pings}`);
  run.judge();
});
