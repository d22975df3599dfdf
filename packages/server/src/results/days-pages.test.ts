import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rank, UtcDay } from '@tapeloom/core/numbers';
import { DaysPages } from './days-pages.ts';

const KIB = 1_024;
const DAY = 20_000 as UtcDay;
const POSITION = { day: DAY, rank: 1 as Rank, k: 0 };

/** The lengths of pages of frames, if each page is taken as soon as it is full. */
function lengths(pages: DaysPages, frames: number, frameBytes: number): readonly number[] {
  const found: number[] = [];
  for (let frame = 0; frame < frames; frame += 1) {
    pages.open(DAY);
    pages.addFrame(new Uint8Array(frameBytes), 1);
    if (pages.isFull) found.push(pages.take(POSITION, false).frames.length);
  }
  return found;
}

test('the first page of frames is there soon, and later ones grow to what a page holds', () => {
  const found = lengths(new DaysPages(0, 'frames'), 44, 64 * KIB);
  assert.deepEqual(
    found.map((length) => length / KIB),
    [256, 512, 1_024, 1_024],
  );
});

test('a page of frames is never to hold more than was told', () => {
  const found = lengths(new DaysPages(0, 'frames', 128 * KIB), 6, 64 * KIB);
  assert.deepEqual(found, [128 * KIB, 128 * KIB, 128 * KIB]);
});
