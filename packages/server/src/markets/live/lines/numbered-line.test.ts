import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { FeedTrade, Line, PageWish } from './line.ts';
import { LineBudget } from './line-budget.ts';
import { NumberedLine } from './numbered-line.ts';

const at = (ms: number) => BigInt(ms * 1_000_000) as EpochNs;
const trade = (id: number): FeedTrade => ({
  id,
  day: 20_000,
  ns: id * 1_000_000,
  price: 1,
  size: 1,
  side: 1,
});
const trades = (...ids: readonly number[]) => ids.map(trade);
const page = (...ids: readonly number[]) =>
  ({ kind: 'trades', trades: trades(...ids), isLast: true }) as const;

function taken(line: Line): unknown[] {
  const found: unknown[] = [];
  for (let output = line.take(1_000); output !== null; output = line.take(1_000)) {
    found.push(...output.trades.map(({ id }) => id));
    if (output.loss !== null) {
      const { firstId, lastId } = output.loss.ids!;
      found.push(`${firstId}-${lastId}`);
    }
  }
  return found;
}

function stage({ lastId = 10, budget = new LineBudget(), position = null as string | null } = {}) {
  const line = new NumberedLine({ symbol: 'ES', budget, lastId, position });
  line.connected(at(0));
  return line;
}

function answer(line: Line, now: number, ...ids: readonly number[]): PageWish {
  const wish = line.wanted(at(now));
  assert.ok(wish !== null, `no wish at ${now}`);
  line.page(wish, page(...ids), at(now));
  return wish;
}

test('a live trade that continues the tape joins the line without a request', () => {
  const line = stage();
  assert.equal(line.wanted(at(499)), null);
  line.live(trades(11), at(10));
  assert.deepEqual([line.isWhole, taken(line), line.isWhole], [false, [11], true]);
  assert.equal(line.wanted(at(1_000)), null);
});

test('a quiet line asks whether anything was traded meanwhile', () => {
  const line = stage();
  assert.deepEqual(answer(line, 500, 11, 12), { fromId: 11, toId: null, before: null });
  assert.deepEqual([taken(line), line.isWhole], [[11, 12], true]);
});

test('live trades wait for those of the hole before them', () => {
  const line = stage();
  line.live(trades(14, 15, 14), at(0));
  assert.deepEqual([taken(line), line.isWhole], [[], false]);
  assert.equal(line.wanted(at(50)), null, 'one may have overtaken the others');
  const wish = line.wanted(at(100));
  assert.deepEqual(wish, { fromId: 11, toId: 13, before: trade(14) });
  assert.equal(line.wanted(at(100)), null, 'one request at a time');
  line.live(trades(16), at(110));
  line.page(wish!, page(11, 12), at(120));
  assert.deepEqual(taken(line), [11, 12]);
  assert.deepEqual(answer(line, 250, 13, 14), { fromId: 13, toId: 13, before: trade(14) });
  assert.deepEqual([taken(line), line.isWhole], [[13, 14, 15, 16], true]);
});

test('numbers that no page has are lost after several tries, and only these', () => {
  const line = stage();
  line.live(trades(14), at(0));
  let now = 100;
  for (let tries = 0; tries < 6; tries += 1) {
    answer(line, now, 12, 13);
    now += 4_000;
  }
  assert.deepEqual([taken(line), line.isWhole], [['11-11', 12, 13, 14], true]);
  assert.equal(line.takePosition(), '15');
});

test('a venue that says what it has forgotten is believed at once', () => {
  const line = stage();
  const wish = line.wanted(at(500))!;
  line.page(wish, { kind: 'forgotten', oldestId: 20 }, at(500));
  assert.deepEqual(taken(line), ['11-19']);
  answer(line, 600, 20, 21);
  assert.deepEqual([taken(line), line.isWhole], [[20, 21], true]);
});

test('pages that lag behind the stream for half a minute lose nothing, and are not waited for longer', () => {
  for (const lagMs of [25_000, 60_000]) {
    const line = stage();
    line.live(trades(12), at(0));
    const found: unknown[] = [];
    for (let now = 100; !line.isWhole; now += 50) {
      const wish = line.wanted(at(now));
      if (wish !== null) line.page(wish, now < lagMs ? page(10) : page(11, 12), at(now));
      found.push(...taken(line));
      assert.ok(now < 40_000);
    }
    assert.deepEqual(found, lagMs < 40_000 ? [11, 12] : ['11-11', 12]);
  }
});

test('of a hole that begins before the memory of the venue, only what it has forgotten is lost', () => {
  for (const oldest of [12, 5_000, 89_000, 99_999, 100_000]) {
    const line = stage();
    line.live(trades(100_000), at(0));
    const found: unknown[] = [];
    let pages = 0;
    for (let now = 100; !line.isWhole; now += 10) {
      const wish = line.wanted(at(now));
      if (wish !== null) {
        pages += 1;
        const from = wish.fromId!;
        const count = Math.min(1_000, 100_001 - from);
        const rows = page(...Array.from({ length: count }, (_, row) => from + row));
        const isForgotten = from < oldest;
        line.page(wish, isForgotten ? { kind: 'forgotten', oldestId: null } : rows, at(now));
      }
      found.push(...taken(line));
      assert.ok(pages < 25 + (100_000 - oldest) / 1_000, `${pages} pages for ${oldest}`);
    }
    const [loss, ...rest] = found;
    assert.equal(loss, `11-${oldest - 1}`);
    assert.ok(rest.length === 100_001 - oldest && rest.every((id, row) => id === oldest + row));
  }
});

test('what exceeds the memory is dropped and fetched again, and the memory returns', () => {
  const budget = new LineBudget(4 * 96);
  const line = stage({ budget });
  line.live(trades(12, 13, 14, 15, 16, 17), at(0));
  assert.equal(budget.bytes, 4 * 96);
  answer(line, 100, 11);
  assert.deepEqual(taken(line), [11, 12, 13, 14, 15]);
  assert.equal(budget.bytes, 0);
  assert.deepEqual(answer(line, 300, 16, 17), { fromId: 16, toId: 17, before: null });
  assert.deepEqual([taken(line), line.isWhole, budget.bytes], [[16, 17], true, 0]);
});

test('a new contract begins at its first trade, or behind the newest that the venue names', () => {
  const first = stage({ lastId: -1 });
  first.live(trades(700, 701), at(0));
  assert.deepEqual([taken(first), first.takePosition()], [[700, 701], '702']);
  const quiet = stage({ lastId: -1 });
  assert.deepEqual(answer(quiet, 500, 698, 699), { fromId: null, toId: null, before: null });
  assert.deepEqual([taken(quiet), quiet.isWhole, quiet.takePosition()], [[], true, '700']);
  const resumed = stage({ lastId: -1, position: '700' });
  assert.deepEqual(answer(resumed, 500, 700), { fromId: 700, toId: null, before: null });
  assert.deepEqual(taken(resumed), [700]);
});

test('a hole that stays is given up, and the trades behind it go on', () => {
  const line = stage();
  line.live(trades(14, 16), at(0));
  line.disconnected();
  assert.equal(line.holeSince, at(0));
  line.giveUp(at(5_000));
  line.giveUp(at(5_000));
  assert.deepEqual(taken(line), ['11-13', 14, '15-15', 16]);
});

test('pages may fill a hole from its end', () => {
  const line = stage();
  line.live(trades(16), at(0));
  assert.deepEqual(answer(line, 100, 14, 15).before?.id, 16);
  assert.deepEqual(answer(line, 100, 12, 13), { fromId: 11, toId: 13, before: trade(14) });
  assert.deepEqual(answer(line, 100, 11), { fromId: 11, toId: 11, before: trade(12) });
  assert.deepEqual([taken(line), line.isWhole], [[11, 12, 13, 14, 15, 16], true]);
});

test('a stream that begins with the newest trades joins by them, without a page', () => {
  const options = { symbol: 'ES', budget: new LineBudget(), lastId: 10, position: null };
  const line = new NumberedLine({ ...options, beginsWithNewest: true });
  line.connected(at(0));
  assert.equal(line.wanted(at(5_000)), null);
  line.live(trades(8, 9, 10), at(5_000));
  assert.deepEqual([taken(line), line.isWhole], [[], true]);
});

test('prints that are no order flow take their numbers, are counted, and are not handed out', () => {
  const budget = new LineBudget();
  const line = stage({ budget });
  const block = (id: number): FeedTrade => ({ ...trade(id), leftOut: 'block' });
  line.live([block(11), trade(12), trade(15), block(16), trade(17)], at(0));
  assert.deepEqual([taken(line), line.takePosition()], [[12], '13']);
  const wish = line.wanted(at(100))!;
  assert.deepEqual([wish.fromId, wish.toId], [13, 14]);
  line.page(wish, { kind: 'trades', trades: [block(13), block(14)], isLast: true }, at(100));
  assert.deepEqual([taken(line), line.isWhole, budget.bytes], [[15, 17], true, 0]);
  assert.deepEqual([...line.leftOut], [['block', 4]]);
});

test('a restart resumes behind the last print, also if it is no order flow', () => {
  const line = stage();
  line.live([trade(11), { ...trade(12), leftOut: 'block' }], at(0));
  assert.equal(line.takePosition(), null, 'not before the trades that it lies behind');
  assert.deepEqual(taken(line), [11]);
  const position = line.takePosition();
  assert.equal(position, '13');
  const resumed = stage({ lastId: 11, position });
  resumed.live(trades(13), at(0));
  assert.deepEqual([taken(resumed), resumed.isWhole], [[13], true]);
});

test('a new line that begins with a print that is no order flow begins behind it', () => {
  const line = stage({ lastId: -1 });
  line.live([{ ...trade(700), leftOut: 'block' }], at(0));
  assert.deepEqual([taken(line), line.isWhole, line.takePosition()], [[], true, '701']);
  assert.equal(line.beginsBehind, 20_000n * 86_400_000_000_000n + 700_000_001n);
});

test('numbers that begin anew are a fault, not duplicates', () => {
  const line = stage();
  line.live(trades(11), at(0));
  line.live([{ ...trade(3), ns: 100_000_000_000 }], at(0));
  assert.match(line.fault!, /went back from 11 to 3/);
});

test('numbers that began anew while no one listened are a fault, a repeated past is none', () => {
  const late = (id: number, seconds: number): FeedTrade => ({ ...trade(id), ns: seconds * 1e9 });
  const line = stage({ lastId: 1_000 });
  line.live([late(3, 100)], at(0));
  answer(line, 500);
  line.live([late(4, 101), late(50, 159)], at(600));
  assert.equal(line.fault, null);
  line.live([late(51, 161)], at(700));
  assert.match(line.fault!, /went back from 1000 to 51/);
  const repeated = stage({ lastId: 1_000 });
  for (let times = 0; times < 2; times += 1) {
    repeated.live([late(999, 300), late(998, 200), late(997, 100), late(1_000, 400)], at(times));
  }
  assert.deepEqual([repeated.fault, repeated.isWhole], [null, true]);
});
