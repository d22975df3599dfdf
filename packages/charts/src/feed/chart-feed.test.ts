/** What a chart's feed does and says in every state, on a service whose time and faults the test decides. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TapeloomError } from '@tapeloom/client/stream';
import { START_NS } from '../../testing/fake-service.ts';
import { DAY_NS } from '../../testing/fake-tape.ts';
import { FeedStage, STAGE_SPEC } from '../../testing/feed-stage.ts';
import { DEFAULT_CHART } from '../spec/chart-spec.ts';
import { needOf } from './chart-needs.ts';

const layer = (indicator: string, params = {}) => ({
  key: indicator,
  indicator,
  params,
  isHidden: false,
});
const SECOND_MS = 1_000;

test('a first visit subscribes the footprint alone, and sums the rest from it', async () => {
  const { bar, instrument } = STAGE_SPEC;
  const stage = new FeedStage({ plan: 'sandbox', spec: { ...DEFAULT_CHART, bar, instrument } });
  stage.trades(20);
  await stage.open();
  assert.deepEqual(
    stage.service.subscriptions.map(({ request }) => [request.indicator, request.params]),
    [['footprint', { depth: 5_000, bar: 'tick', size: 3 }]],
  );
  const { content, feed } = stage;
  for (const key of ['vwap', 'delta', 'volume-profile']) {
    const { state, isSummedHere, objects } = content.layers.get(key)!;
    assert.deepEqual([state.t, isSummedHere], ['ready', true], key);
    assert.ok(objects.size > 0, key);
  }
  assert.equal(content.layers.get('delta')!.objects, feed.sums!.delta);
  assert.equal(content.live, 'delayed');
  assert.deepEqual(content.instrument, {
    ...{ name: instrument, contract: 'ESZ6', title: 'E-mini ESZ6' },
    ...{ tickSizeNanos: 250_000_000, timeZone: 'UTC' },
  });
  const before = feed.sums!.delta.all.at(-1)!.data.close;
  stage.trades(1);
  await stage.settle();
  assert.notEqual(feed.sums!.delta.all.at(-1)!.data.close, before);
});

test('a plan without history shows the snapshot, and says why it ends there', async () => {
  const stage = new FeedStage({ plan: 'live', spec: { layers: [layer('large-trades')] } });
  stage.trades(9);
  await stage.open();
  assert.deepEqual(stage.content.edge, { t: 'hem', why: 'no-history' });
  assert.deepEqual(stage.feed.hem, {
    why: 'no-history',
    text: 'The snapshot starts here. Your plan, Live, has no history.',
    actions: [{ id: 'see-plans', text: 'See what Historical adds' }],
  });
  await stage.back();
  assert.equal(stage.service.estimates.length, 0);
  assert.equal(stage.content.live, 'live');
});

test('without history and with a cut snapshot nothing can be summed: what was to be summed is subscribed', async () => {
  const stage = new FeedStage({ plan: 'live', depth: 2, spec: { layers: [layer('vwap')] } });
  stage.trades(30);
  await stage.open();
  const indicators = stage.service.subscriptions.map(({ request }) => request.indicator);
  assert.deepEqual(indicators, ['footprint', 'vwap']);
  assert.equal(stage.content.layers.get('vwap')!.isSummedHere, false);
});

test('the free plan has room for one layer more; another is refused in words, and a place that is freed is used', async () => {
  const stage = new FeedStage({
    plan: 'sandbox',
    spec: { layers: [layer('large-trades'), layer('sweeps')] },
  });
  stage.trades(3);
  await stage.open();
  const { content, feed } = stage;
  assert.equal(content.layers.get('large-trades')!.state.t, 'ready');
  assert.deepEqual(content.layers.get('sweeps')!.state, {
    ...{ t: 'refused', code: 'NO_ROOM' },
    text: 'Needs a third subscription. Your plan has two: footprint and large trades are open.',
  });
  feed.changeSpec({ ...STAGE_SPEC, layers: [layer('sweeps')] });
  await stage.settle();
  assert.equal(content.layers.has('large-trades'), false);
  assert.equal(content.layers.get('sweeps')!.state.t, 'ready');
  assert.equal(stage.room.taken.length, 2);
  feed.close();
  assert.deepEqual(stage.room.taken, []);
});

test('what other programs have taken, the service refuses; the other layers go on', async () => {
  const stage = new FeedStage({ spec: { layers: [layer('sweeps'), layer('tpo')] } });
  stage.service.refused.set('sweeps', new TapeloomError('QUOTA_EXCEEDED', 'Too many.'));
  stage.trades(3);
  await stage.open();
  const { state } = stage.content.layers.get('sweeps')!;
  assert.match(state.t === 'refused' ? state.text : '', /^Other programs use all subscriptions/);
  assert.equal(stage.content.layers.get('tpo')!.state.t, 'ready');
});

test('the bars themselves have no room: the chart says so', async () => {
  const stage = new FeedStage({ plan: 'sandbox' });
  const topic = { key: 'bars', indicator: 'footprint', params: { size: 5 } };
  stage.room.take(needOf('b', 'NQ.c.0', topic));
  await stage.open();
  assert.equal(stage.feed.note!.kind, 'refused');
  assert.match(stage.feed.note!.text, /^Needs a second custom configuration\./);
});

test('a short loss of the connection is not worth a word, a longer one is said with its length', async () => {
  const stage = new FeedStage();
  stage.trades(4);
  await stage.open();
  const { service, feed, content } = stage;
  service.cut();
  service.pass(SECOND_MS);
  assert.equal(feed.note, null);
  assert.equal(content.live, 'live');
  service.pass(7 * SECOND_MS);
  assert.deepEqual(feed.note, {
    kind: 'lost',
    text: 'Reconnecting, away for 8 s. Nothing is lost: the stream resumes at 22:00:04.',
    actions: [{ id: 'try-now', text: 'Try now' }],
  });
  assert.equal(content.live, 'lost');
  service.heal();
  service.pass(SECOND_MS);
  assert.deepEqual([feed.note, content.live], [null, 'live']);
});

test('a plan without history cannot resume after a quarter of an hour, and that is not promised', async () => {
  const stage = new FeedStage({ plan: 'live' });
  stage.trades(4);
  await stage.open();
  stage.service.cut();
  stage.service.pass(16 * 60 * SECOND_MS);
  assert.match(
    stage.feed.note!.text,
    /away for 16 min\. The stream starts from a new snapshot then\.$/,
  );
});

test('a reset is said for ten seconds; the bars it continues stay', async () => {
  const stage = new FeedStage();
  stage.trades(30);
  await stage.open();
  const before = stage.content.bars.columns.length;
  stage.service.cut();
  stage.service.pass(3_000);
  stage.service.heal('cursor_expired');
  await stage.settle();
  assert.equal(
    stage.feed.note!.text,
    'The last state was too old to continue. Loaded afresh at 22:00:33.',
  );
  assert.equal(stage.content.bars.columns.length, before);
  stage.service.pass(10_500);
  assert.equal(stage.feed.note, null);
});

test('data that has changed voids what was loaded', async () => {
  const stage = new FeedStage();
  stage.trades(9);
  stage.hours(24);
  stage.trades(9);
  await stage.open();
  await stage.backToStart();
  const all = stage.content.bars.columns.length;
  stage.service.resetAll('source_gap');
  await stage.settle();
  assert.ok(stage.content.bars.columns.length < all);
  assert.match(
    stage.feed.note!.text,
    /^Data of this session was added, or is missing\. Loaded afresh/,
  );
  assert.deepEqual(stage.content.edge, { t: 'more' });
  await stage.backToStart();
  assert.equal(stage.text, stage.expected());
});

test('a plan that changes while one watches is read anew', async () => {
  const stage = new FeedStage({ plan: 'live_history' });
  stage.trades(9);
  await stage.open();
  stage.service.limits = { ...stage.service.limits, historyDays: 0, delaySeconds: 600 };
  stage.service.resetAll('entitlement_changed');
  await stage.settle();
  assert.equal(stage.room.limits.delaySeconds, 600);
  assert.equal(stage.content.live, 'delayed');
  assert.equal(stage.feed.hem!.why, 'no-history');
});

test('an alias rolls while one watches: the old bars stay, a roll is marked, and old levels end there', async () => {
  const layers = [layer('unfinished-auctions', { bar: 'volume' })];
  const stage = new FeedStage({ spec: { layers } });
  const midnight = (START_NS / DAY_NS + 1n) * DAY_NS;
  stage.service.rolls = [...stage.service.rolls, { from: midnight, symbol: 'ESH7' }];
  stage.trades(30);
  await stage.open();
  assert.equal(stage.feed.nextRollNs, midnight);
  const { content } = stage;
  const before = content.bars.columns.length;
  stage.hours(2);
  await stage.settle();
  assert.deepEqual(content.rolls, [{ atNs: midnight, from: 'ESZ6', to: 'ESH7' }]);
  assert.equal(content.bars.columns.length, before);
  assert.equal(content.instrument!.contract, 'ESH7');
  assert.equal(stage.feed.note, null);
  stage.trades(30, 2);
  await stage.settle();
  assert.equal(stage.text, stage.expected());
  const { all } = content.layers.get('unfinished-auctions')!.objects;
  const old = all.filter(({ ts }) => ts < midnight);
  assert.ok(old.length > 0 && old.some(({ removedNs }) => removedNs === midnight));
  assert.ok(old.every(({ removedNs }) => removedNs !== null && removedNs <= midnight));
});

test('a gap that begins while one watches is a column once trades come again', async () => {
  const stage = new FeedStage();
  stage.trades(3);
  await stage.open();
  const { service, content } = stage;
  service.pass(SECOND_MS);
  const begun = content.tapeNs!;
  const close = START_NS + 23n * 3_600_000_000_000n;
  service.status('stale', close);
  assert.equal(content.partialSince, close);
  service.pass(60_000);
  assert.equal(content.live, 'stale');
  assert.equal(stage.feed.note!.text, 'The market is open, but its source is silent.');
  const end = service.nowNs;
  service.pass(SECOND_MS);
  service.status('live', end);
  stage.trades(3);
  await stage.settle();
  const gaps = content.bars.columns.filter(({ kind }) => kind === 'gap');
  assert.deepEqual(gaps, [{ kind: 'gap', fromNs: begun, endNs: end, why: 'partial' }]);
});

test('the market is shut: the last session, and no word of it', async () => {
  const stage = new FeedStage();
  stage.trades(3);
  await stage.open();
  stage.service.status('closed');
  assert.deepEqual([stage.content.live, stage.feed.note], ['closed', null]);
});

test('other bars begin anew; another look of the same bars asks for nothing', async () => {
  const stage = new FeedStage();
  stage.trades(9);
  await stage.open();
  const [first] = stage.service.subscriptions;
  stage.feed.changeSpec({ ...STAGE_SPEC, look: 'delta', stripRows: 2, group: 4 });
  await stage.settle();
  assert.deepEqual(stage.service.subscriptions, [first]);
  stage.feed.changeSpec({ ...STAGE_SPEC, look: 'candles' });
  await stage.settle();
  assert.ok(first!.isClosed);
  assert.deepEqual(
    stage.service.subscriptions.map(({ request }) => request.indicator),
    ['bars'],
  );
  assert.equal(stage.text, stage.expected('bars'));
});

test('without sessions nothing is summed, and nothing is marked; bars load all the same', async () => {
  const stage = new FeedStage({ hasSessions: false, spec: { layers: [layer('vwap')] } });
  stage.trades(30);
  stage.hours(24);
  stage.trades(3);
  await stage.open();
  assert.equal(stage.content.layers.get('vwap')!.isSummedHere, false);
  assert.deepEqual(stage.content.sessions, []);
  await stage.backToStart();
  assert.equal(stage.text, stage.expected());
});

test('a feed that is closed asks for nothing more and changes nothing', async () => {
  const stage = new FeedStage();
  stage.trades(30);
  stage.hours(24);
  stage.trades(3);
  await stage.open();
  stage.feed.loadBack();
  stage.feed.close();
  await stage.settle();
  const { revision } = stage.content;
  stage.trades(3);
  stage.service.pass(60_000);
  await stage.settle();
  assert.equal(stage.content.revision, revision);
  assert.equal(stage.service.subscriptions.length, 0);
});
