/**
 * Flush edges under a byte budget, as properties over random tapes: the edges are those that whole lists
 * tell, and they do not depend on where a run began or on when it began to publish.
 */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { randomCuts, randomTape } from '../../testing/twins/random-tape.ts';
import { drive, driveLive, type Flush } from '../../testing/twins/study-driver.ts';
import { SUBJECTS } from '../../testing/twins/study-subjects.ts';
import {
  DAY_NS,
  edgeOf,
  positionAt,
  type TwinTape,
  type TwinUpdate,
} from '../../testing/twins/twin-tape.ts';
import { formatCursor } from '../cursor.ts';
import type { EpochNs } from '../numbers.ts';
import {
  FLUSH_BYTES_PER_SECOND,
  FLUSH_STEP_NS,
  flushStepNs,
  SECOND_NS,
  wholeSecond,
} from './flush-step.ts';

const RUNS = 20;
const SECOND = BigInt(SECOND_NS);
/** The objects of random tapes are small; seen larger, they meet every step. */
const factors = fc.constantFrom(1, 4, 20, 100, 500);

/** The step of the second that begins at an instant: everything that forms there, put into one list. */
function stepAt(updates: readonly TwinUpdate[], second: bigint, factor: number): bigint {
  const forming = new Map<string, number>();
  for (const { at, byTrade, t, object } of updates) {
    if (byTrade ? at >= second : at > second) continue;
    if (t === 'remove' || object.final) forming.delete(object.id);
    else forming.set(object.id, JSON.stringify(object).length - '{}'.length + 64);
  }
  const bytes = [...forming.values()].reduce((sum, size) => sum + size, 0);
  return BigInt(flushStepNs(factor * bytes));
}

function flushesOf(tape: TwinTape, updates: readonly TwinUpdate[], factor: number): Flush[] {
  const edgeOfUpdate = (update: TwinUpdate): bigint => {
    const inside = update.byTrade ? update.at : update.at - 1n;
    return edgeOf(update, stepAt(updates, inside - (inside % SECOND), factor));
  };
  const byEdge = Map.groupBy(updates, edgeOfUpdate);
  return [...byEdge]
    .filter(([edge]) => edge <= tape.until)
    .map(([edge, mine]) => {
      const newest = mine.filter(
        (update, index) => !mine.slice(index + 1).some((it) => it.object.id === update.object.id),
      );
      const messages = newest.map(({ day, rank, k, t, object }) => {
        return { t, cursor: `${day}.${rank}.${k}`, ...object };
      });
      return { edge, position: positionAt(tape, updates, edge), messages };
    });
}

describe('flushStepNs', () => {
  it('is the smallest step that keeps to the budget, and a second at most [DET-07]', () => {
    const ms = (bytes: number) => flushStepNs(bytes) / 1e6;
    assert.deepEqual([0, 1_310, 1_311, 2_621, 2_622].map(ms), [20, 20, 40, 40, 100]);
    assert.deepEqual([6_554, 13_108, 32_768, 32_769, 1e9].map(ms), [200, 500, 500, 1_000, 1_000]);
    const property = fc.property(fc.nat({ max: FLUSH_BYTES_PER_SECOND }), (bytes) => {
      const stepNs = flushStepNs(bytes);
      assert.equal(SECOND_NS % stepNs, 0);
      assert.ok((bytes * SECOND_NS) / stepNs <= FLUSH_BYTES_PER_SECOND);
    });
    fc.assert(property);
  });
});

for (const [name, subject] of Object.entries(SUBJECTS)) {
  describe(`${name} within a byte budget`, () => {
    it('flushes where the size of what forms at the whole second says [DET-07] [DET-08]', () => {
      const property = fc.property(
        fc.tuple(subject, randomTape, randomCuts, factors),
        ([{ create, twin }, tape, cuts, bytesFactor]) => {
          const updates = twin(tape);
          const expected = flushesOf(tape, updates, bytesFactor);
          for (const cutting of ['whole', cuts] as const) {
            const options = { stepNs: FLUSH_STEP_NS, bytesFactor };
            const { recorder, run } = drive(create(), tape, cutting, options);
            assert.deepEqual(recorder.flushes, expected);
            const second = tape.until - (tape.until % SECOND);
            const step = stepAt(updates, second, bytesFactor);
            const closed = positionAt(tape, updates, tape.until - (tape.until % step));
            assert.equal(formatCursor(run.closed), closed);
          }
        },
      );
      fc.assert(property, { numRuns: RUNS });
    });

    it('published from any whole second on, begun at any session, it is the same [DET-08] [DET-13] [DET-18]', () => {
      const property = fc.property(
        fc.tuple(subject, randomTape, fc.nat(), fc.nat(), factors),
        ([given, tape, atSession, atSecond, bytesFactor]) => {
          const { create, lookBackSessions, outlivesSession = false } = given;
          const live = wholeSecondWithin(tape, atSecond);
          const current = tape.sessions.findLastIndex(({ open }) => open <= live);
          if (current < 0) return;
          const { open } = tape.sessions[current]!;
          const midnight = (open / DAY_NS) * DAY_NS;
          const ofDay = tape.sessions.findIndex(({ close }) => close > midnight);
          const latest = Math.max(0, (outlivesSession ? ofDay : current) - lookBackSessions);
          const start = tape.sessions[atSession % (latest + 1)]!.open;
          const options = { stepNs: FLUSH_STEP_NS, bytesFactor, outlivesSession };
          const always = drive(create(), tape, 'whole', options);
          const fresh = driveLive(create(), tape, [start, live], options);
          const later = always.recorder.flushes.filter(({ edge }) => edge > live);
          assert.deepEqual(fresh.recorder.flushes, later);
          // What the sessions before it added to the entry at its start, a run learns from nobody.
          const entryAtStart = entryOf(positionAt(tape, [], start));
          if (entryOf(formatCursor(fresh.run.closed)) === entryAtStart) return;
          assert.deepEqual(fresh.run.closed, always.run.closed);
        },
      );
      fc.assert(property, { numRuns: RUNS });
    });
  });
}

/** The day and rank of a cursor. */
function entryOf(cursor: string): string {
  return cursor.slice(0, cursor.lastIndexOf('.'));
}

/** A whole second at which something is or has just been, mostly. */
function wholeSecondWithin(tape: TwinTape, choice: number): bigint {
  const instants = [...tape.trades.map(({ ns }) => ns), tape.until];
  const instant = instants[choice % instants.length]!;
  return wholeSecond((instant < tape.until ? instant : tape.until) as EpochNs);
}
