/**
 * One log, whatever days are missing: random tapes without some days, in the middle of sessions and whole sessions
 * long, for every indicator. Settled days, an engine that runs across the gaps, one that starts after them, and replays
 * all give the log of the study's naive twin, which is told whether a session is complete.
 */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseCursor } from '@tapeloom/core/cursor';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { randomTape } from '../../../core/testing/twins/random-tape.ts';
import { SUBJECTS, type Subject } from '../../../core/testing/twins/study-subjects.ts';
import { DAY_NS } from '../../../core/testing/twins/twin-tape.ts';
import {
  type AskedDays,
  CONTRACT,
  dayCommits,
  type Entry,
  entriesOf,
  INDICATOR,
  indicatorOf,
  type LeftOut,
  type ReadDay,
  SettledWorld,
  textBetween,
} from '../../testing/history/settled-world.ts';
import {
  compareTexts,
  entriesIn,
  isAfter,
  publishedLog,
  replayedBy,
  settledLog,
} from '../../testing/history/told-logs.ts';
import { edgeOf } from '../../testing/stream/block-updates.ts';
import { EngineRun, settle } from '../../testing/stream/engine-run.ts';
import { type Gapped, gapped, gaps } from '../../testing/tape/gapped-tape.ts';
import { MemoryTape } from '../../testing/tape/memory-tape.ts';
import { isRefused } from '../platform/refusal.ts';
import { StudyReplays } from './study-replays.ts';

const RUNS = 8;
const REPLAY_RUNS = 4;

/** Ranges of days without a missing day. */
async function stretchesOf(world: SettledWorld): Promise<readonly (readonly UtcDay[])[]> {
  const { missingDays } = await world.reader.coverage(
    CONTRACT,
    epochNs(world.firstDay, 0),
    world.until,
  );
  const stretches: UtcDay[][] = [[]];
  for (const day of world.days) {
    if (missingDays.includes(day)) stretches.push([]);
    else stretches.at(-1)!.push(day);
  }
  return stretches.filter((days) => days.length > 0);
}

/** Engines over a tape that grows day by day and skips its missing days. */
class Grown {
  readonly tape = new MemoryTape(CONTRACT, 5);
  readonly #gapped: Gapped;
  readonly #subject: Subject;
  readonly #world: SettledWorld;

  constructor(tape: Gapped, subject: Subject) {
    this.#gapped = tape;
    this.#subject = subject;
    this.#world = new SettledWorld(tape.whole, subject, tape);
  }

  /** An engine that runs all along, and one that starts before the n-th commit. */
  async grow(lateAt: number): Promise<{ readonly long: EngineRun; readonly late: EngineRun }> {
    const { whole, partial } = this.#gapped;
    for (const [day, hours] of partial) this.tape.partial.set(day, hours);
    const commits = dayCommits(whole, this.#gapped);
    const [long, late] = [this.#engine(), this.#engine()];
    for (const [index, { trades, promise }] of commits.entries()) {
      // The day starts without a trade.
      this.tape.commit([], startOf(promise));
      await settle();
      if (index === 0) long.open([INDICATOR, {}]);
      if (index === lateAt % commits.length) late.open([INDICATOR, {}]);
      await settle();
      this.tape.commit(trades, promise);
      await settle();
    }
    assert.deepEqual([long.faults, late.faults], [[], []]);
    return { long, late };
  }

  replays(): StudyReplays {
    const { tape } = this;
    const limits = { bytes: 600, trades: 7 };
    return new StudyReplays({ tape, ...this.#options(), yieldTurn: async () => {}, limits });
  }

  #engine(): EngineRun {
    return new EngineRun(this.tape, this.#options());
  }

  #options() {
    const indicators = new Map([[INDICATOR, indicatorOf(this.#subject)]]);
    return { indicators, sessionsOf: () => this.#world.sessions };
  }
}

/** The midnight at or before `promise`. */
function startOf(promise: EpochNs): EpochNs {
  return (promise - (promise % DAY_NS)) as EpochNs;
}

/** A world in which every other missing day is there but unreadable. */
function worldWithDamage(all: Gapped, subject: Subject): SettledWorld {
  const isDamaged = (day: UtcDay) => day % 2 === 0 && all.leftOut(day, 0);
  const leftOut: LeftOut = (day, at) => all.leftOut(day, at) && !isDamaged(day);
  const small = { pageBytes: 300, blockRanks: 4 };
  const world = new SettledWorld(all.whole, subject, { ...all, leftOut, ...small });
  for (const day of world.days.filter(isDamaged)) world.tape.damaged.set(day, 'trades');
  return world;
}

/** Damage is found by reading; the day is skipped from then on. */
async function readAllowed(world: SettledWorld, asked: AskedDays): Promise<readonly ReadDay[]> {
  for (let found = 0; ; found += 1) {
    try {
      return await world.read({ ...asked, allowsGaps: true });
    } catch (error) {
      if (!isRefused(error, 'day-damaged') || found > world.days.length) throw error;
    }
  }
}

for (const [name, subject] of Object.entries(SUBJECTS)) {
  describe(name, () => {
    it('settled days around gaps, begun anywhere, are the one log there is [DET-18] [DET-19]', async () => {
      const property = fc.asyncProperty(subject, randomTape, gaps, async (given, tape, gap) => {
        const all = gapped(tape, gap);
        const world = new SettledWorld(all.whole, given, all);
        for (const days of await stretchesOf(world)) {
          const end = epochNs(addDays(days.at(-1)!, 1), 0);
          const until = end < world.until ? end : world.until;
          let long: readonly ReadDay[] | null = null;
          for (const firstDay of days) {
            const from = await world.startOn(firstDay);
            if (from === null || from >= until) continue;
            const read = await world.read({ firstDay, from, until });
            long ??= read;
            assert.deepEqual(entriesOf(read), settledLog(all, given, from, days.at(-1)!));
            assert.equal(textBetween(read, from, until), textBetween(long, from, until));
          }
        }
      });
      await fc.assert(property, { numRuns: RUNS });
    });

    it('a stream across gaps, and one begun anywhere, publish that log [DET-18] [DET-19]', async () => {
      const property = fc.asyncProperty(
        fc.tuple(subject, randomTape, gaps, fc.nat()),
        async ([given, tape, gap, lateAt]) => {
          const all = gapped(tape, gap);
          const { long, late } = await new Grown(all, given).grow(lateAt);
          const edges = [...long.flushes().map((flush) => edgeOf(flush) as bigint), all.twin.until];
          assert.deepEqual(entriesIn(long.published()), publishedLog(all.twin, given, edges));
          const floor = late.floor();
          const expected = long.published().filter((message) => isAfter(message, floor));
          assert.deepEqual(late.published(), expected);
          assert.deepEqual(late.snapshot(), long.snapshot());
        },
      );
      await fc.assert(property, { numRuns: RUNS });
    });

    it('with gaps allowed, what is settled is that log from anywhere to the end [DET-17] [DET-18]', async () => {
      const property = fc.asyncProperty(
        fc.tuple(subject, randomTape, gaps, fc.nat()),
        async ([given, tape, gap, picked]) => {
          const all = gapped(tape, gap);
          const world = worldWithDamage(all, given);
          for (const firstDay of world.days) {
            const read = entriesOf(await readAllowed(world, { firstDay }));
            const from = epochNs(firstDay, 0);
            assert.deepEqual(read, settledLog(all, given, from, world.days.at(-1)!));
            const page = read[picked % read.length];
            if (page === undefined) continue;
            const after = parseCursor(page.cursor)!;
            const rest = entriesOf(await readAllowed(world, { firstDay, after }));
            const isLater = ({ cursor }: Entry) => compareTexts(cursor, page.cursor) > 0;
            assert.deepEqual(rest, read.filter(isLater));
            assert.deepEqual(rest, read.slice(read.indexOf(page) + 1), 'cursors ascend');
          }
        },
      );
      await fc.assert(property, { numRuns: RUNS });
    });

    it('a replay after gaps, or across them where that is allowed, tells what the stream told [DET-14] [DET-19]', async () => {
      const property = fc.asyncProperty(
        fc.tuple(subject, randomTape, gaps, fc.nat()),
        async ([given, tape, gap, picked]) => {
          const all = gapped(tape, gap);
          const grown = new Grown(all, given);
          const { long } = await grown.grow(0);
          const told = long.published();
          const start = told[picked % told.length];
          if (start === undefined || !('cursor' in start)) return;
          const { cursor } = start;
          using replays = grown.replays();
          const until = all.twin.until as EpochNs;
          const asked = { contract: CONTRACT, indicator: INDICATOR, params: {}, until };
          const request = { ...asked, from: { t: 'after', cursor } as const, chargedBefore: until };
          const expected = told.filter((message) => isAfter(message, cursor));
          const allowed = await replays.open({ ...request, allowsGaps: true });
          assert.deepEqual(await replayedBy(allowed), expected);
          const opened = await replays.open(request).catch((error: unknown) => {
            // The cursor lies beyond a gap.
            assert.ok(isRefused(error, 'not-on-tape'));
            return null;
          });
          if (opened !== null) assert.deepEqual(await replayedBy(opened), expected);
        },
      );
      await fc.assert(property, { numRuns: REPLAY_RUNS });
    });
  });
}
