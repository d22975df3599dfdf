import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FeedReport } from '../../markets/market.ts';
import { NO_NEWS, tellFeed } from './feed-news.ts';

type Venue = NonNullable<FeedReport['venue']>;

function feedOf(state: FeedReport['state'], connection: Venue['connection']): FeedReport {
  const venue = { connection, lastEnd: 'cut', lastFailure: null, contractsDown: 0 };
  return {
    ...{ state, reconnects: 0, gapsOpen: 0, gapsClosed: 0, requestsLeft: 1 },
    venue: { ...venue, leftOut: {}, notes: {} } as Venue,
  };
}

function told() {
  const lines: string[] = [];
  const tell = (level: string) => (fields: object, what: string) => {
    lines.push(`${level} ${what} ${JSON.stringify(fields)}`);
  };
  let news = NO_NEWS;
  return (nowMs: number, feed: FeedReport | undefined, lagMs: number) => {
    lines.length = 0;
    const log = { info: tell('info'), warn: tell('warn') } as Parameters<typeof tellFeed>[0];
    news = tellFeed(log, 'X', { ...(feed !== undefined && { feed }), lagMs }, news, nowMs);
    return [...lines];
  };
}

test('a change of state is told once, with its reason', () => {
  const say = told();
  assert.deepEqual(say(0, feedOf('live', 'live'), 100), [
    'info the feed is live {"dataset":"X","state":"live"}',
  ]);
  assert.deepEqual(say(1, feedOf('down', 'waiting'), 70_000), [
    'warn the feed is down {"dataset":"X","state":"down","connection":"waiting","lastEnd":"cut","lastFailure":null}',
  ]);
  assert.deepEqual(say(2, feedOf('down', 'waiting'), 71_000), []);
  assert.deepEqual(say(3, feedOf('live', 'live'), 100), [
    'info the feed is live {"dataset":"X","state":"live"}',
  ]);
});

test('a feed that connects for the first time is no warning; one that is interrupted is', () => {
  const say = told();
  const fields = (connection: string) =>
    `{"dataset":"X","state":"stale","connection":"${connection}","lastEnd":"cut","lastFailure":null}`;
  assert.deepEqual(say(0, feedOf('stale', 'connecting'), 0), [
    `info the feed is stale ${fields('connecting')}`,
  ]);
  say(1, feedOf('live', 'live'), 100);
  assert.deepEqual(say(2, feedOf('stale', 'waiting'), 100), [
    `warn the feed is stale ${fields('waiting')}`,
  ]);
});

test('a feed that catches up says every ten seconds how far it is behind', () => {
  const say = told();
  const feed = feedOf('live', 'backfilling');
  const hours = (count: number) => count * 3_600_000;
  assert.match(
    say(0, feed, hours(9.2)).join(),
    /the feed is catching up .*"done":"0 %","behind":"9 h 12 min"/,
  );
  assert.deepEqual(say(9_999, feed, hours(9)), []);
  assert.match(say(10_000, feed, hours(2.3)).join(), /"done":"75 %","behind":"2 h 18 min"/);
  assert.match(say(20_000, feed, hours(18.4)).join(), /"done":"0 %"/);
  assert.match(say(21_000, feed, 1_000).join(), /the feed has caught up/);
  assert.deepEqual(say(40_000, feed, 1_000), []);
});

test('a market that is made here says nothing', () => {
  assert.deepEqual(told()(0, undefined, 1e9), []);
});
