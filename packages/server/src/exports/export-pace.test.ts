import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ManualClock } from '../../../../simulation/clock/manual-clock.ts';
import { refusedAs } from '../../testing/refused-as.ts';
import { ExportPace } from './export-pace.ts';

const MIB = 1_024 * 1_024;
const NEVER = new AbortController().signal;

/** Chunks of this size, each of bytes of its number. */
function chunksOf(count: number, bytes: number) {
  const made: Uint8Array[] = [];
  let isClosed = false;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      for (let number = 1; number <= count; number += 1) {
        const chunk = new Uint8Array(bytes).fill(number);
        made.push(chunk);
        yield chunk;
      }
    } finally {
      isClosed = true;
    }
  }
  return { made, chunks: chunks(), isClosed: () => isClosed };
}

async function turns(): Promise<void> {
  for (let count = 0; count < 10; count += 1) await turn();
}

test('the pieces are the chunks, and nothing is counted when they have left [SEC-38]', async () => {
  const pace = new ExportPace(new ManualClock(0n));
  const { made, chunks } = chunksOf(3, 200_000);
  const counts = [0, 0, 0, 0];
  for await (const piece of pace.paced(chunks, 'a', NEVER)) {
    assert.ok(piece.length <= 65_536);
    assert.equal(piece.buffer, made.at(piece[0]! - 1)!.buffer, 'no piece is a copy');
    counts[piece[0]!]! += piece.length;
  }
  assert.deepEqual(counts, [0, 200_000, 200_000, 200_000]);
  assert.equal(pace.bytes, 0);
});

test('one chunk more than is read is made, and none before a piece was taken', async () => {
  const pace = new ExportPace(new ManualClock(0n));
  const { made, chunks, isClosed } = chunksOf(9, 200_000);
  const body = pace.paced(chunks, 'a', NEVER);
  await body.next();
  await turns();
  assert.equal(made.length, 1);
  for (let piece = 2; piece <= 4; piece += 1) {
    await body.next();
    await turns();
    assert.equal(made.length, 2);
  }
  await body.return(undefined);
  assert.ok(isClosed());
  assert.equal(pace.bytes, 0);
});

test('an account whose bytes have not left gets no more made, and another is not held up [SEC-37] [SEC-38]', async () => {
  const pace = new ExportPace(new ManualClock(0n), {
    eachMax: 2 * MIB,
    allMax: 8 * MIB,
    keptForNew: 4 * MIB,
  });
  const unread = [1, 2, 3].map(() => chunksOf(9, MIB));
  const bodies = unread.map(({ chunks }) => pace.paced(chunks, 'a', NEVER));
  const first = bodies.map((body) => body.next());
  await turns();
  assert.deepEqual(
    unread.map(({ made }) => made.length),
    [1, 1, 0],
  );
  assert.equal(pace.waitingCount, 1);
  const other = chunksOf(9, MIB);
  const read = pace.paced(other.chunks, 'b', NEVER);
  for (let piece = 0; piece < 9 * 16; piece += 1) await read.next();
  assert.equal((await read.next()).done, true);
  // Some of it leaves.
  for (let piece = 0; piece < 4; piece += 1) await bodies[0]!.next();
  await Promise.all(first);
  assert.equal(unread[2]!.made.length, 1);
  for (const body of bodies) await body.return(undefined);
  assert.deepEqual([pace.bytes, pace.waitingCount], [0, 0]);
});

test('an export that cannot begin in time is refused, one that has begun waits; who goes is forgotten', async () => {
  const clock = new ManualClock(0n);
  const pace = new ExportPace(clock, { eachMax: MIB, allMax: 8 * MIB });
  const begun = pace.paced(chunksOf(9, MIB).chunks, 'a', NEVER);
  await begun.next();
  const late = pace.paced(chunksOf(1, 1).chunks, 'a', NEVER).next();
  const leaving = new AbortController();
  const gone = pace.paced(chunksOf(1, 1).chunks, 'a', leaving.signal).next();
  leaving.abort(new Error('gone'));
  await assert.rejects(gone, /gone/);
  clock.advance(10_000);
  await assert.rejects(late, refusedAs('full', { what: 'bytes' }));
  assert.equal(pace.refusedCount, 1);
  for (let piece = 0; piece < 20; piece += 1) await begun.next();
  await begun.return(undefined);
  assert.equal(pace.bytes, 0);
});
