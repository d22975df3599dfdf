import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { KeptAnswers } from './kept-answers.ts';

test('an answer is made again when something has changed or its time is over, and for another kind of question', () => {
  const answers = new KeptAnswers();
  let made = 0;
  const ask = (kind: string, revision: number, now: bigint, until: bigint | null = 10n) =>
    answers.answer(kind, revision, now as EpochNs, () => {
      made += 1;
      return { text: `${made}`, until: until as EpochNs | null };
    }).text;
  assert.deepEqual([ask('a', 1, 0n), ask('a', 1, 9n)], ['1', '1']);
  assert.equal(ask('b', 1, 9n), '2');
  assert.equal(ask('a', 1, 10n, null), '3');
  assert.deepEqual([ask('a', 1, 1_000n), ask('a', 2, 1_000n)], ['3', '4']);
});
