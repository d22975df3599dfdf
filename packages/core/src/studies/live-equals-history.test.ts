/**
 * The product's promise, as properties over random tapes with random sessions: whatever way a study is
 * run, what comes out is the log its naive twin writes, or a stated part of it.
 */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { formatCursor } from '../cursor.ts';
import { BarStudy } from './bar-study.ts';
import { BarSums } from './bar-sums.ts';
import { barCutter } from './cutters/bar-kinds.ts';
import { footprint } from './footprint.ts';
import type { Params } from './indicator.ts';
import { largeTrades } from './large-trades.ts';
import { FLUSH_STEP_NS } from './run.ts';
import type { Study } from './study.ts';
import { type BarParams, barData, barTwin } from './twins/bar-twin.ts';
import { type ClusterParams, clusterTwin } from './twins/cluster-twin.ts';
import { type FootprintParams, footprintTwin } from './twins/footprint-twin.ts';
import { randomCuts, randomTape } from './twins/random-tape.ts';
import {
  compareTexts,
  drive,
  everyUpdate,
  type Flush,
  type Message,
  NaiveClient,
} from './twins/study-driver.ts';
import {
  edgeOf,
  positionAt,
  type TwinObject,
  type TwinTape,
  type TwinUpdate,
} from './twins/twin-tape.ts';

const RUNS = 80;
const STEP = BigInt(FLUSH_STEP_NS);

interface Subject {
  readonly create: () => Study;
  readonly twin: (tape: TwinTape) => TwinUpdate[];
  /** Sessions a fresh run must start before the one it is asked for. */
  readonly lookBackSessions: number;
}

const barParams = fc.oneof(
  fc.record({ bar: fc.constant('time'), size: fc.constantFrom(1, 60, 3_600, 100_000) }),
  fc.record({
    bar: fc.constantFrom('tick', 'volume', 'range', 'delta', 'renko'),
    size: fc.constantFrom(1, 2, 3, 5, 8, 20),
  }),
);

const CAP = 4;

const barSubject: fc.Arbitrary<Subject> = barParams.map((params) => ({
  create: () => new BarStudy(new BarSums(), (bar) => barCutter(params, bar, CAP)),
  twin: (tape) => barTwin(tape, params as BarParams, barData, CAP),
  lookBackSessions: 0,
}));

const footprintSubject: fc.Arbitrary<Subject> = fc
  .tuple(
    barParams,
    fc.record({
      group: fc.constantFrom(1, 1, 2, 5),
      valueArea: fc.constantFrom(1, 50, 70, 100),
      pocTie: fc.constantFrom('centre', 'lowest', 'highest', 'first'),
      ratio: fc.constantFrom(1, 1.1, 1.15, 2.5, 3),
      minVolume: fc.constantFrom(1, 5),
      zero: fc.constantFrom('ignore', 'count'),
    }),
  )
  .map(([bar, rest]) => ({ ...bar, ...rest }))
  .map((params) => ({
    create: () => footprint.create(params as unknown as Params),
    twin: (tape) => footprintTwin(tape, params as FootprintParams),
    lookBackSessions: 0,
  }));

const clusterSubject: fc.Arbitrary<Subject> = fc
  .record({
    gapMs: fc.constantFrom(0, 1, 3, 20, 10_000),
    minSize: fc.constantFrom(0, 0, 1, 5, 12),
    perSession: fc.constantFrom(1, 2, 5),
  })
  .map((params) => ({
    create: () => largeTrades.create(params as unknown as Params),
    twin: (tape) => clusterTwin(tape, params as ClusterParams),
    lookBackSessions: params.minSize === 0 ? 10 : 0,
  }));

const subjects = { bars: barSubject, footprint: footprintSubject, 'large-trades': clusterSubject };

function messageOf({ day, rank, k, object }: TwinUpdate): Message {
  return { t: 'upsert', cursor: `${day}.${rank}.${k}`, ...object };
}

/** What the flushes until the last closed edge publish of a log. */
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

/** The newest version at `edge` of every object of the session that is, or was last, open then. */
function sessionObjects(tape: TwinTape, updates: readonly TwinUpdate[], edge: bigint) {
  const open = tape.sessions.findLast((session) => session.open <= edge)?.open ?? edge;
  const objects = new Map<string, TwinObject>();
  for (const update of updates) {
    const { object } = update;
    if (edgeOf(update, STEP) > edge || BigInt(object.ts) < open) continue;
    objects.set(object.id, object);
  }
  return [...objects.values()];
}

for (const [name, subject] of Object.entries(subjects)) {
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
        assert.deepEqual(
          client.objects,
          new Map(twin(edged).map(({ object }) => [object.id, object])),
        );
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
        ([{ create, twin }, tape, cuts, depth, mode]) => {
          const updates = twin(tape);
          drive(create(), tape, cuts, {
            stepNs: FLUSH_STEP_NS,
            onEach: ({ run, recorder, at }) => {
              const edge = at - (at % STEP);
              const { cursor, items } = recorder.published.snapshot(run.closed, depth, mode);
              const all = sessionObjects(tape, updates, edge);
              const shown = mode === 'live' ? all : all.filter((object) => object.final);
              assert.deepEqual(JSON.parse(items), shown.slice(-depth));
              assert.equal(cursor, positionAt(tape, updates, edge));
            },
          });
        },
      );
      fc.assert(property, { numRuns: RUNS });
    });

    it('cut at a flush and resumed from a snapshot, both clients end up the same [DET-12] [DET-15]', () => {
      const property = fc.property(subject, randomTape, randomCuts, ({ create }, tape, cuts) => {
        const stepNs = FLUSH_STEP_NS;
        const { messages } = drive(create(), tape, 'whole', { stepNs }).recorder;
        const always = new NaiveClient();
        for (const message of messages) always.take(message);
        drive(create(), tape, cuts, {
          stepNs,
          onEach: ({ run, recorder }) => {
            const { cursor, items } = recorder.published.snapshot(run.closed, 3, 'live');
            const objects = JSON.parse(items) as TwinObject[];
            const resumed = new NaiveClient(cursor, objects);
            for (const message of messages) resumed.take(message);
            const created = [...always.objects.keys()];
            const later = messages.find((message) => compareTexts(message.cursor, cursor) > 0);
            const oldest = objects[0]?.id ?? later?.id ?? null;
            const both = oldest === null ? [] : created.slice(created.indexOf(oldest));
            for (const id of both) {
              assert.deepEqual(resumed.objects.get(id), always.objects.get(id));
            }
          },
        });
      });
      fc.assert(property, { numRuns: RUNS });
    });

    it("a run from a session's open gives what a long run gives from there on [DET-18]", () => {
      const property = fc.property(
        fc.tuple(subject, randomTape, fc.nat()),
        ([{ create, lookBackSessions }, tape, choice]) => {
          if (tape.sessions.length === 0) return;
          const at = choice % tape.sessions.length;
          const { open } = tape.sessions[at]!;
          const start = tape.sessions[Math.max(0, at - lookBackSessions)]!.open;
          const long = drive(create(), tape, 'whole', { stepNs: FLUSH_STEP_NS });
          const fresh = drive(create(), tape, 'whole', { stepNs: FLUSH_STEP_NS, start });
          const fromOpen = (messages: readonly Message[]) =>
            messages.filter(({ ts }) => BigInt(ts) >= open);
          assert.deepEqual(fromOpen(fresh.recorder.messages), fromOpen(long.recorder.messages));
        },
      );
      fc.assert(property, { numRuns: RUNS });
    });
  });
}
