import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { epochNs } from '@tapeloom/core/utc-day';
import { refusedAs } from '../../testing/refused-as.ts';
import { updatesOf } from '../../testing/stream/block-updates.ts';
import {
  BY_ID,
  CONTRACT,
  DAY,
  decodeFrames,
  EngineRun,
  HOUR_NS,
  paramsOf,
  SESSIONS,
  settle,
} from '../../testing/stream/engine-run.ts';
import { MemoryTape, type MemoryTrade } from '../../testing/tape/memory-tape.ts';
import { Block } from '../blocks/block.ts';
import type { Replay, ReplayPage, ReplayRequest } from './replay.ts';
import type { PageLimits } from './study-replay.ts';
import { REPLAYS_MAX, StudyReplays } from './study-replays.ts';

const SECOND_NS = 1_000_000_000;
const OPEN_NS = 10 * HOUR_NS;

/** The instant `seconds` after the open of the first session. */
function at(seconds: number): EpochNs {
  return epochNs(DAY, OPEN_NS + seconds * SECOND_NS);
}

/** A trade in the middle of each of these seconds. */
function trades(from: number, to: number): readonly MemoryTrade[] {
  return Array.from({ length: to - from }, (_, index) => ({
    at: at(from + index + 0.5),
    price: 100 + (index % 5),
    size: 1,
    side: 1,
  }));
}

function tapeOf(seconds: number): MemoryTape {
  const tape = new MemoryTape(CONTRACT, 1_000);
  tape.commit(trades(0, seconds), at(seconds));
  return tape;
}

function replaysOver(tape: MemoryTape, limits?: PageLimits): StudyReplays {
  return new StudyReplays({
    tape,
    indicators: BY_ID,
    sessionsOf: () => SESSIONS,
    yieldTurn: settle,
    ...(limits === undefined ? {} : { limits }),
  });
}

function request(rest: Partial<ReplayRequest> = {}): ReplayRequest {
  return {
    contract: CONTRACT,
    indicator: 'bars',
    params: paramsOf(BY_ID.get('bars')!, {}),
    from: { t: 'after', cursor: '20261112.0.0' },
    until: at(10),
    chargedBefore: epochNs(DAY, 24 * HOUR_NS),
    ...rest,
  };
}

async function rest(replay: Replay): Promise<readonly ReplayPage[]> {
  const pages = [await replay.next()];
  while (!pages.at(-1)!.isLast) pages.push(await replay.next());
  return pages;
}

test('no more replays are open than the limit, and a closed one makes room', async () => {
  using replays = replaysOver(tapeOf(10));
  const open: Replay[] = [];
  for (let count = 0; count < REPLAYS_MAX; count += 1) open.push(await replays.open(request()));
  await assert.rejects(replays.open(request()), refusedAs('full'));
  await open[5]![Symbol.asyncDispose]();
  await using _room = await replays.open(request());
  await assert.rejects(replays.open(request()), refusedAs('full'));
});

test('one that cannot be opened takes no room', async () => {
  using replays = replaysOver(tapeOf(10));
  const beyond = { t: 'after', cursor: '20261112.11.0' } as const;
  for (let count = 0; count <= REPLAYS_MAX; count += 1) {
    await assert.rejects(replays.open(request({ from: beyond })), refusedAs('not-on-tape'));
    await assert.rejects(replays.open(request({ indicator: 'nothing' })), RangeError);
  }
  await using _one = await replays.open(request());
});

test('readers get their pages by turns, however much each of them is behind', async () => {
  using replays = replaysOver(tapeOf(300), { bytes: 65_536, trades: 10 });
  const order: number[] = [];
  const read = async (reader: number, until: EpochNs) => {
    await using replay = await replays.open(request({ until }));
    let page = await replay.next();
    for (; !page.isLast; page = await replay.next()) order.push(reader);
  };
  await Promise.all([read(1, at(300)), read(2, at(100)), read(3, at(300))]);
  assert.deepEqual(
    [1, 2, 3].map((reader) => order.filter((it) => it === reader).length),
    [30, 9, 30],
  );
  for (let turn = 0; turn < 27; turn += 3) {
    assert.equal(new Set(order.slice(turn, turn + 3)).size, 3, `turn ${turn}: ${order}`);
  }
});

test('at the end of the tape a page waits for the commit that it needs', async () => {
  const tape = tapeOf(10);
  using replays = replaysOver(tape);
  await using replay = await replays.open(request({ until: at(12) }));
  const first = await replay.next();
  assert.deepEqual([first.isLast, first.position], [false, '20261112.10.1']);
  let isThere = false;
  const second = replay.next().finally(() => {
    isThere = true;
  });
  await settle();
  tape.commit([], at(11));
  await settle();
  assert.ok(!isThere, 'nothing to tell yet');
  tape.commit(trades(11, 13), at(13));
  const page = await second;
  assert.deepEqual([page.isLast, page.position, page.chargedTrades], [true, '20261112.11.1', 1]);
});

test('a replay at a time the tape has not reached waits for it [DET-03]', async () => {
  const tape = tapeOf(10);
  using replays = replaysOver(tape);
  const from = { t: 'at', time: at(11), depth: 10, mode: 'live' } as const;
  await using replay = await replays.open(request({ from, until: at(11) }));
  const first = replay.next();
  await settle();
  tape.commit(trades(10, 12), at(12));
  const [snapshot] = decodeFrames(await first);
  assert.ok(snapshot?.t === 'snapshot');
  assert.equal(snapshot.cursor, '20261112.11.1');
});

test('nothing from `until` on is shown until it is raised, and then all of it', async () => {
  using replays = replaysOver(tapeOf(10));
  await using replay = await replays.open(request({ until: at(3.5) }));
  const first = await replay.next();
  assert.deepEqual([first.isLast, first.position], [true, '20261112.3.1']);
  const idle = await replay.next(at(2));
  assert.deepEqual([idle.isLast, idle.position, idle.blocks.length], [true, '20261112.3.1', 0]);
  const more = await replay.next(at(5));
  assert.deepEqual([more.isLast, more.position], [true, '20261112.5.1']);
  assert.deepEqual(
    updatesOf(...more.blocks).map(({ cursor }) => cursor),
    ['20261112.4.1', '20261112.5.1'],
  );
});

test('closing ends what is under way at once, also a wait for the tape', async () => {
  const tape = tapeOf(10);
  using replays = replaysOver(tape);
  const replay = await replays.open(request({ until: at(100) }));
  await replay.next();
  const waiting = replay.next();
  await settle();
  await Promise.all([assert.rejects(waiting, refusedAs('closed')), replay[Symbol.asyncDispose]()]);
  await assert.rejects(replay.next(), refusedAs('closed'));

  const begun = await replays.open(request());
  const first = begun.next();
  await Promise.all([assert.rejects(first, refusedAs('closed')), begun[Symbol.asyncDispose]()]);
  // Its slot is free again.
  await using other = await replays.open(request());
  assert.equal((await rest(other)).at(-1)!.position, '20261112.10.1');
});

test('a page ends after so many trades, with nothing to say if so', async () => {
  using replays = replaysOver(tapeOf(10), { bytes: 65_536, trades: 4 });
  const params = paramsOf(BY_ID.get('large-trades')!, { minSize: 1_000 });
  await using replay = await replays.open(request({ indicator: 'large-trades', params }));
  const pages = await rest(replay);
  assert.deepEqual(
    pages.map(({ blocks, chargedTrades, isLast }) => [blocks.length, chargedTrades, isLast]),
    [
      [0, 4, false],
      [0, 4, false],
      [0, 2, true],
    ],
  );
});

test('a page ends at a second once it has its bytes', async () => {
  using replays = replaysOver(tapeOf(10), { bytes: 300, trades: 1_000 });
  await using replay = await replays.open(request());
  const pages = await rest(replay);
  assert.ok(pages.length > 3);
  for (const { blocks } of pages) {
    assert.equal(blocks.length, 1);
    const { text, ends, count } = new Block(blocks[0]!);
    assert.ok(text.length < 1_100);
    assert.equal(ends[count - 1], text.length);
  }
});

test('a snapshot is as deep as was asked for, and in `confirmed` mode final', async () => {
  using replays = replaysOver(tapeOf(10));
  const params = paramsOf(BY_ID.get('bars')!, { bar: 'tick', size: 2 });
  const ids = async (depth: number, mode: 'live' | 'confirmed') => {
    const from = { t: 'at', time: at(5.2), depth, mode } as const;
    await using replay = await replays.open(request({ params, from, until: at(5.2) }));
    const [snapshot] = decodeFrames(await replay.next());
    return snapshot?.t === 'snapshot' ? snapshot.items.map(({ id }) => id) : null;
  };
  assert.deepEqual(await ids(2, 'live'), ['20261112.3', '20261112.5']);
  assert.deepEqual(await ids(5, 'confirmed'), ['20261112.1', '20261112.3']);
});

test('large objects stretch the steps of a replay as they did those of the stream [DET-08]', async () => {
  const tape = new MemoryTape(CONTRACT, 1_000);
  tape.commit([], at(-1));
  const stream = new EngineRun(tape);
  stream.open(['volume-profile', {}]);
  await settle();
  // A trade every 5 ms, at so many prices that the profile soon is too large for every 20 ms edge.
  const wide = Array.from({ length: 800 }, (_, index): MemoryTrade => {
    return { at: at(index * 0.005), price: 100 + ((index * 37) % 900), size: 1, side: 1 };
  });
  tape.commit(wide, at(5));
  await settle();
  const published = stream.flushes();
  assert.ok(published.length > 10 && published.length < 100, `${published.length} flushes`);
  const cursors = updatesOf(...published.map(({ block }) => block)).map(({ cursor }) => cursor);
  using replays = replaysOver(tape);
  const params = paramsOf(BY_ID.get('volume-profile')!, {});
  for (const [told, cursor] of cursors.entries()) {
    const from = { t: 'after', cursor } as const;
    const asked = request({ indicator: 'volume-profile', params, from, until: at(5) });
    await using replay = await replays.open(asked);
    const entries = updatesOf(...(await rest(replay)).flatMap((page) => page.blocks));
    assert.deepEqual(
      entries.map(({ cursor }) => cursor),
      cursors.slice(told + 1),
    );
  }
});

test('what the tape does not have is refused', async () => {
  const tape = new MemoryTape(CONTRACT, 100);
  tape.commit(trades(0, 5), at(5));
  // The second day, a trading day, is missing.
  tape.commit([], epochNs(DAY, 50 * HOUR_NS));
  using replays = replaysOver(tape);
  const until = epochNs(DAY, 49 * HOUR_NS);
  await assert.rejects(replays.open(request({ until })), refusedAs('not-on-tape'));
  const gone = { t: 'after', cursor: '20261111.1.1' } as const;
  await assert.rejects(replays.open(request({ from: gone })), refusedAs('not-on-tape'));
  await using _fine = await replays.open(request({ until: at(5) }));
  const late = { t: 'at', time: at(6), depth: 1, mode: 'live' } as const;
  await assert.rejects(replays.open(request({ from: late, until: at(5) })), RangeError);
});

test('a tape that cannot be read fails its reader only', async () => {
  const tape = tapeOf(10);
  using replays = replaysOver(tape);
  await using broken = await replays.open(request());
  const { read } = tape;
  tape.read = () => {
    throw new Error('damaged');
  };
  await assert.rejects(broken.next(), /damaged/);
  tape.read = read;
  await using fine = await replays.open(request());
  assert.equal((await rest(fine)).at(-1)!.isLast, true);
});

test('between the open of a session and its first trade a position still counts the close before it [DET-02]', async () => {
  const tape = new MemoryTape(CONTRACT, 100);
  tape.commit(trades(0, 5), at(5));
  // The session's close has closed the bar; the next session has opened without a trade so far.
  tape.commit([], epochNs(DAY, 23 * HOUR_NS));
  using replays = replaysOver(tape);
  const time = epochNs(DAY, 22.5 * HOUR_NS);
  const from = { t: 'at', time, depth: 10, mode: 'live' } as const;
  await using replay = await replays.open(request({ from, until: time }));
  const [snapshot] = decodeFrames(await replay.next());
  assert.ok(snapshot?.t === 'snapshot');
  assert.deepEqual([snapshot.cursor, snapshot.items], ['20261112.5.2', []]);
});
