import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import type { EpochNs, Rank } from '@tapeloom/core/numbers';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import { SimDisk } from '../../../../../simulation/disk/sim-disk.ts';
import { type FeedRow, intakeBatch } from '../../../testing/tape/feed-rows.ts';
import { feedScript } from '../../../testing/tape/feed-script.ts';
import {
  allTapeRows,
  DATASET,
  openSimTape,
  TAPE_ROOT,
  tapeRows,
} from '../../../testing/tape/tape-on-sim-disk.ts';
import { SEGMENT_ROWS } from '../live-columns.ts';
import type { Commit, Tape } from '../tape.ts';
import type { TapeGap } from '../tape-gap.ts';
import { UNANSWERED_MAX } from './tape-feed.ts';
import { TapeFollower } from './tape-follower.ts';

const DAY = utcDay(20_260_105);

async function connect(machine: SimDisk, script = 0) {
  const disk = machine.boot();
  const tape = await openSimTape(disk);
  const offers = feedScript(script, { batchRowsMax: 20, offersPerDay: 5 });
  const { port1, port2 } = new MessageChannel();
  const join = async () => {
    tape.publisher.addFollower(port1);
    return TapeFollower.connect(disk, TAPE_ROOT, DATASET, port2);
  };
  const feed = async (count: number) => {
    for (let index = 0; index < count; index++) {
      const { batches, promise, notes } = offers.next().value;
      tape.intake.offer(batches, promise, notes).catch(() => {});
      await tape.intake.offer([], null);
    }
  };
  return { tape, join, feed };
}

/** Resolves when the follower knows this watermark. */
async function reached(follower: TapeFollower, promise: EpochNs | null): Promise<void> {
  if (follower.promise === promise) return;
  const known = Promise.withResolvers<void>();
  using _ = follower.follow((commit) => {
    if (commit.promise === promise) known.resolve();
  });
  await known.promise;
}

test('a follower that joins at any time sees the tape as its writer does, days sealed or not [DET-05]', async () => {
  for (const before of [0, 3, 12]) {
    const { tape, join, feed } = await connect(new SimDisk(), before);
    await feed(before);
    using follower = await join();
    const commits: Commit[] = [];
    using _ = follower.follow((commit) => commits.push(commit));
    await feed(14);
    await tape.intake.sealed();
    await reached(follower, tape.intake.promise);
    assert.deepEqual(await allTapeRows(follower), await allTapeRows(tape.tape));
    const promises = commits.map(({ promise }) => promise);
    assert.deepEqual(
      promises,
      promises.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)),
    );
    for (const symbol of ['ESZ6', 'NQZ6']) {
      // The message that a day is sealed may still be in flight.
      const days = async (from: Tape) =>
        (await from.days(symbol)).map(({ day, trades, gaps }) => [day, trades, gaps]);
      assert.deepEqual(await days(follower), await days(tape.tape));
    }
    await tape[Symbol.asyncDispose]();
  }
});

test('a commit is announced when its trades can be read, in order and with its contracts [DET-05]', async () => {
  const { tape, join } = await connect(new SimDisk());
  using follower = await join();
  const seen: unknown[] = [];
  using _ = follower.follow(({ promise, symbols }) => {
    const rows = follower.liveColumns('ESZ6').map(({ count }) => count);
    seen.push([promise, symbols, rows]);
  });
  await tape.intake.offer([intakeBatch('ESZ6', DAY, [[1, 5]])], epochNs(DAY, 10));
  await tape.intake.offer([], epochNs(DAY, 20));
  await tape.intake.offer([intakeBatch('ESZ6', DAY, [[2, 30]])], epochNs(DAY, 40));
  await reached(follower, epochNs(DAY, 40));
  assert.deepEqual(seen, [
    [epochNs(DAY, 0), [], [0]],
    [epochNs(DAY, 10), ['ESZ6'], [1]],
    [epochNs(DAY, 20), [], [1]],
    [epochNs(DAY, 40), ['ESZ6'], [2]],
  ]);
  await tape[Symbol.asyncDispose]();
});

test('a follower is told of gaps with the commit that recorded them, and shows them to the watermark', async () => {
  const { tape, join } = await connect(new SimDisk());
  await tape.intake.offer([intakeBatch('ESZ6', DAY, [[1, 5]])], epochNs(DAY, 10));
  using follower = await join();
  const seen: (readonly TapeGap[] | undefined)[] = [];
  using _ = follower.follow(({ gaps }) => seen.push(gaps));
  const lost = { symbol: 'NQZ6', from: epochNs(DAY, 20), firstId: 3, lastId: null, reason: 'cut' };
  const growing: TapeGap = { ...lost, to: null };
  const closed: TapeGap = { ...lost, to: epochNs(DAY, 35) };
  const gapsNow = async () => (await follower.days('NQZ6')).map(({ gaps }) => gaps);
  await tape.intake.offer([], epochNs(DAY, 20), [{ kind: 'gap', gap: growing }]);
  await reached(follower, epochNs(DAY, 20));
  assert.deepEqual(await gapsNow(), [undefined]);
  const version = await follower.daysVersion('NQZ6');
  await tape.intake.offer([], epochNs(DAY, 30));
  await reached(follower, epochNs(DAY, 30));
  assert.deepEqual(await gapsNow(), [[[20, 30]]]);
  assert.notEqual(await follower.daysVersion('NQZ6'), version);
  await tape.intake.offer([], epochNs(DAY, 40), [{ kind: 'gap', gap: closed }]);
  await reached(follower, epochNs(DAY, 40));
  assert.deepEqual(seen, [[growing], undefined, [closed]]);
  assert.deepEqual(await gapsNow(), [[[20, 35]]]);
  await tape.intake.offer([], epochNs(addDays(DAY, 1), 5));
  await tape.intake.sealed();
  await reached(follower, epochNs(addDays(DAY, 1), 5));
  assert.deepEqual(await gapsNow(), [[[20, 35]], undefined]);
  await tape[Symbol.asyncDispose]();
});

test('columns grow over segments, and a reader that began before a day was sealed ends unharmed', async () => {
  const { tape, join } = await connect(new SimDisk());
  using follower = await join();
  const rows = Array.from({ length: SEGMENT_ROWS + 500 }, (_, row): FeedRow => [row, row]);
  await tape.intake.offer([intakeBatch('ESZ6', DAY, rows)], epochNs(DAY, SEGMENT_ROWS + 500));
  await reached(follower, epochNs(DAY, SEGMENT_ROWS + 500));
  const reading = follower.read('ESZ6', { day: DAY, rank: 0 as Rank })[Symbol.asyncIterator]();
  const first = await reading.next();
  assert.equal(first.value?.count, SEGMENT_ROWS);
  await tape.intake.offer([], epochNs(addDays(DAY, 1), 5));
  await tape.intake.sealed();
  await reached(follower, epochNs(addDays(DAY, 1), 5));
  const second = await reading.next();
  assert.deepEqual([second.value?.firstRank, second.value?.count], [SEGMENT_ROWS + 1, 500]);
  assert.equal((await tapeRows(follower, 'ESZ6')).length, SEGMENT_ROWS + 500);
  assert.equal(await follower.rankBefore('ESZ6', DAY, SEGMENT_ROWS + 7), SEGMENT_ROWS + 7);
  await tape[Symbol.asyncDispose]();
});

test('a follower that does not keep up holds a bounded number of messages and catches up by one [SEC-36]', async () => {
  const { tape } = await connect(new SimDisk());
  const { port1, port2 } = new MessageChannel();
  tape.publisher.addFollower(port1);
  let messages = 0;
  port2.on('message', () => {
    messages += 1;
  });
  await once(port2, 'message');
  for (let ns = 1; ns <= 3 * UNANSWERED_MAX; ns++) await tape.intake.offer([], epochNs(DAY, ns));
  while (messages < UNANSWERED_MAX) await once(port2, 'message');
  // Acknowledges everything: the omitted messages come as one state.
  for (let answered = 0; answered < UNANSWERED_MAX; answered++) port2.postMessage('ack');
  const [state] = await once(port2, 'message');
  assert.equal(messages, UNANSWERED_MAX + 1);
  assert.equal(state.type, 'state');
  assert.equal(state.promise, epochNs(DAY, 3 * UNANSWERED_MAX));
  port2.close();
  await tape[Symbol.asyncDispose]();
});
