import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rank, UtcDay } from '@tapeloom/core/numbers';
import { Block, joinBlocks } from './block.ts';
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
