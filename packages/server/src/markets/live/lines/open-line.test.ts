import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { MS_NS_BIG } from '@tapeloom/core/units';
import type { FeedTrade } from './line.ts';
import { LineBudget } from './line-budget.ts';
import { OpenLine } from './open-line.ts';

const JOIN_MS = 500;
const TRADE_BYTES = 96;

const at = (ms: number) => (BigInt(ms) * MS_NS_BIG) as EpochNs;

const trade = (ms: number, name: string): FeedTrade => ({
  id: -1,
  day: 20_000,
  ns: ms * 1_000_000,
  price: 1,
  size: 1,
  side: 1,
  key: name,
});

/** `a b c`, one second each. */
const trades = (names: string) =>
  names.split(' ').map((name) => trade((name.charCodeAt(0) - 97) * 1_000, name));

function opened(position: string | null, lastId = -1, budget = new LineBudget()): OpenLine {
  const line = new OpenLine({ symbol: 'BTCUSDT', budget, lastId, position });
  line.connected(at(0));
  return line;
}

function answer(line: OpenLine, ms: number, names: string): void {
  const wish = line.wanted(at(ms));
  assert.ok(wish !== null, 'no page is wanted');
  const rows = names === '' ? [] : trades(names);
  line.page(wish, { kind: 'trades', trades: rows, isLast: true }, at(ms));
}

/** `0a` is trade a with the number 0; a loss shows the number from which on trades may be missing. */
function taken(line: OpenLine): string {
  const found: string[] = [];
  for (let output = line.take(1_000); output !== null; output = line.take(1_000)) {
    found.push(...output.trades.map(({ id, key }) => `${id}${key}`));
    if (output.loss !== null) found.push(`lost${output.loss.firstId}`);
  }
  return found.join(' ');
}

/** What a line has left that handed out these trades. */
function positionBehind(names: string): string | null {
  const line = opened(null);
  line.live(trades(names));
  taken(line);
  return line.takePosition();
}

test('a new contract begins with its first live trade, or behind the newest that the venue has', () => {
  const first = opened(null);
  first.live(trades('a b'));
  assert.deepEqual([taken(first), first.isWhole], ['0a 1b', true]);
  const quiet = opened(null);
  assert.equal(quiet.wanted(at(JOIN_MS - 1)), null);
  answer(quiet, JOIN_MS, 'a b');
  assert.deepEqual([taken(quiet), quiet.isWhole], ['', true]);
  const resumed = opened(quiet.takePosition());
  answer(resumed, JOIN_MS, 'a b c');
  assert.equal(taken(resumed), '0c');
});

test('newest trades that reach from the last one to the first live one bridge a cut', () => {
  const line = opened(positionBehind('a b c'));
  line.live(trades('f g'));
  answer(line, JOIN_MS, 'b c d e f');
  assert.deepEqual([taken(line), line.isWhole], ['3d 4e 5f 6g', true]);
});

test('newest trades that do not reach back leave a loss behind the last one', () => {
  const line = opened(positionBehind('a b c'));
  line.live(trades('g h'));
  answer(line, JOIN_MS, 'e f g');
  assert.deepEqual([taken(line), line.isWhole], ['lost3 3e 4f 5g 6h', true]);
});

test('a page that does not reach the first live trade is requested again, and then the time between is a loss', () => {
  const line = opened(positionBehind('a b c'));
  line.live(trades('g'));
  answer(line, JOIN_MS, 'b c d');
  assert.equal(line.isWhole, false);
  assert.equal(line.wanted(at(JOIN_MS + 249)), null);
  answer(line, JOIN_MS + 250, 'b c d e f g');
  assert.equal(taken(line), '3d 4e 5f 6g');
  const lagging = opened(positionBehind('a b c'));
  lagging.live(trades('g'));
  for (let tries = 0; tries <= 5; tries += 1) answer(lagging, 10_000 * (tries + 1), 'b c d');
  assert.deepEqual([taken(lagging), lagging.isWhole], ['3d lost4 4g', true]);
});

test('a page that lags behind the tape brings none of its trades again', () => {
  const line = opened(positionBehind('a b c'));
  answer(line, JOIN_MS, 'a');
  assert.deepEqual([taken(line), line.isWhole], ['', false]);
  answer(line, 10_000, 'a b c');
  assert.deepEqual([taken(line), line.isWhole], ['', true]);
});

test('an empty page does not make a loss at once', () => {
  const line = opened(positionBehind('a'));
  line.live(trades('c'));
  answer(line, JOIN_MS, '');
  answer(line, 10_000, 'a b c');
  assert.equal(taken(line), '1b 2c');
});

test('a page of an earlier connection proves nothing for this one', () => {
  const line = opened(positionBehind('a'));
  const wish = line.wanted(at(JOIN_MS))!;
  line.disconnected();
  line.connected(at(1_000));
  line.page(wish, { kind: 'trades', trades: trades('a b'), isLast: true }, at(1_000));
  assert.equal(line.isWhole, false);
  answer(line, 2_000, 'a b c');
  assert.equal(taken(line), '1b 2c');
});

test('trades of one instant may come in another order by page, also after a restart', () => {
  const twins = [trade(5, 'x'), trade(5, 'y'), trade(5, 'z')];
  const line = opened(null);
  line.live(twins.slice(0, 2));
  taken(line);
  const resumed = opened(line.takePosition());
  const wish = resumed.wanted(at(JOIN_MS))!;
  const page = [twins[2]!, twins[1]!, twins[0]!, trade(6, 'w')];
  resumed.page(wish, { kind: 'trades', trades: page, isLast: true }, at(JOIN_MS));
  assert.equal(taken(resumed), '2z 3w');
});

test('trades that are on the tape without their place get the same numbers, or lie before the loss', () => {
  const position = positionBehind('a');
  const bridged = opened(position, 2);
  bridged.live(trades('d'));
  answer(bridged, JOIN_MS, 'a b c d');
  assert.equal(taken(bridged), '1b 2c 3d');
  const lost = opened(position, 2);
  lost.live(trades('d'));
  answer(lost, JOIN_MS, 'b c d');
  assert.equal(taken(lost), 'lost3 3d');
  const lagging = opened(position, 2);
  answer(lagging, JOIN_MS, 'a');
  lagging.live(trades('d'));
  assert.equal(taken(lagging), '3d');
  const quiet = opened(null, 2);
  answer(quiet, JOIN_MS, 'b c');
  assert.deepEqual([taken(quiet), quiet.isWhole], ['lost3', true]);
});

test('what exceeds the memory is dropped, and the newest trades bridge it', () => {
  const budget = new LineBudget(3 * TRADE_BYTES);
  const line = opened(null, -1, budget);
  line.live(trades('a b c d e'));
  assert.equal(line.isWhole, false);
  assert.equal(taken(line), '0a 1b 2c');
  line.live(trades('g'));
  answer(line, JOIN_MS, 'c d e f g');
  assert.deepEqual([taken(line), budget.bytes], ['3d 4e 5f 6g', 0]);
});

test('a line that gives up goes on with the live trades', () => {
  const line = opened(positionBehind('a'));
  line.live(trades('c'));
  assert.equal(line.holeSince, 0n);
  line.giveUp();
  assert.deepEqual([taken(line), line.isWhole, line.holeSince], ['lost1 1c', true, null]);
});

test('a silent line is compared with the newest trade', () => {
  const line = opened(null);
  line.live(trades('a b'));
  assert.equal(line.lacks(trades('a b')), false);
  assert.equal(line.lacks(trades('a b c')), true);
  assert.equal(line.lacks([]), false);
});
