/**
 * Compares settled days with the logs of the studies' naive twins, over random tapes with random sessions, for every
 * indicator: wherever a read starts and ends, it gives its part of the one log.
 */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { addDays, dayOf, epochNs } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { randomTape } from '../../../core/testing/twins/random-tape.ts';
import { SUBJECTS } from '../../../core/testing/twins/study-subjects.ts';
import { DAY_NS, type TwinTape, type TwinUpdate } from '../../../core/testing/twins/twin-tape.ts';
import {
  type Entry,
  entriesOf,
  linesOf,
  type ReadDay,
  SettledWorld,
  textBetween,
} from '../../testing/history/settled-world.ts';

const RUNS = 7;

const shares = fc.integer({ min: 0, max: 10_000 }).map((share) => share / 10_000);
const rows = fc.integer({ min: 1, max: 40 });
const cuts = fc.constantFrom(1, 7, 65_536);

function entryOf({ day, rank, k, t, object }: TwinUpdate): Entry {
  return { t, cursor: `${day}.${rank}.${k}`, ...object };
}

/** Whether an update is part of position(at). */
function isKnown({ at, byTrade }: TwinUpdate, instant: bigint): boolean {
  return byTrade ? at < instant : at <= instant;
}

/** An instant of the tape: anywhere, at a trade, a nanosecond after one, or at a midnight. */
function instantOf({ trades, until }: TwinTape, world: SettledWorld, share: number): EpochNs {
  const start = epochNs(world.firstDay, 0);
  const anywhere = start + BigInt(Math.floor(share * Number(until - start)));
  const trade = trades[Math.floor(share * trades.length)]?.ns ?? anywhere;
  const kinds = [anywhere, trade, trade + 1n, (anywhere / DAY_NS) * DAY_NS];
  const picked = kinds[Math.floor(share * 9_973) % kinds.length]!;
  return (picked > until ? until : picked) as EpochNs;
}

function objectsForming(updates: readonly TwinUpdate[]): readonly Entry[] {
  const newest = new Map<string, TwinUpdate>();
  for (const update of updates) {
    if (update.t === 'remove') newest.delete(update.object.id);
    else newest.set(update.object.id, update);
  }
  const order = new Map(updates.map((update, index) => [update, index]));
  return [...newest.values()]
    .filter(({ object }) => !object.final)
    .sort((a, b) => order.get(a)! - order.get(b)!)
    .map(entryOf);
}

/** The results of each day, read on its own. */
async function dayByDay(world: SettledWorld): Promise<readonly ReadDay[]> {
  const results: ReadDay[] = [];
  for (const firstDay of world.days) {
    const end = epochNs(addDays(firstDay, 1), 0);
    const until = end < world.until ? end : world.until;
    results.push(...(await world.read({ firstDay, until })));
  }
  return results;
}

for (const [name, subject] of Object.entries(SUBJECTS)) {
  describe(name, () => {
    it('gives the settled part of the log, each line from its instant on [DET-02] [DET-17]', async () => {
      const property = fc.asyncProperty(
        subject,
        randomTape,
        rows,
        cuts,
        async (given, tape, batchRows, blockRanks) => {
          const world = new SettledWorld(tape, given, { batchRows, blockRanks, pageBytes: 300 });
          const results = await world.read();
          const log = given.twin(tape).filter(({ object }) => object.final);
          assert.deepEqual(entriesOf(results), log.map(entryOf));
          const instants = results.flatMap(({ day, settled }) =>
            [...settled.fromNs].map((ns) => epochNs(day, ns)),
          );
          assert.deepEqual(
            instants,
            log.map(({ at, byTrade }) => (byTrade ? at + 1n : at)),
          );
          const places = results.flatMap(({ day, settled }) =>
            [...settled.ranks].map((rank, line) => `${day}.${rank}.${settled.ks[line]}`),
          );
          assert.deepEqual(
            places,
            log.map((update) => entryOf(update).cursor),
          );
          const trades = results.reduce((sum, result) => sum + result.trades, 0);
          assert.equal(trades, tape.trades.filter(({ ns }) => ns < tape.until).length);
        },
      );
      await fc.assert(property, { numRuns: RUNS });
    });

    it('ends anywhere with what is known there, and what forms there [DET-02] [DET-17]', async () => {
      const property = fc.asyncProperty(subject, randomTape, shares, async (given, tape, share) => {
        const world = new SettledWorld(tape, given);
        const until = instantOf(tape, world, share);
        if (until <= epochNs(world.firstDay, 0)) return;
        const results = await world.read({ until, hasTail: true });
        const known = given.twin(tape).filter((update) => isKnown(update, until));
        const settled = known.filter(({ object }) => object.final).map(entryOf);
        assert.deepEqual(entriesOf(results), settled);
        const tail = linesOf(results.at(-1)!.tail).map((line) => JSON.parse(line));
        assert.deepEqual(tail, objectsForming(known));
        const whole = await world.read();
        const last = whole.filter(({ day }) => day === dayOf((until - 1n) as EpochNs)).at(-1)!;
        const cut = last.settled.countKnownAt(Number(until - epochNs(last.day, 0)));
        assert.deepEqual(linesOf(last.settled).slice(0, cut), linesOf(results.at(-1)!.settled));
      });
      await fc.assert(property, { numRuns: RUNS });
    });

    it('day by day, begun anywhere: the same bytes as one long run [DET-18]', async () => {
      const property = fc.asyncProperty(subject, randomTape, async (given, tape) => {
        const world = new SettledWorld(tape, given);
        assert.deepEqual(await dayByDay(world), await world.read());
      });
      await fc.assert(property, { numRuns: RUNS });
    });

    it('adds up: [a, b) and [b, c) are [a, c) [DET-17]', async () => {
      const property = fc.asyncProperty(
        subject,
        randomTape,
        fc.tuple(shares, shares, shares),
        async (given, tape, parts) => {
          const world = new SettledWorld(tape, given);
          const [a, b, c] = parts
            .map((share) => instantOf(tape, world, share))
            .sort((one, other) => Number(one - other)) as [EpochNs, EpochNs, EpochNs];
          const between = async (from: EpochNs, to: EpochNs) =>
            textBetween(await world.read({ firstDay: dayOf(from), until: to }), from, to);
          assert.equal((await between(a, b)) + (await between(b, c)), await between(a, c));
        },
      );
      await fc.assert(property, { numRuns: RUNS });
    });

    it('after a gap in the tape, days begun anywhere are the same [DET-18] [DET-19]', async () => {
      const gaps = fc.array(fc.boolean(), { minLength: 1, maxLength: 6 });
      const property = fc.asyncProperty(subject, randomTape, gaps, async (given, tape, gap) => {
        const leftOut = (_day: UtcDay, at: number) => gap[at % gap.length]!;
        const world = new SettledWorld(tape, given, { leftOut });
        const { missingDays } = await world.reader.coverage(
          'ESZ6',
          epochNs(world.firstDay, 0),
          world.until,
        );
        const days = world.days.filter((day) => day > (missingDays.at(-1) ?? 0));
        let long: readonly ReadDay[] | null = null;
        for (const firstDay of days) {
          const from = await world.startOn(firstDay);
          if (from === null || from >= world.until) continue;
          const begun = await world.read({ firstDay, from });
          long ??= begun;
          assert.deepEqual(begun, long.slice(-begun.length));
        }
      });
      await fc.assert(property, { numRuns: RUNS });
    });
  });
}
