import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { KeyedPagesLine } from './keyed-pages-line.ts';
import type { FeedTrade, PageWish } from './line.ts';
import { LineBudget } from './line-budget.ts';

const at = (ms: number) => BigInt(ms * 1_000_000) as EpochNs;
const trade = (id: number): FeedTrade => ({
  id,
  day: 20_000,
  ns: id * 1_000_000,
  price: id,
  size: 1,
  side: 1,
  key: `key ${id}`,
});
/** A page has no numbers. */
const rows = (...ids: readonly number[]) => ids.map((id) => ({ ...trade(id), id: 0 }));
const page = (...ids: readonly number[]) =>
  ({ kind: 'trades', trades: rows(...ids), isLast: false }) as const;

function stage(position: string | null = null, lastId = -1, budget = new LineBudget()) {
  const line = new KeyedPagesLine({
    symbol: 'XBT',
    budget,
    lastId,
    position,
    beginsWithNewest: true,
  });
  line.connected(at(0));
  return line;
}

function taken(line: KeyedPagesLine): unknown[] {
  const found: unknown[] = [];
  for (let output = line.take(1_000); output !== null; output = line.take(1_000)) {
    for (const { id, price } of output.trades) {
      assert.equal(id, price, 'a wrong number');
      found.push(id);
    }
    if (output.loss !== null) found.push(`${output.loss.ids!.firstId}-${output.loss.ids!.lastId}`);
  }
  return found;
}

/** It has taken 10, and 16 waits. */
function withHole(budget?: LineBudget) {
  const line = stage(null, -1, budget);
  line.live([trade(10)], at(0));
  assert.deepEqual(taken(line), [10]);
  line.live([trade(16)], at(0));
  return line;
}

function ask(line: KeyedPagesLine, ms: number): PageWish {
  const wish = line.wanted(at(ms));
  assert.ok(wish !== null, `no wish at ${ms}`);
  return wish;
}

test('rows get numbers once they reach the last known trade, over several pages', () => {
  const budget = new LineBudget();
  const line = withHole(budget);
  const first = ask(line, 100);
  assert.equal(first.before?.key, 'key 16');
  line.page(first, page(17, 16, 15, 14), at(100));
  assert.deepEqual([taken(line), line.isWhole], [[], false]);
  const second = ask(line, 100);
  assert.deepEqual([second.before?.key, second.fromId, second.toId], ['key 14', 11, 15]);
  line.page(second, page(14, 13, 12, 12, 11, 10, 9), at(200));
  assert.deepEqual([taken(line), line.isWhole], [[11, 12, 13, 14, 15, 16], true]);
  assert.equal(budget.bytes, 0);
});

test('pages that end just before the last known trade are followed by one more', () => {
  const line = withHole();
  line.page(ask(line, 100), page(16, 15, 14, 13), at(100));
  line.page(ask(line, 100), page(13, 12, 11), at(200));
  assert.deepEqual(taken(line), []);
  line.page(ask(line, 200), page(11, 10, 9), at(300));
  assert.deepEqual([taken(line), line.isWhole], [[11, 12, 13, 14, 15, 16], true]);
});

test('a page that lacks a row, doubles one, or lacks the known trade proves nothing', () => {
  const pages = {
    lacks: page(16, 15, 13, 12, 11, 10),
    foreign: page(16, 15, 14, 13, 99, 12, 11, 10),
    unknown: page(15, 14, 13, 12, 11, 10),
    short: page(16),
    empty: page(),
  };
  for (const [name, wrong] of Object.entries(pages)) {
    const budget = new LineBudget();
    const line = withHole(budget);
    line.page(ask(line, 100), wrong, at(100));
    assert.deepEqual(taken(line), [], name);
    assert.equal(line.wanted(at(200)), null, 'not at once');
    line.page(ask(line, 1_000), page(16, 15, 14, 13, 12, 11, 10), at(1_000));
    assert.deepEqual([taken(line), budget.bytes], [[11, 12, 13, 14, 15, 16], 0], name);
  }
});

test('what several attempts do not prove is lost, and exactly that', () => {
  const line = withHole();
  for (let now = 100; line.holeSince !== null && now < 60_000; now += 100) {
    const wish = line.wanted(at(now));
    if (wish !== null) line.page(wish, page(16, 15, 14), at(now));
  }
  assert.deepEqual(taken(line), ['11-15', 16]);
});

test('a restart knows the key of the last trade, also if more of them are on the tape', () => {
  const before = stage();
  before.live([trade(10)], at(0));
  taken(before);
  const position = before.takePosition();
  assert.equal(before.takePosition(), null);
  const line = stage(position, 12);
  line.live([trade(16)], at(0));
  line.page(ask(line, 100), page(16, 15, 14, 13, 12, 11, 10), at(100));
  assert.deepEqual(taken(line), [13, 14, 15, 16]);
});

test('without a known key nothing is proven, and nothing is requested', () => {
  const line = stage(null, 10);
  line.live([trade(16)], at(0));
  for (let now = 100; now < 40_000; now += 100) assert.equal(line.wanted(at(now)), null);
  assert.deepEqual(taken(line), ['11-15', 16]);
});

test('live trades that close the hole meanwhile leave nothing to prove', () => {
  const budget = new LineBudget();
  const line = withHole(budget);
  const wish = ask(line, 100);
  line.live([11, 12, 13, 14, 15].map(trade), at(150));
  assert.deepEqual(taken(line), [11, 12, 13, 14, 15, 16]);
  line.page(wish, page(16, 15, 14, 13, 12, 11, 10), at(200));
  assert.deepEqual([taken(line), line.isWhole, budget.bytes], [[], true, 0]);
});

test('a hole that exceeds the memory is given up at once', () => {
  const budget = new LineBudget(4 * 96);
  const line = withHole(budget);
  line.page(ask(line, 100), page(16, 15, 14, 13, 12), at(100));
  assert.deepEqual([taken(line), budget.bytes], [['11-15', 16], 0]);
});

test('a live trade for which there was no memory ends its hole too', () => {
  const budget = new LineBudget(4 * 96);
  const line = stage(null, -1, budget);
  line.live([trade(10)], at(0));
  taken(line);
  budget.add(4);
  line.live([trade(11), trade(12)], at(0));
  const wish = ask(line, 100);
  assert.equal(wish.before?.key, 'key 12');
  line.live([trade(13)], at(100));
  line.page(wish, page(13, 12, 11, 10), at(100));
  assert.deepEqual(taken(line), [11, 12]);
  assert.equal(ask(line, 300).before?.key, 'key 13');
});

test('a silent line is compared by time', () => {
  const line = stage();
  assert.equal(line.lacks(rows(1)), false, 'nothing is known');
  line.live([trade(10), trade(9)], at(0));
  assert.deepEqual([line.lacks(rows(10, 9)), line.lacks(rows(11, 10))], [false, true]);
});
