import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Dialect } from '../../../../testing/live/dialect.ts';
import { coinbaseDialect } from '../../../../testing/live/dialects/coinbase-dialect.ts';
import { assertFeedSurvives } from '../../../../testing/live/feed-property.ts';
import { FeedRun } from '../../../../testing/live/feed-run.ts';

const SCHEDULES = 3;

test('whatever happens to a feed of Coinbase, its tape is whole or names what is missing', () => {
  assertFeedSurvives(coinbaseDialect, SCHEDULES);
});

test('a product that is delisted in an outage, for which Coinbase refuses all others too, keeps none waiting', () => {
  const GONE = 'DOGE-EUR';
  let isListed = true;
  const session: Dialect['session'] = (address) => {
    const own = coinbaseDialect.session(address);
    return {
      opened: (nowMs) => own.opened(nowMs),
      received(message, ...rest) {
        if (isListed || !String(message).includes(GONE)) return own.received(message, ...rest);
        const reason = `${GONE} is not a valid product`;
        const error = { type: 'error', message: 'Failed to subscribe', reason };
        return { replies: [JSON.stringify(error)] };
      },
      trades: (...args) => own.trades(...args),
      heartbeat: (nowMs) => own.heartbeat(nowMs),
    };
  };
  const run = new FeedRun({ seed: 7, dialect: { ...coinbaseDialect, session } });
  run.run(20_000);
  isListed = false;
  run.venue.cut(run.nowMs);
  run.run(30_000);
  const { state, reconnects, contracts, lagMs } = run.feed.status(run.now);
  assert.deepEqual(
    contracts.map((contract) => [contract.symbol, contract.state]),
    [
      ['BTC-USD', 'live'],
      ['ETH-USD', 'live'],
      [GONE, 'down'],
    ],
  );
  assert.ok(
    state === 'live' && reconnects <= 3 && lagMs < 3_000,
    `${state} ${reconnects} ${lagMs}`,
  );
  assert.match(run.down[0]!, /DOGE-EUR is not a valid product/);
  run.judge();
});
