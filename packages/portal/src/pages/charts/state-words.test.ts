import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  lagText,
  lateText,
  monthName,
  type PillFacts,
  pillOf,
  sessionWords,
  sharePercent,
  spanText,
} from './state-words.ts';

const minutes = (count: number) => BigInt(count) * 60_000_000_000n;
const LIVE: PillFacts = { connection: 'open', live: 'live', delaySeconds: 0, replayDay: null };

test('the pill says the one thing that matters most', () => {
  const texts = (facts: Partial<PillFacts>) => pillOf({ ...LIVE, ...facts }).text;
  assert.equal(texts({}), 'Live');
  assert.equal(texts({ delaySeconds: 600 }), '10 minutes late');
  assert.equal(texts({ connection: 'lost', delaySeconds: 600 }), 'Reconnecting');
  assert.equal(texts({ connection: 'other-tab' }), 'Paused');
  assert.equal(texts({ replayDay: '17 Nov', connection: 'lost' }), 'Replay, 17 Nov');
  assert.equal(texts({ live: 'closed' }), 'Market closed');
  assert.equal(texts({ connection: 'signed-out' }), 'Signed out');
  assert.equal(pillOf(LIVE).kind, 'ok');
});

test('time left is told in words that need no reckoning', () => {
  assert.deepEqual(
    [1, 46, 60, 192, 24 * 60, 24 * 60 * 3].map((count) => spanText(minutes(count))),
    ['1 min', '46 min', '1 h', '3 h 12 min', '24 h', '3 days'],
  );
  assert.equal(spanText(1n), '1 min');
  assert.equal(lateText(600), '10 minutes');
});

test('the next change of the hours is named: regular hours, the end of the session, the next opening', () => {
  const at = (count: number) => minutes(count);
  const spans = [
    {
      date: 20_261_117,
      openNs: at(0),
      closeNs: at(1_380),
      regular: { openNs: at(930), closeNs: at(1_320) },
    },
    { date: 20_261_118, openNs: at(1_440), closeNs: at(2_820), regular: null },
  ];
  const words = (count: number) => {
    const found = sessionWords(spans, at(count));
    return found === null ? null : `${found.text} ${found.value}`;
  };
  assert.equal(words(900), 'Regular hours begin in 30 min');
  assert.equal(words(1_274), 'Regular hours end in 46 min');
  assert.equal(words(1_320), 'Session ends in 1 h');
  assert.equal(words(1_380), 'Opens in 1 h');
  assert.equal(words(1_500), 'Session ends in 22 h');
  assert.equal(words(2_820), null);
});

test('shares never look like nothing, nor like all before it is', () => {
  assert.deepEqual([0, 0.000001, 0.00003, 0.0007, 0.0123, 0.5, 0.9999, 1, 2].map(sharePercent), [
    '0%',
    '<0.001%',
    '0.003%',
    '0.07%',
    '1.2%',
    '50%',
    '99.9%',
    '100%',
    '100%',
  ]);
  assert.deepEqual([90, 9_950, 12_400, 180_000].map(lagText), ['0.1 s', '9.9 s', '12 s', '3 min']);
  assert.equal(monthName('2026-11'), 'November');
});
