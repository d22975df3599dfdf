/**
 * The point where a topic goes live does not affect its publications: two engines that begin at different times, go
 * live at different points and read at different paces publish the same from the later start on.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { compareCursors, parseCursor } from '@tapeloom/core/cursor';
import type { EpochNs } from '@tapeloom/core/numbers';
import { addDays, dayOf, epochNs } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { edgeOf, updatesOf } from '../../testing/stream/block-updates.ts';
import { CONTRACT, DAY, EngineRun, HOUR_NS, settle } from '../../testing/stream/engine-run.ts';
import { MemoryTape } from '../../testing/tape/memory-tape.ts';
import {
  randomCommits,
  randomTopics,
  type ScriptedCommit,
} from '../../testing/tape/random-commits.ts';
import { entryTime } from '../runs/entry-time.ts';
import type { FlushMessage } from '../topics/engine-link.ts';
import { liveEdge, MARGIN_NS, RESUME_NS } from './live-edge.ts';

const SECOND_NS = 1_000_000_000;

function compare(a: string, b: string): number {
  return compareCursors(parseCursor(a)!, parseCursor(b)!);
}

/** The flushes whose messages all lie beyond a cursor, as they are on the wire. */
function flushesAfter(run: EngineRun, cursor: string) {
  const isAfter = ({ block }: FlushMessage) => compare(updatesOf(block)[0]!.cursor, cursor) > 0;
  return run
    .flushes()
    .filter(isAfter)
    .map((flush) => [edgeOf(flush), flush.position, updatesOf(flush.block)]);
}

function cursorsOf(run: EngineRun): readonly string[] {
  return run.flushes().flatMap(({ block }) => updatesOf(block).map(({ cursor }) => cursor));
}

/** Commits a script to a tape on which every day is, also those without trades. */
async function play(tape: MemoryTape, script: readonly ScriptedCommit[], pauses: () => boolean) {
  for (const { trades, promise } of script) {
    while (tape.promise !== null && dayOf(tape.promise) < dayOf(promise)) {
      const midnight = epochNs(addDays(dayOf(tape.promise), 1), 0);
      const before = trades.filter(({ at }) => at < midnight);
      tape.commit(before, midnight);
    }
    const last = tape.promise ?? 0n;
    tape.commit(
      trades.filter(({ at }) => at >= last),
      promise,
    );
    if (pauses()) await turn();
  }
}

test('begun at different times and read at different paces, it is the same stream [DET-07] [DET-08] [DET-13]', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(randomCommits, randomTopics, fc.nat(), fc.nat(), fc.integer({ min: 1, max: 9 })),
      async ([script, topic, opensAt, back, batchRows]) => {
        const [steady, hasty] = [
          new MemoryTape(CONTRACT, 5_000),
          new MemoryTape(CONTRACT, batchRows),
        ];
        const [long, late] = [new EngineRun(steady), new EngineRun(hasty)];
        const at = 1 + (opensAt % (script.length - 1));
        await play(steady, script.slice(0, 1), () => true);
        long.open(topic);
        await settle();
        await play(steady, script.slice(1, at), () => true);
        await settle();
        await play(hasty, script.slice(0, at), () => false);
        const told = long.flushes();
        const first = told.length === 0 ? undefined : updatesOf(told[back % told.length]!.block)[0];
        const since = first?.cursor ?? null;
        late.open(topic, 1, 0, back % 3 === 0 ? null : since);
        await play(steady, script.slice(at), () => true);
        await play(hasty, script.slice(at), () => back % 2 === 0);
        await settle();
        assert.deepEqual([long.faults, late.faults], [[], []]);

        const [longFloor, lateFloor] = [long.floor(), late.floor()];
        const floor = compare(longFloor, lateFloor) > 0 ? longFloor : lateFloor;
        assert.deepEqual(flushesAfter(late, floor), flushesAfter(long, floor));
        assert.deepEqual(late.snapshot(), long.snapshot());
        assert.deepEqual(late.pulse().topics, long.pulse().topics);
        const lastBefore = cursorsOf(long).findLast((cursor) => compare(cursor, lateFloor) <= 0);
        if (lastBefore !== undefined) assert.equal(lateFloor, lastBefore);
      },
    ),
    { numRuns: 80 },
  );
});

test('a topic opened for a returning cursor publishes everything beyond it [DET-13]', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(randomCommits, randomTopics, fc.nat(), fc.nat(30)),
      async ([script, topic, choice, waitMinutes]) => {
        const tape = new MemoryTape(CONTRACT, 100);
        await play(tape, script.slice(0, 1), () => false);
        const long = new EngineRun(tape);
        long.open(topic);
        await settle();
        await play(tape, script.slice(1), () => true);
        const end = (tape.promise! + BigInt(waitMinutes * 60 * SECOND_NS)) as EpochNs;
        await play(tape, [{ trades: [], promise: end }], () => true);
        await settle();
        const all = cursorsOf(long);
        if (all.length === 0) return;
        const since = all[choice % all.length]!;
        const back = new EngineRun(tape);
        back.open(topic, 1, 0, since);
        await settle();
        const entry = await entryTime(tape, CONTRACT, parseCursor(since)!);
        const isServed = compare(back.floor(), since) <= 0;
        const isRecent = entry! >= tape.promise! - RESUME_NS;
        // While nothing was published since, a cursor is good however old it is.
        if (isRecent || since === all.at(-1)) assert.ok(isServed, `${back.floor()} <= ${since}`);
        if (isServed) assert.deepEqual(flushesAfter(back, since), flushesAfter(long, since));
      },
    ),
    { numRuns: 80 },
  );
});

test("between a session's open and its first trade a fresh topic stands where a long one does [DET-10] [DET-12]", async () => {
  const tape = new MemoryTape(CONTRACT, 100);
  const at = (hour: number, seconds = 0) => epochNs(DAY, hour * HOUR_NS + seconds * SECOND_NS);
  tape.commit([], at(9));
  const long = new EngineRun(tape);
  long.open(['bars', {}]);
  await settle();
  tape.commit([{ at: at(11, 1), price: 100, size: 1, side: 1 }], at(11, 2));
  tape.commit([], at(22, 30));
  await settle();
  const fresh = new EngineRun(tape);
  fresh.open(['bars', {}]);
  await settle();
  // The minute that ended made the bar final, as the second update of the only trade.
  const position = `${DAY}.1.2`;
  assert.deepEqual(
    [long, fresh].map((run) => run.pulse().topics[0]?.position),
    [position, position],
  );
  assert.deepEqual(fresh.snapshot(), long.snapshot());
  assert.equal(fresh.floor(), position);
});

test('a stream that said nothing for sessions still knows where it stopped [DET-13]', async () => {
  const tape = new MemoryTape(CONTRACT, 100);
  const at = (hour: number) => epochNs(DAY, hour * HOUR_NS);
  const trade = (hour: number, size: number) => {
    return { at: (at(hour) + 1n) as EpochNs, price: 100, size, side: 1 as const };
  };
  tape.commit([trade(11, 50)], at(12));
  tape.commit([trade(23, 1)], at(24));
  tape.commit([trade(35, 1)], at(35.5));
  const run = new EngineRun(tape);
  run.open(['large-trades', { minSize: 30 }]);
  await settle();
  assert.equal(run.floor(), `${DAY}.1.2`);
});

test('a topic goes live at a whole second, earlier for a cursor of the last 15 minutes', async () => {
  const tape = new MemoryTape(CONTRACT, 100);
  const at = (seconds: number) => epochNs(DAY, 11 * HOUR_NS + seconds * SECOND_NS);
  tape.commit([{ at: at(0.7), price: 100, size: 1, side: 1 }], at(600.9));
  const edge = (horizon: EpochNs, since: string | null) => {
    return liveEdge(tape, CONTRACT, horizon, since === null ? null : parseCursor(since));
  };
  assert.equal(await edge(at(600.9), null), at(600));
  assert.equal(await edge(at(600.9), `${DAY}.1.1`), (at(0) - MARGIN_NS) as EpochNs);
  assert.equal(await edge(at(900.7), `${DAY}.1.1`), (at(0) - MARGIN_NS) as EpochNs);
  assert.equal(await edge(at(900.8), `${DAY}.1.1`), at(900));
  assert.equal(await edge(at(600.9), `${DAY}.2.1`), at(600));
  assert.equal(await edge(at(600.9), `${addDays(DAY, -1)}.7.1`), at(600));
  // A delayed topic may stand before the cursor.
  assert.equal(await edge(at(-100), `${DAY}.1.1`), at(-100));
});
