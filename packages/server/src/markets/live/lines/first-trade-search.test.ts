import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import fc from 'fast-check';
import { FirstTradeSearch } from './first-trade-search.ts';
import { type FeedTrade, instantOf, type PageReading, type PageWish } from './line.ts';

const DAY = 20_000;
const SECOND_NS = 1_000_000_000;
const at = (seconds: number) =>
  instantOf({ day: DAY, ns: Math.round(seconds * SECOND_NS) }) as EpochNs;

function trade(id: number, seconds: number): FeedTrade {
  return { id, day: DAY, ns: Math.round(seconds * SECOND_NS), price: 1, size: 1, side: 1 };
}

interface Memory {
  readonly trades: readonly FeedTrade[];
  readonly oldestId: number;
  readonly says: 'nothing' | 'within' | 'forgotten' | 'oldest';
}

function answer({ trades, oldestId, says }: Memory, { fromId, toId }: PageWish): PageReading {
  const known = trades.filter(({ id }) => id >= oldestId);
  if (fromId === null) return { kind: 'trades', trades: known.slice(-10), isLast: true };
  const isForgotten = fromId < oldestId;
  if (says === 'within') {
    const rows = known.filter(({ id }) => id >= fromId && id <= toId!);
    return { kind: 'trades', trades: rows.toReversed(), isLast: false };
  }
  if (isForgotten && says !== 'nothing') {
    return { kind: 'forgotten', oldestId: says === 'oldest' ? oldestId : null };
  }
  const rows = known.filter(({ id }) => id >= fromId).slice(0, toId! - fromId + 1);
  return { kind: 'trades', trades: rows, isLast: false };
}

function searched(memory: Memory, seconds: number) {
  const search = new FirstTradeSearch(at(seconds));
  for (let pages = 1; pages < 100; pages += 1) {
    const wish = search.wish();
    search.page(wish, answer(memory, wish));
    if (search.found !== null) return { ...search.found, pages };
  }
  return assert.fail('the search does not end');
}

test('the first trade of a time is found, or the oldest that the venue remembers', () => {
  fc.assert(
    fc.property(
      fc.record({
        first: fc.constantFrom(1, 2, 5_000, 3_000_000_000),
        // Busy hours and quiet ones.
        gaps: fc.array(fc.constantFrom(0, 0.001, 0.02, 5, 300), { minLength: 1, maxLength: 40 }),
        each: fc.constantFrom(1, 50, 900),
        forgotten: fc.constantFrom(0, 0, 7, 1_000),
        says: fc.constantFrom('nothing', 'within', 'forgotten', 'oldest'),
        share: fc.double({ min: -0.1, max: 1.1, noNaN: true }),
      }),
      ({ first, gaps, each, forgotten, says, share }) => {
        let seconds = 10_000;
        const trades = gaps.flatMap((gap, run) =>
          Array.from({ length: each }, (_, row) => {
            seconds += gap;
            return trade(first + run * each + row, seconds);
          }),
        );
        const oldestId = Math.min(first + forgotten, trades.at(-1)!.id);
        const from = 10_000 + (seconds - 10_000) * share;
        const found = searched({ trades, oldestId, says }, from);
        const expected = trades.find((one) => one.id >= oldestId && instantOf(one) >= at(from));
        assert.equal(found.id, expected?.id ?? trades.at(-1)!.id + 1);
        // Never earlier than what is complete.
        const missing = trades.findLast((one) => one.id < found.id!);
        if (missing !== undefined) assert.ok(found.from >= instantOf(missing) || share > 1);
        assert.ok(expected === undefined || found.from <= instantOf(expected));
        assert.ok(found.from >= at(from));
      },
    ),
    { numRuns: 300 },
  );
});

test('a day of a million trades takes few pages', () => {
  const trades = Array.from({ length: 300_000 }, (_, row) => trade(900_000_000 + row, row / 4));
  const { id, pages } = searched({ trades, oldestId: 0, says: 'nothing' }, 3_600);
  assert.equal(id, 900_000_000 + 14_400);
  assert.ok(pages <= 12, `${pages}`);
});

test('a contract that was never traded begins with whatever comes first', () => {
  const { id, pages } = searched({ trades: [], oldestId: 0, says: 'nothing' }, 0);
  assert.equal(id, null);
  assert.equal(pages, 3);
});

test('one empty page is asked again', () => {
  const search = new FirstTradeSearch(at(0));
  search.page(search.wish(), { kind: 'trades', trades: [trade(50_000, 90)], isLast: true });
  const wish = search.wish();
  search.page(wish, { kind: 'trades', trades: [], isLast: true });
  assert.deepEqual(search.wish(), wish);
});
