import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, SAMPLE_ORDER } from '../../../testing/sample-order.ts';
import type { OrderView } from '../../api/portal-shapes.ts';
import { nextWaitMs } from './order-watch.ts';
import {
  cancelledText,
  cancelText,
  cancelWord,
  holdingSentence,
  keepWord,
  stateWord,
  waitingWords,
} from './order-words.ts';

const LIVE = SAMPLE_ORDER;
const HISTORY: OrderView = { ...LIVE, offer: 'history', interval: null, paidUntil: null };

test('what is held and what comes next is one sentence with its date', () => {
  const by = (order: OrderView, until: string | null = null) =>
    holdingSentence('Live', { by: 'order', order, until });
  assert.equal(by(LIVE), 'Live renews on 15 Dec 2026 for €79.00 a month, tax included.');
  assert.equal(
    by({ ...LIVE, state: 'cancelled' }),
    'Live is cancelled and stays active until 15 Dec 2026. Nothing is charged again.',
  );
  assert.equal(
    by({ ...LIVE, state: 'past_due' }, at('2026-12-22T10:01:00Z')),
    'The renewal of Live was declined on 15 Dec 2026. Live stays active until 22 Dec 2026.',
  );
  assert.equal(by(HISTORY), 'Live is yours for life, since 15 Nov 2026.');
  const trial = { by: 'trial', until: at('2026-12-01T00:00:00Z') } as const;
  assert.equal(holdingSentence('Live', trial), 'Live is yours until 1 Dec 2026, at no charge.');
  assert.equal(holdingSentence('Live', { by: 'gift' }), 'Live is yours, without an end date.');
});

test('cancelling says what ends when, also after a renewal that failed', () => {
  const failed: OrderView = { ...LIVE, state: 'past_due' };
  assert.match(cancelText(LIVE, 'Live'), /^Live stays active until 15 Dec 2026\./);
  assert.match(cancelText(failed, 'Live'), /^Live ends now/);
  assert.equal(
    cancelledText({ ...LIVE, state: 'cancelled' }, 'Live'),
    'Live stays active until 15 Dec 2026.',
  );
  assert.equal(cancelledText({ ...LIVE, state: 'ended' }, 'Live'), 'Live is off.');
});

test('an order says its state in words', () => {
  const word = (state: OrderView['state']) => stateWord({ state, withdrawn: null });
  assert.deepEqual(word('past_due'), { word: 'Renewal failed', kind: 'danger' });
  assert.deepEqual(word('failed'), { word: 'Not paid', kind: 'plain' });
  const nothing = { mailedAt: null, settledAt: null, amountMinor: 0 };
  const withdrawn = { at: LIVE.createdAt, state: 'open', ...nothing } as const;
  assert.equal(stateWord({ state: 'paid', withdrawn }).word, 'Withdrawn');
});

test('while the provider has confirmed nothing, no page says that a payment was received', () => {
  const [soon, late] = [false, true].map((isGivenUp) =>
    Object.values(waitingWords(isGivenUp)).join(' '),
  );
  assert.match(soon!, /^Waiting for the provider’s confirmation\./);
  assert.match(late!, /has not confirmed a payment yet/);
  for (const words of [soon!, late!]) assert.doesNotMatch(words, /received|paid/i);
});

test('the ways out say their dates', () => {
  const cancelled: OrderView = { ...LIVE, state: 'cancelled' };
  assert.equal(cancelWord(LIVE, 'Live'), 'Cancel, active until 15 Dec 2026');
  assert.equal(cancelWord({ ...LIVE, state: 'past_due' }, 'Live'), 'Cancel Live');
  assert.equal(cancelWord(cancelled, 'Live'), null);
  assert.equal(cancelWord(HISTORY, 'Historical'), null);
  assert.equal(keepWord(cancelled, 'Live'), 'Keep Live after 15 Dec 2026');
  assert.equal(keepWord(LIVE, 'Live'), null);
});

test('a waiting order is asked about less and less often, and not for ever', () => {
  const waits = Array.from({ length: 14 }, (_, asked) => nextWaitMs(asked, 0)! / 1_000);
  assert.deepEqual(waits, [1, 1, 2, 2, 3, 3, 5, 5, 8, 10, 15, 20, 30, 30]);
  assert.equal(nextWaitMs(40, 15 * 60_000), null);
});
