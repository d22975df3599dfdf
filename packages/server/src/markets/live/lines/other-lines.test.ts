import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CountedLine } from './counted-line.ts';
import type { FeedTrade, Line } from './line.ts';
import { LineBudget } from './line-budget.ts';

const trade = (ms: number, price: number): FeedTrade => ({
  id: -1,
  day: 20_000,
  ns: ms * 1_000_000,
  price,
  size: 1,
  side: 1,
});
const TAPE = [trade(0, 1), trade(5_000, 2), trade(5_000, 3), trade(5_000, 2), trade(9_000, 4)];

function taken(line: Line): unknown[] {
  const found: unknown[] = [];
  for (let output = line.take(1_000); output !== null; output = line.take(1_000)) {
    found.push(...output.trades.map(({ id, price }) => `${id}:${price}`));
    if (output.loss !== null) found.push(output.loss.reason);
  }
  return found;
}

const counted = (position: string | null, lastId = -1) =>
  new CountedLine({ symbol: 'ES', budget: new LineBudget(), lastId, position });

test('a counted line resumes inside of a time stamp, also with a repeated trade', () => {
  for (let cut = 1; cut <= TAPE.length; cut += 1) {
    const first = counted(null);
    first.connected();
    first.live(TAPE.slice(0, cut));
    const before = taken(first);
    const second = counted(first.takePosition());
    assert.ok(second.repeatFrom !== null);
    second.connected();
    second.live(TAPE);
    assert.deepEqual([...before, ...taken(second)], ['0:1', '1:2', '2:3', '3:2', '4:4'], `${cut}`);
    assert.ok(second.isWhole);
  }
});

test('a counted line repeats no more than the last seconds, and numbers go on', () => {
  const line = counted(null);
  line.connected();
  for (let second = 0; second < 60; second += 1) line.live([trade(second * 1_000, second)]);
  taken(line);
  const resumed = counted(line.takePosition());
  assert.equal((resumed.repeatFrom! % 86_400_000_000_000n) / 1_000_000_000n, 49n);
  resumed.connected();
  for (let second = 40; second < 61; second += 1) resumed.live([trade(second * 1_000, second)]);
  assert.deepEqual(taken(resumed), ['60:60']);
});

test('a counted line reports what the venue does not repeat', () => {
  const line = counted(null);
  line.connected();
  line.live(TAPE);
  taken(line);
  line.disconnected();
  line.connected();
  line.live([trade(5_000, 2), trade(12_000, 5)]);
  assert.deepEqual([taken(line), line.isWhole], [['not repeated', '5:5'], true]);
});
