/**
 * One log, whatever a live source has lost: random gaps, recorded in random commits while topics run, for every
 * indicator. An engine that runs across them, one that starts in between, replays, and history with gaps allowed, read
 * again and again while the tape grows, all give the log of the study's naive twin, which knows the gaps beforehand.
 */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { dayOf, epochNs } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { randomTape } from '../../../core/testing/twins/random-tape.ts';
import { tableOf } from '../../../core/testing/twins/study-driver.ts';
import { SUBJECTS, type Subject } from '../../../core/testing/twins/study-subjects.ts';
import {
  CONTRACT,
  daysOf,
  entriesOf,
  INDICATOR,
  indicatorOf,
  pagesOf,
} from '../../testing/history/settled-world.ts';
import {
  entriesIn,
  isAfter,
  publishedLog,
  replayedBy,
  settledLog,
} from '../../testing/history/told-logs.ts';
import { edgeOf } from '../../testing/stream/block-updates.ts';
import { EngineRun, settle } from '../../testing/stream/engine-run.ts';
import { type LiveGapped, liveGapped, liveShape } from '../../testing/tape/live-gaps.ts';
import { MemoryTape } from '../../testing/tape/memory-tape.ts';
import { SettledDaysReader } from '../results/settled-days-reader.ts';
import { StudyReplays } from './study-replays.ts';

const RUNS = 6;

/** A live tape with its readers. */
class Live {
  readonly tape = new MemoryTape(CONTRACT, 5);
  readonly reader: SettledDaysReader;
  readonly #given: LiveGapped;
  readonly #subject: Subject;

  constructor(given: LiveGapped, subject: Subject) {
    this.#given = given;
    this.#subject = subject;
    const { tape } = this;
    this.reader = new SettledDaysReader({
      tape,
      ...this.options(),
      yieldTurn: async () => {},
      cache: null,
    });
  }

  options() {
    const sessions = tableOf(this.#given.twin.sessions);
    const indicators = new Map([[INDICATOR, indicatorOf(this.#subject)]]);
    return { indicators, sessionsOf: () => sessions };
  }

  /** Commits everything; `onCommit` runs before each but the first, when everything has settled. */
  async grow(onCommit: (index: number) => Promise<void>): Promise<EngineRun> {
    const long = new EngineRun(this.tape, this.options());
    for (const [index, { trades, promise, gaps }] of this.#given.commits.entries()) {
      if (index === 1) long.open([INDICATOR, {}]);
      if (index > 0) await onCommit(index);
      await settle();
      this.tape.commit(trades, promise, gaps);
      await settle();
    }
    assert.deepEqual(long.faults, []);
    assert.ok(!long.messages.some(({ t }) => t === 'outdated'), 'no gap changes the past');
    return long;
  }

  /** All that is settled up to the watermark. */
  async history() {
    const until = this.tape.promise!;
    const from = epochNs(dayOf(this.#given.commits[0]!.promise), 0);
    if (from >= until) return [];
    const asked = { account: 'a', contract: CONTRACT, indicator: INDICATOR, params: {} };
    await using read = await this.reader.read({
      ...asked,
      from,
      until,
      hasTail: false,
      form: 'blocks',
      allowsGaps: true,
    });
    return entriesOf(daysOf(await pagesOf(read)));
  }

  /** The same according to the twin. */
  expected() {
    const until = this.tape.promise!;
    const { twin } = this.#given;
    const from = epochNs(dayOf(this.#given.commits[0]!.promise), 0);
    const trades = twin.trades.filter(({ ns }) => ns < until);
    const last = dayOf((until - 1n) as EpochNs);
    return settledLog({ twin: { ...twin, trades, until } }, this.#subject, from, last);
  }

  replays(): StudyReplays {
    const { tape } = this;
    const limits = { bytes: 600, trades: 7 };
    return new StudyReplays({ tape, ...this.options(), yieldTurn: async () => {}, limits });
  }
}

for (const [name, subject] of Object.entries(SUBJECTS)) {
  describe(name, () => {
    it('a stream across the gaps of a live tape, and one begun anywhere, publish one log [DET-18] [DET-19]', async () => {
      const property = fc.asyncProperty(
        fc.tuple(subject, randomTape, liveShape, fc.nat()),
        async ([given, tape, shape, lateAt]) => {
          const all = liveGapped(tape, shape);
          const live = new Live(all, given);
          const late = new EngineRun(live.tape, live.options());
          const start = 1 + (lateAt % (all.commits.length - 1));
          const long = await live.grow(async (index) => {
            if (index === start) late.open([INDICATOR, {}]);
          });
          const edges = [...long.flushes().map((one) => edgeOf(one) as bigint), all.twin.until];
          assert.deepEqual(entriesIn(long.published()), publishedLog(all.twin, given, edges));
          const floor = late.floor();
          const expected = long.published().filter((message) => isAfter(message, floor));
          assert.deepEqual(late.published(), expected);
          assert.deepEqual(late.snapshot(), long.snapshot());
        },
      );
      await fc.assert(property, { numRuns: RUNS });
    });

    it('history with gaps allowed is that log, read at any time while the tape grows [DET-17] [DET-18]', async () => {
      const property = fc.asyncProperty(
        fc.tuple(subject, randomTape, liveShape, fc.integer({ min: 1, max: 5 })),
        async ([given, tape, shape, every]) => {
          const live = new Live(liveGapped(tape, shape), given);
          await live.grow(async (index) => {
            if (index % every !== 0) return;
            assert.deepEqual(await live.history(), live.expected(), `before commit ${index}`);
          });
          assert.deepEqual(await live.history(), live.expected());
        },
      );
      await fc.assert(property, { numRuns: RUNS });
    });

    it('a replay across the gaps, begun before they are known, tells what the stream told [DET-14] [DET-19]', async () => {
      const property = fc.asyncProperty(
        fc.tuple(subject, randomTape, liveShape, fc.nat(), fc.nat()),
        async ([given, tape, shape, openedAt, picked]) => {
          const all = liveGapped(tape, shape);
          const live = new Live(all, given);
          using replays = live.replays();
          const until = all.twin.until as EpochNs;
          const asked = { contract: CONTRACT, indicator: INDICATOR, params: {}, until };
          const open = (cursor: string) =>
            replays.open({ ...asked, from: { t: 'after', cursor }, chargedBefore: until });
          const first = `${dayOf(all.commits[0]!.promise) as UtcDay}.0.0`;
          let early: ReturnType<typeof replayedBy> | null = null;
          const start = 1 + (openedAt % (all.commits.length - 1));
          const long = await live.grow(async (index) => {
            if (index === start) early = replayedBy(await open(first));
          });
          const told = long.published();
          assert.deepEqual(await early, told);
          const message = told[picked % told.length];
          if (message === undefined || !('cursor' in message)) return;
          const { cursor } = message;
          const expected = told.filter((one) => isAfter(one, cursor));
          assert.deepEqual(await replayedBy(await open(cursor)), expected);
        },
      );
      await fc.assert(property, { numRuns: RUNS });
    });
  });
}
