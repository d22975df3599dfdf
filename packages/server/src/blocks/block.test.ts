import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rank, UtcDay } from '@tapeloom/core/numbers';
import { epochNs } from '@tapeloom/core/utc-day';
import { Block, endWithin, joinBlocks, joinByDay } from './block.ts';
import { BlockWriter } from './block-writer.ts';

const DAY = 20_260_105 as UtcDay;

function blockOf(places: readonly (readonly [rank: number, k: number, fromNs: number])[]): Block {
  using writer = new BlockWriter(16, 1);
  for (const [rank, k, fromNs] of places) {
    const members = `"id":"é${rank}","final":${k % 2 === 0},"ts":"1"`;
    writer.add('upsert', k % 2 === 0, { day: DAY, rank: rank as Rank, k }, members, fromNs);
  }
  return writer.take(DAY);
}

const block = blockOf([
  [1, 1, 10],
  [1, 2, 10],
  [3, 1, 40],
  [7, 1, 90],
]);
const lines = (one: Block) => new TextDecoder().decode(one.text).split('\n').slice(0, -1);

test('a block has the updates it was given, as lines and as columns', () => {
  assert.deepEqual(
    lines(block).map((line) => JSON.parse(line)),
    [0, 1, 2, 3].map((at) => {
      const { rank, k } = block.cursor(at);
      return {
        t: 'upsert',
        cursor: block.cursorText(at),
        id: `é${rank}`,
        final: k % 2 === 0,
        ts: '1',
      };
    }),
  );
  assert.deepEqual([block.kind(0), block.isFinal(0), block.isFinal(1)], ['upsert', false, true]);
  assert.equal(block.ends.at(-1), block.text.length);
});

test('places and times are found without parsing', () => {
  const upTo = (rank: number, k: number, day = DAY) =>
    block.countUpTo({ day, rank: rank as Rank, k });
  assert.deepEqual([upTo(0, 9), upTo(1, 1), upTo(1, 9), upTo(7, 1)], [0, 1, 2, 4]);
  assert.deepEqual([upTo(9, 9, (DAY - 1) as UtcDay), upTo(0, 0, (DAY + 1) as UtcDay)], [0, 4]);
  assert.deepEqual(
    [9, 10, 40, 89, 90].map((ns) => block.countKnownAt(ns)),
    [0, 2, 3, 3, 4],
  );
});

test('ranges of a block joined again are the block, also after a move', () => {
  for (let cut = 0; cut <= block.count; cut += 1) {
    const joined = joinBlocks([block.slice(0, cut), block.slice(cut)]);
    assert.deepEqual(new Uint8Array(joined.memory), new Uint8Array(block.memory));
  }
  const sent = block.copy();
  const { parts } = sent;
  const moved = structuredClone(parts, { transfer: [parts.memory] });
  assert.deepEqual(lines(new Block(moved)), lines(block));
});

test('ids, the last final update and the last edge are read from the block', () => {
  assert.deepEqual(
    [0, 3].map((at) => Buffer.from(block.idText(at), 'latin1').toString()),
    ['é1', 'é7'],
  );
  assert.deepEqual([block.lastFinal, blockOf([[1, 1, 10]]).lastFinal], [1, -1]);
  assert.equal(block.lastEdge, epochNs(DAY, 90));
  using writer = new BlockWriter(16, 1);
  writer.add('snapshot', false, { day: DAY, rank: 1 as Rank, k: 0 }, '"items":[{"id":"a"}]', 0);
  assert.equal(writer.take(DAY).idText(0), '');
  const id = 'a","final":\\';
  writer.upsert({ id, final: true, ts: '1', data: {} }, { day: DAY, rank: 1 as Rank, k: 1 }, 0);
  assert.equal(JSON.parse(`"${writer.take(DAY).idText(0)}"`), id);
});

test('a range ends where its text would take more than it may', () => {
  const { ends, count } = block;
  const within = (first: number, bytesMax: number) => endWithin(ends, first, count, bytesMax);
  assert.deepEqual([within(0, 0), within(0, ends[1]! - 1), within(0, ends[1]!)], [0, 1, 2]);
  assert.deepEqual([within(1, ends[2]! - ends[0]!), within(1, 1e9), within(4, 0)], [3, 4, 4]);
});

test('what was gathered is taken at one edge, or dropped', () => {
  using writer = new BlockWriter(16, 1);
  const gather = (rank: number) =>
    writer.remove('a', false, '1', { day: DAY, rank: rank as Rank, k: 1 }, 0);
  gather(1);
  writer.clear();
  gather(2);
  gather(3);
  const taken = writer.take(DAY, 70);
  assert.deepEqual(
    [[...taken.ranks], [...taken.fromNs]],
    [
      [2, 3],
      [70, 70],
    ],
  );
  assert.equal(writer.count, 0);
});

test('blocks of several days are joined day by day', () => {
  const later = new Block({ ...blockOf([[1, 1, 5]]).parts, day: (DAY + 1) as UtcDay });
  const joined = joinByDay([block.slice(0, 2), block.slice(2), later]);
  assert.deepEqual(
    joined.map(({ day, count }) => [day, count]),
    [
      [DAY, 4],
      [DAY + 1, 1],
    ],
  );
  assert.deepEqual(joinByDay([]), []);
});
