/** The words of states, as the design has them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FeedStage, STAGE_SPEC } from '../../testing/feed-stage.ts';
import { ChartContent } from '../series/chart-content.ts';
import { ChartFeed } from './chart-feed.ts';
import { ordinal, shareText } from './number-words.ts';
import type { FeedSources, SharedState } from './sources.ts';
import { budgetHem, dayWords, durationWords, lostNote, resetNote, usedUpHem } from './words.ts';

const NOVEMBER = Date.UTC(2026, 10, 17);

test('the hem says cost and share, and offers what fits', () => {
  const cost = {
    ...{ units: 4_079_061, barsUnits: 453_229, indicators: 9, unitsPerMonth: 50_000_000 },
    ...{ remaining: 40_000_000, barsName: 'footprint', what: 'The rest of this session' },
    nowMs: NOVEMBER,
  };
  const hem = budgetHem(cost);
  assert.equal(
    hem.text,
    "The rest of this session costs 4,079,061 units for 9 indicators: 8.2% of November's 50,000,000.",
  );
  assert.deepEqual(
    hem.actions.map(({ text }) => text),
    ['Load it', 'Footprint only, 453,229'],
  );
  const poor = budgetHem({ ...cost, remaining: 1_000_000 });
  assert.match(poor.text, /50,000,000\. Only 1,000,000 are left\.$/);
  assert.deepEqual(
    poor.actions.map(({ id }) => id),
    ['load-bars'],
  );
  const alone = budgetHem({ ...cost, indicators: 1, units: 453_229 });
  assert.deepEqual(
    alone.actions.map(({ id }) => id),
    ['load-all'],
  );
});

test('the year ends in December', () => {
  assert.equal(
    usedUpHem(Date.UTC(2026, 11, 31, 23)).text,
    "December's history is used up. The stream goes on. History returns on 1 January, 00:00 UTC.",
  );
});

test('resets have a reason in words; a roll is seen, and unknown reasons are said too', () => {
  assert.equal(resetNote('roll', '14:52:07'), null);
  assert.equal(
    resetNote('cursor_expired', '14:52:07')!.text,
    'The last state was too old to continue. Loaded afresh at 14:52:07.',
  );
  assert.equal(resetNote('novelty', '1')!.text, 'The stream began anew. Loaded afresh at 1.');
});

test('lengths, shares and ordinals', () => {
  assert.deepEqual([0, 8_400, 60_000, 185_000, 7_800_000].map(durationWords), [
    '0 s',
    '8 s',
    '1 min',
    '3 min 5 s',
    '2 h 10 min',
  ]);
  assert.deepEqual([0.000_02, 0.000_4, 0.082, 0.5, 1.2].map(shareText), [
    'less than 0.01%',
    '0.04%',
    '8.2%',
    '50%',
    '120%',
  ]);
  assert.deepEqual([1, 3, 9, 12, 22, 51, 113].map(ordinal), [
    'first',
    'third',
    '9th',
    '12th',
    '22nd',
    '51st',
    '113th',
  ]);
  assert.deepEqual([dayWords('2026-11-02'), dayWords('odd')], ['2 November', 'odd']);
  assert.equal(
    lostNote({ awayMs: 5_000, shownAt: null, canResume: true }).text,
    'Reconnecting, away for 5 s.',
  );
});

test('what a shared connection is in, its charts say', async () => {
  const stage = new FeedStage({ plan: 'sandbox' });
  const { service, budget, room } = stage;
  let state: SharedState = { t: 'open' };
  const hears = new Set<(state: SharedState) => void>();
  const sources: FeedSources = {
    subscribe: (request) => service.subscribe(request),
    history: (request) => service.history(request),
    estimate: (request) => service.estimate(request),
    usage: () => service.usage(),
    instruments: () => service.instruments(),
    connection: 'open',
    on: () => () => {},
    get state() {
      return state;
    },
    onState: (hear) => {
      hears.add(hear);
      return () => hears.delete(hear);
    },
  };
  const content = new ChartContent();
  const options = { key: 'a', spec: STAGE_SPEC, sources, content, clock: service.clock };
  const feed = new ChartFeed({ ...options, budget, limits: room });
  stage.trades(3);
  feed.open();
  await stage.settle();
  service.pass(1_000);
  const shown = (next: SharedState) => {
    state = next;
    for (const hear of hears) hear(next);
    service.pass(1_000);
    return [content.live, feed.note?.text ?? null];
  };
  assert.deepEqual(shown({ t: 'open' }), ['delayed', null]);
  assert.deepEqual(shown({ t: 'other-tab' }), [
    'paused',
    'Another tab holds your only connection. This chart shows 22:00:03.',
  ]);
  assert.deepEqual(feed.note!.actions, [{ id: 'use-here', text: 'Use it here' }]);
  assert.deepEqual(shown({ t: 'signed-out' }), [
    'lost',
    'You are signed out. The picture stays; nothing new arrives.',
  ]);
  assert.deepEqual(
    shown({ t: 'ended', code: 'ENTITLEMENTS_CHANGED' })[1],
    'Your plan has changed. The picture stays; nothing new arrives.',
  );
  assert.deepEqual(shown({ t: 'paused' }), ['paused', null]);
  assert.deepEqual(shown({ t: 'open' }), ['delayed', 'Paused while hidden']);
  service.pass(3_000);
  assert.equal(feed.note, null);
  feed.close();
});

test('history that is older than a plan allows is said with the plan', async () => {
  const stage = new FeedStage({ plan: 'sandbox' });
  stage.trades(30);
  stage.hours(24 * 9);
  stage.trades(3);
  stage.service.firstDayNs = 0n;
  await stage.open();
  await stage.backToStart();
  assert.deepEqual(stage.feed.hem, {
    why: 'start',
    text: 'Your plan, Sandbox, has the history of the last 7 days.',
    actions: [{ id: 'see-plans', text: 'See what Historical adds' }],
  });
});
