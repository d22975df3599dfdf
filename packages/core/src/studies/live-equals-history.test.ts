/**
 * The core guarantee as properties over random tapes with random sessions: however a study is run, its output is the
 * log of its naive twin, or a defined part of it.
 */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { randomCuts, randomTapeWithGaps as randomTape } from '../../testing/twins/random-tape.ts';
import {
  compareTexts,
  type Driven,
  drive,
  everyUpdate,
  type Flush,
  type Message,
  NaiveClient,
} from '../../testing/twins/study-driver.ts';
import { SUBJECTS, type Subject } from '../../testing/twins/study-subjects.ts';
import {
  DAY_NS,
  edgeOf,
  positionAt,
  type TwinObject,
  type TwinTape,
  type TwinUpdate,
} from '../../testing/twins/twin-tape.ts';
import { formatCursor } from '../cursor.ts';
import { DEPTH_MAX } from './bar-parameters.ts';
import { FLUSH_STEP_NS } from './flush-step.ts';
import type { ObjectVersion } from './study.ts';

const RUNS = 16;
const STEP = BigInt(FLUSH_STEP_NS);

function messageOf({ day, rank, k, t, object }: TwinUpdate): Message {
  return { t, cursor: `${day}.${rank}.${k}`, ...object };
}

/** The state after a log: the newest version of every object that was not removed. */
function stateAfter(updates: readonly TwinUpdate[]): Map<string, TwinObject> {
  const objects = new Map<string, TwinObject>();
  for (const { t, object } of updates) {
    if (t === 'upsert') objects.set(object.id, object);
    else objects.delete(object.id);
  }
  return objects;
}

/** The flushes of a log, up to the last closed edge. */
function flushesOf(tape: TwinTape, updates: readonly TwinUpdate[], step: bigint): Flush[] {
  const edges = [...new Set(updates.map((update) => edgeOf(update, step)))];
  return edges
    .filter((edge) => edge <= tape.until)
    .map((edge) => {
      const mine = updates.filter((update) => edgeOf(update, step) === edge);
      const newest = mine.filter(
        (update, index) => !mine.slice(index + 1).some((it) => it.object.id === update.object.id),
      );
      return {
        edge,
        position: positionAt(tape, updates, edge),
        messages: newest.map(messageOf),
      };
    });
}

/** The state at `edge`: all objects, or those of the session that is open then or was the last. */
function objectsAt(
  tape: TwinTape,
  updates: readonly TwinUpdate[],
  edge: bigint,
  { outlivesSession }: Subject,
) {
  const open = tape.sessions.findLast((session) => session.open <= edge)?.open ?? edge;
  const objects = stateAfter(updates.filter((update) => edgeOf(update, STEP) <= edge));
  return [...objects.values()]
    .filter(({ ts }) => outlivesSession || BigInt(ts) >= open)
    .sort((a, b) => compareIds(a.id, b.id));
}

/** By first trade: day, rank and n of an id, in descending weight. */
function compareIds(a: string, b: string): number {
  const weigh = (id: string) => {
    const [day, rank, n = 0] = id.split('.').map(Number) as [number, number, number?];
    return (BigInt(day) << 64n) + (BigInt(rank) << 32n) + BigInt(n);
  };
  return Number(weigh(a) - weigh(b));
}

for (const [name, subject] of Object.entries(SUBJECTS)) {
  describe(name, () => {
    it('settled: exactly the final part of the log, same cursors [DET-01] [DET-02] [DET-06] [OBJ-03] [OBJ-04]', () => {
      const property = fc.property(subject, randomTape, ({ create, twin }, tape) => {
        const { recorder, run } = drive(create(), tape, 'whole');
        const updates = twin(tape);
        const settled = updates.filter((update) => update.object.final).map(messageOf);
        assert.deepEqual(recorder.messages, settled);
        assert.equal(formatCursor(run.position), positionAt(tape, updates, tape.until));
      });
      fc.assert(property, { numRuns: RUNS });
    });

    it('settled, in any cut: an update is known from its time on, not earlier [DET-02] [DET-17]', () => {
      const property = fc.property(
        subject,
        randomTape,
        randomCuts,
        ({ create, twin }, tape, cuts) => {
          const { recorder } = drive(create(), tape, cuts);
          const instants = twin(tape)
            .filter((update) => update.object.final)
            .map(({ at, byTrade }) => (byTrade ? at + 1n : at));
          assert.deepEqual(recorder.instants, instants);
        },
      );
      fc.assert(property, { numRuns: RUNS });
    });

    it('incremental: a flush has the newest version of every changed object [DET-07] [DET-08]', () => {
      const property = fc.property(subject, randomTape, ({ create, twin }, tape) => {
        const { recorder, run } = drive(create(), tape, 'whole', { stepNs: FLUSH_STEP_NS });
        const updates = twin(tape);
        assert.deepEqual(recorder.flushes, flushesOf(tape, updates, STEP));
        const lastEdge = tape.until - (tape.until % STEP);
        assert.equal(formatCursor(run.closed), positionAt(tape, updates, lastEdge));
      });
      fc.assert(property, { numRuns: RUNS });
    });

    it('trade by trade, every update there is has the number its twin counts [DET-06]', () => {
      const property = fc.property(subject, randomTape, ({ create, twin }, tape) => {
        assert.deepEqual(everyUpdate(create(), tape), twin(tape).map(messageOf));
      });
      fc.assert(property, { numRuns: RUNS });
    });

    it('closed by promise or by trade, in any cut, the same comes out [DET-02] [DET-08]', () => {
      const property = fc.property(subject, randomTape, randomCuts, ({ create }, tape, cuts) => {
        const whole = drive(create(), tape, 'whole', { stepNs: FLUSH_STEP_NS });
        const cut = drive(create(), tape, cuts, { stepNs: FLUSH_STEP_NS });
        assert.deepEqual(cut.recorder.flushes, whole.recorder.flushes);
        assert.deepEqual(cut.run.position, whole.run.position);
        assert.deepEqual(cut.run.closed, whole.run.closed);
        const settled = drive(create(), tape, cuts);
        assert.deepEqual(
          settled.recorder.messages,
          drive(create(), tape, 'whole').recorder.messages,
        );
      });
      fc.assert(property, { numRuns: RUNS });
    });

    it('at a flush edge a client of the stream has the newest version of all [DET-15] [DET-16]', () => {
      const property = fc.property(subject, randomTape, ({ create, twin }, tape) => {
        const edged = { ...tape, until: tape.until - (tape.until % STEP) + STEP };
        const { recorder } = drive(create(), edged, 'whole', { stepNs: FLUSH_STEP_NS });
        const client = new NaiveClient();
        for (const message of recorder.messages) client.take(message);
        assert.deepEqual(client.objects, stateAfter(twin(edged)));
        for (const [id, { final }] of client.objects) {
          const versions = recorder.messages.filter((message) => message.id === id);
          const finals = versions.filter((message) => message.final);
          assert.deepEqual(finals, final ? [versions.at(-1)] : []);
        }
      });
      fc.assert(property, { numRuns: RUNS });
    });

    it("a snapshot is the session's state at one position, newest first to go in [DET-12] [DET-24] [OBJ-01] [OBJ-02]", () => {
      const depths = fc.constantFrom(1, 2, 5, 500);
      const modes = fc.constantFrom('live' as const, 'confirmed' as const);
      const property = fc.property(
        fc.tuple(subject, randomTape, randomCuts, depths, modes),
        ([given, tape, cuts, depth, mode]) => {
          const updates = given.twin(tape);
          const { outlivesSession = false } = given;
          drive(given.create(), tape, cuts, {
            stepNs: FLUSH_STEP_NS,
            outlivesSession,
            onEach: ({ run, recorder, at }) => {
              const edge = at - (at % STEP);
              const { cursor, items } = recorder.published.snapshot(run.closed, depth, mode);
              const all = objectsAt(tape, updates, edge, given);
              const shown = mode === 'live' ? all : all.filter((object) => object.final);
              assert.deepEqual(JSON.parse(items), outlivesSession ? shown : shown.slice(-depth));
              assert.equal(cursor, positionAt(tape, updates, edge));
            },
          });
        },
      );
      fc.assert(property, { numRuns: RUNS });
    });

    it('cut at a flush and resumed from a snapshot, both clients end up the same [DET-12] [DET-15]', () => {
      const property = fc.property(subject, randomTape, randomCuts, (given, tape, cuts) => {
        const { create, outlivesSession = false } = given;
        const stepNs = FLUSH_STEP_NS;
        const { messages } = drive(create(), tape, 'whole', { stepNs }).recorder;
        const always = new NaiveClient();
        for (const message of messages) always.take(message);
        drive(create(), tape, cuts, {
          stepNs,
          outlivesSession,
          onEach: ({ run, recorder }) => {
            const { cursor, items } = recorder.published.snapshot(run.closed, 3, 'live');
            const objects = JSON.parse(items) as ObjectVersion[];
            const resumed = new NaiveClient(cursor, objects);
            for (const message of messages) resumed.take(message);
            if (outlivesSession) {
              assert.deepEqual(resumed.objects, always.objects);
              return;
            }
            const created = [...always.objects.keys()];
            const later = messages.find((message) => compareTexts(message.cursor, cursor) > 0);
            const oldest = objects[0]?.id ?? later?.id ?? null;
            const both = created.filter((id) => oldest !== null && compareIds(id, oldest) >= 0);
            for (const id of both) {
              assert.deepEqual(resumed.objects.get(id), always.objects.get(id));
            }
          },
        });
      });
      fc.assert(property, { numRuns: RUNS });
    });

    it("a run from a session's open gives what a long run gives from there on [DET-18] [DET-19]", () => {
      const property = fc.property(
        fc.tuple(subject, randomTape, fc.nat()),
        ([{ create, twin, lookBackSessions, outlivesSession = false }, tape, choice]) => {
          if (tape.sessions.length === 0) return;
          const at = choice % tape.sessions.length;
          const { open } = tape.sessions[at]!;
          const midnight = (open / DAY_NS) * DAY_NS;
          const ofDay = tape.sessions.findIndex(({ close }) => close > midnight);
          const from = (outlivesSession ? ofDay : at) - lookBackSessions;
          const start = tape.sessions[Math.max(0, from)]!.open;
          const options = { stepNs: FLUSH_STEP_NS, outlivesSession };
          const long = drive(create(), tape, 'whole', options);
          const fresh = drive(create(), tape, 'whole', { ...options, start });
          const position = positionAt(tape, twin(tape), open);
          const fromOpen = ({ recorder }: Driven) =>
            recorder.messages.filter(({ cursor }) => compareTexts(cursor, position) > 0);
          assert.deepEqual(fromOpen(fresh), fromOpen(long));
          if (tape.until - (tape.until % STEP) < open) return;
          const stateOf = ({ run, recorder }: Driven) =>
            recorder.published.snapshot(run.closed, DEPTH_MAX, 'live').items;
          assert.deepEqual(stateOf(fresh), stateOf(long));
        },
      );
      fc.assert(property, { numRuns: RUNS });
    });
  });
}
