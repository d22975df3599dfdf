import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noHistoryHem, refusedHem, startHem, usedUpHem } from '../feed/words.ts';
import { visitorHem, visitorNote } from './visitor-words.ts';

const BUDGET = {
  why: 'budget',
  text: "The rest of this session costs 4,079,061 units: 8.2% of November's 50,000,000.",
  actions: [{ id: 'load-all', text: 'Load it' }],
} as const;

test('visitors read nothing of plans, prices and budgets', () => {
  const hems = [
    noHistoryHem('Live'),
    BUDGET,
    usedUpHem(Date.UTC(2026, 10, 17)),
    refusedHem('The key svc_live_x has expired.'),
    startHem('ESZ6', null, { name: 'Sandbox', days: 7 }),
  ];
  for (const hem of hems) {
    const shown = visitorHem(hem, 'scroll');
    assert.doesNotMatch(shown!.text, /plan|units|November|key|Live|Sandbox/i);
    assert.deepEqual(shown!.actions, []);
  }
});

test('a page of a team asks before it spends more', () => {
  assert.deepEqual(visitorHem(BUDGET, 'ask'), BUDGET);
});

test('where the data begin is no secret', () => {
  const hem = startHem('ESZ6', '2026-09-12', null);
  assert.equal(visitorHem(hem, 'scroll')?.text, hem.text);
  assert.equal(visitorHem(null, 'scroll'), null);
});

test('a note keeps only what a visitor can do', () => {
  const actions = [
    { id: 'try-now', text: 'Try now' },
    { id: 'load-again', text: 'Try again' },
  ] as const;
  const note = visitorNote({ kind: 'lost', text: 'Reconnecting', actions });
  assert.deepEqual(
    note?.actions.map(({ id }) => id),
    ['load-again'],
  );
  assert.equal(visitorNote(null), null);
});
