/** How a chart's feed loads the past: what it costs, what it asks before, and what it does when it fails. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TapeloomError } from '@tapeloom/client/stream';
import { START_NS } from '../../testing/fake-service.ts';
import { DAY_NS } from '../../testing/fake-tape.ts';
import { FeedStage, STAGE_SPEC } from '../../testing/feed-stage.ts';

const layer = (indicator: string, params = {}) => ({
  key: indicator,
  indicator,
  params,
  isHidden: false,
});
const UNITS = 100_000;

test('with history the missing bars of the session are loaded at once, and then it is summed', async () => {
  const stage = new FeedStage({ depth: 2, spec: { layers: [layer('vwap')] } });
  stage.trades(30);
  await stage.open();
  assert.equal(stage.text, stage.expected());
  assert.ok(stage.content.layers.get('vwap')!.isSummedHere);
  assert.ok(stage.feed.sums!.vwap.size > 5);
  assert.equal(stage.service.subscriptions.length, 1);
});

test('a gesture loads what 1 % of the month pays, then the hem says the cost and waits', async () => {
  const stage = new FeedStage({ plan: 'sandbox', unitsPerTrade: UNITS });
  stage.trades(60);
  stage.hours(24);
  stage.trades(9);
  await stage.open();
  const snapshot = stage.content.bars.columns.length;
  await stage.back();
  const { service } = stage;
  assert.ok(service.charged <= 500_000, String(service.charged));
  assert.equal(stage.content.bars.columns.length, snapshot);
  assert.deepEqual(stage.feed.hem, {
    why: 'budget',
    text: "The session before costs 6,000,000 units: 12% of November's 50,000,000.",
    actions: [{ id: 'load-all', text: 'Load it' }],
  });
  assert.deepEqual(stage.content.edge, { t: 'hem', why: 'budget' });
  stage.feed.loadAnyway('all');
  await stage.settle();
  assert.equal(service.charged, 6_000_000);
  assert.equal(stage.text, stage.expected());
  assert.equal(stage.budget.spentToday, 6_000_000);
});

test('the hem offers the bars alone when the layers are what costs', async () => {
  const stage = new FeedStage({
    plan: 'history',
    unitsPerTrade: 8 * UNITS * 100,
    limits: { maxSubscriptions: 9 },
    spec: { layers: [layer('large-trades'), layer('sweeps')] },
  });
  stage.trades(60);
  stage.hours(24);
  stage.trades(3);
  await stage.open();
  await stage.back();
  assert.deepEqual(stage.feed.hem, {
    why: 'budget',
    text: "The session before costs 14,400,000,000 units for 3 indicators: 72% of November's 20,000,000,000.",
    actions: [
      { id: 'load-all', text: 'Load it' },
      { id: 'load-bars', text: 'Footprint only, 4,800,000,000' },
    ],
  });
  stage.feed.loadAnyway('bars');
  await stage.settle();
  assert.equal(stage.service.charged, 4_800_000_000);
  assert.equal(stage.text, stage.expected());
});

test('gestures spend 5 % of the month in a day and never more, whoever scrolls', async () => {
  const texts = new Map<string, string>();
  const store = {
    get: (name: string) => texts.get(name) ?? null,
    set: (name: string, text: string) => void texts.set(name, text),
  };
  const stage = new FeedStage({ plan: 'sandbox', unitsPerTrade: 10_000, store });
  for (let session = 0; session < 4; session += 1) {
    for (let block = 0; block < 15; block += 1) {
      stage.trades(12, block);
      stage.hours(1);
    }
    stage.hours(9);
  }
  stage.trades(3);
  await stage.open();
  for (let gesture = 0; gesture < 40; gesture += 1) {
    const before = stage.service.charged;
    await stage.back();
    assert.ok(stage.service.charged - before <= 500_000);
  }
  assert.ok(stage.service.charged > 2_000_000 && stage.service.charged <= 2_500_000);
  assert.equal(stage.feed.hem!.why, 'budget');
  const other = new FeedStage({ plan: 'sandbox', unitsPerTrade: 1_000, store });
  assert.ok(other.budget.spentToday >= 2_000_000 || other.service.nowMs !== stage.service.nowMs);
});

test('calls of one gesture are one gesture, however many', async () => {
  const stage = new FeedStage({ plan: 'sandbox', unitsPerTrade: 40_000 });
  for (let hour = 0; hour < 12; hour += 1) {
    stage.trades(30, hour);
    stage.hours(1);
  }
  stage.hours(12);
  stage.trades(3);
  await stage.open();
  stage.service.pass(5_000);
  for (let call = 0; call < 20; call += 1) {
    stage.feed.loadBack();
    await stage.settle();
    stage.service.pass(100);
  }
  assert.ok(stage.service.charged <= 500_000, String(stage.service.charged));
});

test('the month is used up: the stream goes on, and the hem says until when', async () => {
  const stage = new FeedStage({ plan: 'sandbox', unitsPerTrade: UNITS });
  stage.trades(30);
  stage.hours(24);
  stage.trades(3);
  stage.service.remaining = 5;
  await stage.open();
  await stage.back();
  assert.equal(
    stage.feed.hem!.text,
    "November's history is used up. The stream goes on. History returns on 1 December, 00:00 UTC.",
  );
  stage.trades(3);
  await stage.settle();
  assert.equal(stage.content.bars.columns.length, 2);
});

test('history fails for a while: it is tried again with longer waits, and said', async () => {
  const stage = new FeedStage();
  stage.trades(9);
  stage.hours(24);
  stage.trades(3);
  await stage.open();
  const error = () => new TapeloomError('CAPACITY', 'The service is at capacity.');
  stage.service.faults.push(error(), error());
  await stage.back();
  assert.equal(
    stage.feed.note!.text,
    'Older bars could not be loaded: The service is at capacity. Trying again in 2 s.',
  );
  stage.service.pass(2_000);
  await stage.settle();
  assert.match(stage.feed.note!.text, /in 4 s/);
  stage.service.pass(4_000);
  await stage.settle();
  assert.equal(stage.feed.note, null);
  assert.equal(stage.text, stage.expected());
});

test('history keeps failing: after the last retry a reader decides', async () => {
  const stage = new FeedStage();
  stage.trades(9);
  stage.hours(24);
  stage.trades(3);
  await stage.open();
  for (let at = 0; at < 6; at += 1) {
    stage.service.faults.push(new TapeloomError('NETWORK', 'no answer'));
  }
  await stage.back();
  for (let at = 0; at < 5; at += 1) {
    stage.service.pass(40_000);
    await stage.settle();
  }
  assert.deepEqual(stage.feed.note, {
    kind: 'history-failed',
    text: 'Older bars could not be loaded: no answer.',
    actions: [{ id: 'load-again', text: 'Load again' }],
  });
  stage.feed.loadAgain();
  await stage.settle();
  assert.equal(stage.text, stage.expected());
});

test('history is refused: the hem says it in the words of the service', async () => {
  const stage = new FeedStage();
  stage.trades(9);
  stage.hours(24);
  stage.trades(3);
  await stage.open();
  stage.service.faults.push(new TapeloomError('UNKNOWN_INSTRUMENT', 'No such contract.'));
  await stage.back();
  assert.equal(stage.feed.hem!.text, 'Older bars cannot be loaded. No such contract.');
});

test('gaps of history are columns between bars, one for each outage', async () => {
  const stage = new FeedStage();
  stage.trades(9);
  stage.hours(24);
  stage.trades(9);
  const from = START_NS + DAY_NS / 2n;
  stage.service.gaps = [
    { from, to: from + 1_000n },
    { from: START_NS - DAY_NS, to: START_NS - 5n },
  ];
  await stage.open();
  await stage.backToStart();
  const gaps = stage.content.bars.columns.filter(({ kind }) => kind === 'gap');
  assert.deepEqual(gaps, [{ kind: 'gap', fromNs: from, endNs: from + 1_000n, why: 'missing' }]);
});

test('a layer that is added is loaded for the bars that are here, and its cost can be asked before', async () => {
  const stage = new FeedStage();
  stage.trades(30);
  stage.hours(24);
  stage.trades(30);
  await stage.open();
  await stage.backToStart();
  const { charged } = stage.service;
  const added = layer('unfinished-auctions', { bar: 'volume' });
  const cost = await stage.feed.costOf(added.indicator, added.params);
  assert.deepEqual([cost!.units, cost!.indicators], [60, 1]);
  stage.feed.changeSpec({ ...STAGE_SPEC, layers: [added] });
  await stage.settle();
  assert.equal(stage.service.charged, charged, 'looking at it costs nothing');
  stage.feed.loadLayers();
  await stage.settle();
  assert.equal(stage.service.charged - charged, 60);
  const { all } = stage.content.layers.get('unfinished-auctions')!.objects;
  assert.ok(all.some(({ removedNs }) => removedNs !== null));
});
