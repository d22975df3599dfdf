import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GOLDEN_TOPICS } from './golden-topics.ts';
import { withNewCases } from './new-cases.ts';
import { pageLimitOf } from './page-limits.ts';

const written = { 'bars: pages': '1 a', 'stream bars, live': '2 b' };

test('cases of a new indicator are added beside the written ones', () => {
  const found = { 'bars: pages': '1 a', 'new: pages': '3 c', 'stream bars, live': '2 b' };
  assert.deepEqual(withNewCases(written, found), { digests: found, added: ['new: pages'] });
  assert.deepEqual(withNewCases(written, written), { digests: written, added: [] });
});

test('a written case that has changed or is gone refuses everything, the new cases too', () => {
  const { 'stream bars, live': _, ...fewer } = written;
  assert.deepEqual(withNewCases(written, { ...written, 'bars: pages': '1 x', new: '3 c' }), {
    changed: ['bars: pages'],
  });
  assert.deepEqual(withNewCases(written, fewer), { changed: ['stream bars, live'] });
});

test('the limit of a page follows from the name of its topic, and new names have all of the limits', () => {
  const before = GOLDEN_TOPICS.map(({ name }) => pageLimitOf(name));
  assert.deepEqual(before.slice(0, 5), [97, 1_000, 10_000, 311, 97]);
  const names = Array.from({ length: 40 }, (_, n) => `indicator-${n}`);
  const limits = new Set(names.map(pageLimitOf));
  assert.deepEqual(
    [...limits].sort((a, b) => a - b),
    [97, 311, 1_000, 10_000],
  );
});
