import assert from 'node:assert/strict';
import { test } from 'node:test';
import { utcDay } from '@tapeloom/core/utc-day';
import { blockOfLines } from '../../testing/block-of-lines.ts';
import { expandFrames } from './frames.ts';
import { LoggedBlock } from './logged-block.ts';

const LINES = Array.from({ length: 1_000 }, (_, row) => JSON.stringify({ t: 'upsert', row }));
const TEXT = LINES.map((line) => `${line}\n`).join('');

function logged() {
  const block = blockOfLines(utcDay(20261113), LINES);
  return { logged: LoggedBlock.of(block), memory: block.memory };
}

test('a packed block that is let go gives its memory back at once, and can be had again', async () => {
  const { logged: block, memory } = logged();
  block.letBlockGo();
  assert.equal(memory.detached, false, 'it is nowhere else yet');
  await block.pack();
  block.letBlockGo();
  assert.equal(memory.detached, true);
  assert.equal(Buffer.from(block.block.text).toString(), TEXT);
});

test('a block that somebody keeps is whole as long as he does', async () => {
  const { logged: block, memory } = logged();
  const kept = block.lend().slice(10, 20);
  await block.pack();
  block.letBlockGo();
  assert.equal(memory.detached, false);
  assert.equal(Buffer.from(kept.copy().text).toString(), `${LINES.slice(10, 20).join('\n')}\n`);
});

test('a block that two pack at once is packed once, so that neither loses it to the other', async () => {
  const { logged: block, memory } = logged();
  const first = block.pack().then((packed) => {
    block.letBlockGo();
    return packed;
  });
  const [one, other] = await Promise.all([first, block.pack()]);
  assert.equal(one, other);
  assert.equal(memory.detached, true);
  assert.equal(expandFrames(one.frame).toString(), TEXT);
});
