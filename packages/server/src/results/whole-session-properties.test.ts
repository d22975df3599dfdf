/**
 * Whatever is returned is correct, over random tapes without some days, for every indicator and position: a read either
 * gives all that the complete tape would give, or names exactly the missing days.
 */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { addDays, dayOf, epochNs } from '@tapeloom/core/utc-day';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import fc from 'fast-check';
import { randomTape } from '../../../core/testing/twins/random-tape.ts';
import { SUBJECTS, type Subject } from '../../../core/testing/twins/study-subjects.ts';
import type { TwinUpdate } from '../../../core/testing/twins/twin-tape.ts';
import {
  CONTRACT,
  type Entry,
  INDICATOR,
  indicatorOf,
  linesOf,
  SettledWorld,
} from '../../testing/history/settled-world.ts';
import { refusedAs } from '../../testing/refused-as.ts';
import { decodeFrames } from '../../testing/stream/engine-run.ts';
import { entryOf, type Gapped, gapped, gaps, isIn } from '../../testing/tape/gapped-tape.ts';
import { StudyReplays } from '../runs/study-replays.ts';

const RUNS = 7;
const REPLAY_RUNS = 3;
const places = fc.tuple(fc.nat(), fc.nat(), fc.constantFrom(-1n, 0n, 0n, 1n));

/**
 * A range that starts and ends at edges of sessions, midnights, trades, or a nanosecond beside them. Every other range
 * is the longest that is covered.
 */
function rangeOf(
  all: Gapped,
  world: SettledWorld,
  [one, other, beside]: readonly [number, number, bigint],
): readonly [from: EpochNs, to: EpochNs] | null {
  const { sessions, trades, until } = all.whole;
  const first = epochNs(world.firstDay, 0);
  const edges = [
    ...sessions.flatMap(({ open, close }) => [open, close, (open + close) / 2n]),
    ...trades.map(({ ns }) => ns),
    ...world.days.map((day) => epochNs(day, 0)),
    until - beside,
  ].filter((at) => at + beside >= first && at + beside <= until);
  const isCovered = (from: bigint) => daysMissing(all, [from, until], false).length === 0;
  if (one % 2 === 0) {
    const from = edges.sort((a, b) => Number(a - b)).find(isCovered);
    return from === undefined || from >= until ? null : [from as EpochNs, until as EpochNs];
  }
  const pick = (number: number) => edges[number % edges.length]! + beside;
  const [from, to] = [pick(one), pick(other)].sort((a, b) => Number(a - b)) as [EpochNs, EpochNs];
  return from < to ? [from, to] : null;
}

/** The missing days among those needed: of sessions, from the open of the one that is open at `from`. */
function daysMissing(
  { whole: { sessions }, onTape }: Gapped,
  [from, to]: readonly [bigint, bigint],
  hasSnapshot: boolean,
): UtcDay[] {
  const current = hasSnapshot
    ? sessions.findLast(({ open }) => open <= from)
    : sessions.find(({ open, close }) => open < from && close > from);
  const start = current?.open ?? from;
  const missing: UtcDay[] = [];
  for (let day = dayOf(start as EpochNs); epochNs(day, 0) < to; day = addDays(day, 1)) {
    const begin = later(start, epochNs(day, 0));
    const end = earlier(to, epochNs(addDays(day, 1), 0));
    const isOpen = sessions.some(({ open, close }) => later(open, begin) < earlier(close, end));
    if (isOpen && !onTape.has(day)) missing.push(day);
  }
  return missing;
}

function later(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

function earlier(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

/** The settled updates of the range in a twin's log. */
function settledIn(updates: readonly TwinUpdate[], [from, to]: readonly [bigint, bigint]) {
  return updates.filter((update) => update.object.final && isIn(update, to) && !isIn(update, from));
}

async function readIn(world: SettledWorld, [from, until]: readonly [EpochNs, EpochNs]) {
  const firstDay = dayOf(from);
  const entries: Entry[] = [];
  for (const { day, settled } of await world.read({ firstDay, from, until })) {
    for (const [index, line] of linesOf(settled).entries()) {
      if (epochNs(day, settled.fromNs[index]!) > from) entries.push(JSON.parse(line));
    }
  }
  return entries;
}

/** If older objects are removed too, other updates have other numbers. */
function withoutNumber({ cursor, ...rest }: Entry) {
  return { ...rest, place: cursor.slice(0, cursor.lastIndexOf('.')) };
}

/** The updates of objects born after position(since). */
function bornSince(updates: readonly TwinUpdate[], since: bigint): readonly TwinUpdate[] {
  const old = new Set(
    updates.flatMap((update) =>
      update.t === 'upsert' && isIn(update, since) ? [update.object.id] : [],
    ),
  );
  return updates.filter(({ object }) => !old.has(object.id));
}

async function replayed(
  world: SettledWorld,
  subject: Subject,
  [time, until]: readonly [EpochNs, EpochNs],
): Promise<readonly ServerMessage[]> {
  const indicators = new Map([[INDICATOR, indicatorOf(subject)]]);
  const sessionsOf = () => world.sessions;
  const { tape } = world;
  using replays = new StudyReplays({ tape, indicators, sessionsOf, yieldTurn: async () => {} });
  const from = { t: 'at', time, depth: 500, mode: 'live' } as const;
  const asked = { contract: CONTRACT, indicator: INDICATOR, params: {}, from, until };
  await using replay = await replays.open({ ...asked, chargedBefore: until });
  const messages: ServerMessage[] = [];
  for (let isLast = false; !isLast; ) {
    const page = await replay.next();
    messages.push(...decodeFrames(page));
    isLast = page.isLast;
  }
  // The last trade before an open may belong to a session that is not whole: its updates are not numbered.
  return messages.map((message) =>
    message.t === 'snapshot' ? { ...message, cursor: message.cursor.replace(/\d+$/, '') } : message,
  );
}

for (const [name, subject] of Object.entries(SUBJECTS)) {
  describe(name, () => {
    it('what is given is what the whole tape gives, else the days it takes are named [DET-16] [DET-18] [DET-19] [ERR-20]', async () => {
      const property = fc.asyncProperty(
        fc.tuple(subject, randomTape, gaps, places),
        async ([given, tape, gap, picked]) => {
          const all = gapped(tape, gap);
          const world = new SettledWorld(all.whole, given, all);
          const range = rangeOf(all, world, picked);
          if (range === null) return;
          const study = { indicator: INDICATOR, params: {}, from: range[0], hasSnapshot: false };
          const coverage = await world.reader.coverage(CONTRACT, ...range, study);
          const { missingDays, lookBackFrom } = coverage;
          assert.deepEqual(missingDays, daysMissing(all, range, false));
          if (missingDays.length > 0) {
            await assert.rejects(readIn(world, range), refusedAs('days-missing'));
            return;
          }
          const entries = await readIn(world, range);
          assert.deepEqual(entries, settledIn(given.twin(all.twin), range).map(entryOf));
          const whole = given.twin(all.whole);
          if (given.outlivesSession === true) {
            assert.deepEqual(
              entries.map(withoutNumber),
              settledIn(bornSince(whole, lookBackFrom!), range).map(entryOf).map(withoutNumber),
            );
          } else if (given.lookBackSessions === 0) {
            assert.deepEqual(entries, settledIn(whole, range).map(entryOf));
          }
          assert.equal(lookBackFrom === null, given.outlivesSession !== true);
        },
      );
      await fc.assert(property, { numRuns: RUNS });
    });

    it('a replay that is covered is that of the whole tape [DET-16] [DET-20]', async () => {
      const property = fc.asyncProperty(
        fc.tuple(subject, randomTape, gaps, places),
        async ([given, tape, gap, picked]) => {
          const all = gapped(tape, gap);
          const world = new SettledWorld(all.whole, given, all);
          const range = rangeOf(all, world, picked);
          if (range === null || given.lookBackSessions > 0) return;
          const study = { indicator: INDICATOR, params: {}, from: range[0], hasSnapshot: true };
          const { missingDays } = await world.reader.coverage(CONTRACT, ...range, study);
          assert.deepEqual(missingDays, daysMissing(all, range, true));
          if (missingDays.length > 0) return;
          const whole = new SettledWorld(all.whole, given);
          assert.deepEqual(
            await replayed(world, given, range),
            await replayed(whole, given, range),
          );
        },
      );
      await fc.assert(property, { numRuns: REPLAY_RUNS });
    });
  });
}
