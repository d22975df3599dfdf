import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { CountedLine } from './counted-line.ts';
import type { FeedTrade, Line } from './line.ts';
import { LineBudget } from './line-budget.ts';

const NOW = 0n as EpochNs;

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
    first.connected(NOW);
    first.live(TAPE.slice(0, cut), NOW);
    const before = taken(first);
    const second = counted(first.takePosition());
    assert.ok(second.repeatFrom !== null);
    second.connected(NOW);
    second.live(TAPE, NOW);
    assert.deepEqual([...before, ...taken(second)], ['0:1', '1:2', '2:3', '3:2', '4:4'], `${cut}`);
    assert.ok(second.isWhole);
  }
});

test('a counted line repeats no more than the last seconds, and numbers go on', () => {
  const line = counted(null);
  line.connected(NOW);
  for (let second = 0; second < 60; second += 1) line.live([trade(second * 1_000, second)], NOW);
  taken(line);
  const resumed = counted(line.takePosition());
  assert.equal((resumed.repeatFrom! % 86_400_000_000_000n) / 1_000_000_000n, 49n);
  resumed.connected(NOW);
  for (let second = 40; second < 61; second += 1)
    resumed.live([trade(second * 1_000, second)], NOW);
  assert.deepEqual(taken(resumed), ['60:60']);
});

test('a counted line reports what the venue does not repeat', () => {
  const line = counted(null);
  line.connected(NOW);
  line.live(TAPE, NOW);
  taken(line);
  line.disconnected();
  line.connected(NOW);
  line.live([trade(5_000, 2), trade(12_000, 5)], NOW);
  assert.deepEqual([taken(line), line.isWhole], [['not repeated', '5:5'], true]);
});

test('a counted line compares from its first trade on, and behind a loss from the next one on', () => {
  const line = counted(null);
  line.connected(NOW);
  line.live([trade(500, 1), trade(600, 2)], NOW);
  line.disconnected();
  line.connected(NOW);
  line.live([trade(100, 9), trade(500, 1), trade(600, 2), trade(5_000, 3)], NOW);
  assert.deepEqual(taken(line), ['0:1', '1:2', '2:3']);
  line.connected(NOW);
  line.live([trade(12_000, 5)], NOW);
  line.connected(NOW);
  line.live([trade(5_000, 3), trade(9_500, 8), trade(12_000, 5), trade(13_000, 6)], NOW);
  assert.deepEqual(taken(line), ['not repeated', '3:5', '4:6']);
});

test('a counted line is whole when the venue has repeated its stream, and a late word doubles nothing', () => {
  const first = counted(null);
  first.connected(NOW);
  first.live(TAPE, NOW);
  taken(first);
  const line = counted(first.takePosition());
  assert.equal(line.repeatSince(NOW), line.repeatFrom);
  line.connected(NOW);
  assert.deepEqual([line.isWhole, line.holeSince], [false, NOW]);
  line.live([...TAPE, trade(9_500, 5)], NOW);
  assert.deepEqual([taken(line), line.isWhole], [['5:5'], false]);
  line.repeated(NOW);
  assert.deepEqual([line.isWhole, line.holeSince], [true, null]);
  const early = counted(line.takePosition());
  early.repeatSince(NOW);
  early.connected(NOW);
  early.live(TAPE.slice(0, 2), NOW);
  early.repeated((20_000n * 86_400_000_000_000n + 10_000_000_000n) as EpochNs);
  early.live([...TAPE.slice(2), trade(9_500, 5), trade(11_000, 6)], NOW);
  assert.deepEqual([taken(early), early.isWhole], [['not repeated', '6:6'], true]);
});

test('a counted line whose last trade is forgotten needs a tape that reaches into the memory', () => {
  const first = counted(null);
  first.connected(NOW);
  first.live(TAPE, NOW);
  taken(first);
  const position = first.takePosition();
  const remembersFrom = (20_001n * 86_400_000_000_000n) as EpochNs;
  for (const [watermark, reasons] of [
    [remembersFrom, ['5:7']],
    [remembersFrom - 1n, ['not repeated', '5:7']],
  ] as const) {
    const line = new CountedLine({
      ...{ symbol: 'ES', budget: new LineBudget(), lastId: 4, position },
      watermark: () => watermark as EpochNs,
    });
    assert.equal(line.repeatSince(remembersFrom), 0n);
    line.connected(NOW);
    line.live([{ ...trade(1, 7), day: 20_001 }], NOW);
    line.repeated(remembersFrom);
    assert.deepEqual([taken(line), line.isWhole], [reasons, true]);
  }
});
