/**
 * Flush edges under a byte budget, as properties over random tapes. The edges equal those computed from whole lists,
 * whenever a run began or went live, and a client may resume at edges other than those of its cursor.
 */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { randomCuts, randomTape } from '../../testing/twins/random-tape.ts';
import { drive, driveLive, type Flush, NaiveClient } from '../../testing/twins/study-driver.ts';
import { SUBJECTS } from '../../testing/twins/study-subjects.ts';
import {
  DAY_NS,
  edgeOf,
  lastEdge,
  positionAt,
  type TwinTape,
  type TwinUpdate,
} from '../../testing/twins/twin-tape.ts';
import { formatCursor } from '../cursor.ts';
import type { EpochNs } from '../numbers.ts';
import { SECOND_NS } from '../units.ts';
import { indicatorNamed } from './catalogue.ts';
import {
  FLUSH_BYTES_PER_SECOND,
  FLUSH_STEP_NS,
  flushEdgeAfter,
  flushPhase,
  flushStepNs,
  wholeSecond,
} from './flush-step.ts';
import type { Params } from './indicator.ts';
import { parseParams } from './params.ts';

const RUNS = 20;
const SECOND = BigInt(SECOND_NS);
/** Factors that scale the small objects of random tapes, so that every step occurs. */
const factors = fc.constantFrom(1, 4, 20, 100, 500);
const phases = fc.oneof(fc.constantFrom(-500, -1, 0, 499), fc.integer({ min: -500, max: 499 }));

/** The step of the second that begins at an instant, from a list of all forming objects. */
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

function flushesOf(
  tape: TwinTape,
  updates: readonly TwinUpdate[],
  { factor, phase }: { readonly factor: number; readonly phase: number },
): Flush[] {
  const edgeOfUpdate = (update: TwinUpdate): bigint => {
    const inside = update.byTrade ? update.at : update.at - 1n;
    return edgeOf(update, stepAt(updates, inside - (inside % SECOND), factor), phase);
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

describe('flushEdgeAfter', () => {
  it('is a whole second, or a multiple of the step in it, moved by the phase [DET-08]', () => {
    const ms = (from: number, stepMs: number, phase: number) =>
      flushEdgeAfter(from * 1e6, stepMs * 1e6, phase) / 1e6;
    assert.deepEqual([ms(0, 20, 0), ms(19.9, 20, 0), ms(20, 20, 0)], [20, 20, 40]);
    assert.deepEqual([ms(0, 20, -500), ms(10, 20, -500), ms(970, 20, -500)], [10, 30, 1_000]);
    assert.deepEqual([ms(0, 20, 250), ms(25, 20, 250), ms(985, 20, 250)], [25, 45, 1_000]);
    assert.deepEqual([ms(3_000, 500, 200), ms(3_600, 500, 200)], [3_600, 4_000]);
    assert.deepEqual([ms(3_000, 1_000, 200), ms(3_999, 1_000, -500)], [4_000, 4_000]);
    const steps = fc.constantFrom(20, 40, 100, 200, 500, 1_000).map((step) => step * 1e6);
    const property = fc.property(steps, phases, fc.nat({ max: 5e9 }), (stepNs, phase, from) => {
      const byTwin = edgeOf({ at: BigInt(from), byTrade: true }, BigInt(stepNs), phase);
      assert.equal(flushEdgeAfter(from, stepNs, phase), Number(byTwin));
      const second = from - (from % SECOND_NS);
      const edges: number[] = [];
      for (let edge = second; edge < second + SECOND_NS; edge = edges.at(-1)!) {
        edges.push(flushEdgeAfter(edge, stepNs, phase));
      }
      // As many as without a phase, so the byte budget holds.
      assert.deepEqual([edges.length, edges.at(-1)], [SECOND_NS / stepNs, second + SECOND_NS]);
    });
    fc.assert(property);
  });
});

describe('flushPhase', () => {
  const phaseOf = (contract: string, id: string, given: Params = {}) => {
    const indicator = indicatorNamed(id)!;
    const parsed = parseParams(indicator, given);
    assert.ok('params' in parsed);
    return flushPhase(contract, indicator, parsed.params);
  };

  it('follows from contract, indicator and what is computed, and never changes [DET-08]', () => {
    const known = [
      phaseOf('BTCZ6', 'bars'),
      phaseOf('BTCZ6', 'bars', { size: 5 }),
      phaseOf('BTCZ6', 'footprint'),
      phaseOf('ESZ6', 'bars'),
    ];
    assert.deepEqual(known, [450, -457, 456, 69]);
    assert.equal(phaseOf('BTCZ6', 'bars', { depth: 7 }), known[0]);
  });

  it('spreads topics over the step', () => {
    const tenths = new Array<number>(10).fill(0);
    for (let size = 1; size <= 1_000; size += 1) {
      const phase = phaseOf('BTCZ6', 'bars', { bar: 'tick', size });
      assert.ok(phase >= -500 && phase < 500);
      tenths[Math.floor((phase + 500) / 100)]! += 1;
    }
    assert.ok(Math.min(...tenths) > 60 && Math.max(...tenths) < 140, tenths.join());
  });
});

for (const [name, subject] of Object.entries(SUBJECTS)) {
  describe(`${name} within a byte budget`, () => {
    it('flushes where the size of what forms at the whole second says [DET-07] [DET-08]', () => {
      const property = fc.property(
        fc.tuple(subject, randomTape, randomCuts, factors, phases),
        ([{ create, twin }, tape, cuts, bytesFactor, phase]) => {
          const updates = twin(tape);
          const expected = flushesOf(tape, updates, { factor: bytesFactor, phase });
          for (const cutting of ['whole', cuts] as const) {
            const options = { stepNs: FLUSH_STEP_NS, bytesFactor, phase };
            const { recorder, run } = drive(create(), tape, cutting, options);
            assert.deepEqual(recorder.flushes, expected);
            const second = tape.until - (tape.until % SECOND);
            const step = stepAt(updates, second, bytesFactor);
            const closed = positionAt(tape, updates, lastEdge(tape.until, step, phase));
            assert.equal(formatCursor(run.closed), closed);
          }
        },
      );
      fc.assert(property, { numRuns: RUNS });
    });

    it('published from any whole second on, begun at any session, it is the same [DET-08] [DET-13] [DET-18]', () => {
      const property = fc.property(
        fc.tuple(subject, randomTape, fc.nat(), fc.nat(), factors, phases),
        ([given, tape, atSession, atSecond, bytesFactor, phase]) => {
          const { create, lookBackSessions, outlivesSession = false } = given;
          const live = wholeSecondWithin(tape, atSecond);
          const current = tape.sessions.findLastIndex(({ open }) => open <= live);
          if (current < 0) return;
          const { open } = tape.sessions[current]!;
          const midnight = (open / DAY_NS) * DAY_NS;
          const ofDay = tape.sessions.findIndex(({ close }) => close > midnight);
          const latest = Math.max(0, (outlivesSession ? ofDay : current) - lookBackSessions);
          const start = tape.sessions[atSession % (latest + 1)]!.open;
          const options = { stepNs: FLUSH_STEP_NS, bytesFactor, outlivesSession, phase };
          const always = drive(create(), tape, 'whole', options);
          const fresh = driveLive(create(), tape, [start, live], options);
          const later = always.recorder.flushes.filter(({ edge }) => edge > live);
          assert.deepEqual(fresh.recorder.flushes, later);
          // A run cannot know what earlier sessions added to the entry at its start.
          const entryAtStart = entryOf(positionAt(tape, [], start));
          if (entryOf(formatCursor(fresh.run.closed)) === entryAtStart) return;
          assert.deepEqual(fresh.run.closed, always.run.closed);
        },
      );
      fc.assert(property, { numRuns: RUNS });
    });

    it('a client goes on at other edges than those its cursor was published at [DET-08] [DET-14]', () => {
      const property = fc.property(
        fc.tuple(subject, randomTape, fc.nat(), factors, phases),
        ([{ create }, given, cutAt, bytesFactor, phase]) => {
          const until = given.until - (given.until % SECOND) + SECOND;
          const tape = { ...given, until };
          const options = { stepNs: FLUSH_STEP_NS, bytesFactor };
          const before = drive(create(), tape, 'whole', options).recorder.messages;
          const after = drive(create(), tape, 'whole', { ...options, phase }).recorder.messages;
          const [stayed, cameBack] = [new NaiveClient(), new NaiveClient()];
          for (const message of before) stayed.take(message);
          // Cut anywhere, also within a flush. The client ignores messages up to its cursor.
          for (const message of before.slice(0, cutAt % (before.length + 1)))
            cameBack.take(message);
          for (const message of after) cameBack.take(message);
          assert.deepEqual(cameBack.objects, stayed.objects);
        },
      );
      fc.assert(property, { numRuns: RUNS });
    });
  });
}

function entryOf(cursor: string): string {
  return cursor.slice(0, cursor.lastIndexOf('.'));
}

/** A whole second, mostly at or shortly after an event. */
function wholeSecondWithin(tape: TwinTape, choice: number): bigint {
  const instants = [...tape.trades.map(({ ns }) => ns), tape.until];
  const instant = instants[choice % instants.length]!;
  return wholeSecond((instant < tape.until ? instant : tape.until) as EpochNs);
}
