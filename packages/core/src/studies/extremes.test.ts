/**
 * Every indicator over tapes at the edges of what a market can do: it ends, in bounded time and memory; its output fits
 * its schema, in exact numbers; and both speeds give the same results.
 */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  EXTREME_TAPES,
  type ExtremeTape,
  millionAtOnce,
  volumeOf,
} from '../../testing/twins/extreme-tapes.ts';
import { fits, type Schema } from '../../testing/twins/fits-schema.ts';
import { SESSION_KINDS } from '../calendar/session.ts';
import { createSessionTable } from '../calendar/session-table.ts';
import { type Cursor, compareCursors, formatCursor } from '../cursor.ts';
import type { Rank } from '../numbers.ts';
import { INDICATORS } from './catalogue.ts';
import { FLUSH_STEP_NS } from './flush-step.ts';
import type { Indicator, Params } from './indicator.ts';
import { parseParams } from './params.ts';
import { StudyRun } from './run.ts';
import type { RunOutput } from './run-output.ts';
import type { ObjectVersion, Study } from './study.ts';

/** Processor time: far above any run on the slowest machine, far below a cost that explodes. */
const RUN_MS_MAX = 60_000;
const STATE_BYTES_MAX = 128 * 1024 * 1024;
/** Their objects partition the volume of the tape. */
const VOLUME_SHARED = ['bars', 'footprint', 'delta', 'volume-profile', 'tape-speed'];

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

/** Twice: the freed buffers of one collection are counted until the next one begins. */
function collectGarbage(): void {
  gc();
  gc();
}

/** Checks each message as it arrives, and keeps what is needed to compare two runs. */
class Checker implements RunOutput {
  /** Final versions by id, each with its cursor as one text. */
  readonly finals = new Map<string, string>();
  readonly forming = new Set<string>();
  readonly removed = new Map<string, string>();
  volume = 0n;
  readonly #schema: Schema;
  #cursor: Cursor | null = null;

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  upsert({ id, final, ts, data }: ObjectVersion, cursor: Cursor): void {
    this.#ascend(cursor);
    // Millions of checks: messages are formatted only for a fault.
    if (!fits(this.#schema, data)) assert.fail(JSON.stringify(data));
    if (this.finals.has(id)) assert.fail(`${id} changed after it was final`);
    if (this.removed.has(id)) assert.fail(`${id} came back`);
    assertExact(data);
    if (!final) {
      this.forming.add(id);
      return;
    }
    this.forming.delete(id);
    this.finals.set(id, `${formatCursor(cursor)} ${ts} ${JSON.stringify(data)}`);
    const { volume } = data as { volume?: number };
    if (volume !== undefined) this.volume += BigInt(volume);
  }

  remove(id: string, final: boolean, ts: string, cursor: Cursor): void {
    this.#ascend(cursor);
    assert.ok(!this.removed.has(id), `${id} was removed twice`);
    this.removed.set(id, `${formatCursor(cursor)} ${ts} ${final}`);
    this.forming.delete(id);
  }

  openSession(): void {}

  flushed(): void {}

  #ascend(cursor: Cursor): void {
    const before = this.#cursor;
    if (before !== null && compareCursors(before, cursor) >= 0) assert.fail(formatCursor(cursor));
    this.#cursor = cursor;
  }
}

/** Integers must be exact, other numbers have at most 6 decimals. */
function assertExact(value: unknown): void {
  if (typeof value === 'number') {
    const isExact = Number.isSafeInteger(value) || Number(value.toFixed(6)) === value;
    if (!isExact) assert.fail(`${value} is not exact`);
  } else if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) assertExact(member);
  }
}

interface Done {
  readonly study: Study;
  readonly checker: Checker;
}

function run(indicator: Indicator, params: Params, tape: ExtremeTape, stepNs?: number): Done {
  const checker = new Checker(indicator.data as Schema);
  const study = indicator.create(params);
  const table = createSessionTable(tape.sessions(indicator.sessionKind(params)));
  const options = stepNs === undefined ? { output: checker } : { output: checker, stepNs };
  const started = process.cpuUsage();
  const driven = new StudyRun(study, table, { at: tape.from, rank: 0 as Rank }, options);
  for (const batch of tape.batches) driven.apply(batch);
  driven.advance(tape.until);
  const { user, system } = process.cpuUsage(started);
  assert.ok((user + system) / 1_000 < RUN_MS_MAX, `took ${(user + system) / 1_000} ms`);
  assert.deepEqual([...checker.forming], [], 'all sessions are over');
  return { study, checker };
}

/** Both speeds settle the same. An object that was born and removed between two flushes is never shown. */
function assertSame(settled: Checker, incremental: Checker): void {
  assert.deepEqual(incremental.removed, settled.removed);
  const shown = [...settled.finals].filter(
    ([id]) => incremental.finals.has(id) || !settled.removed.has(id),
  );
  assert.deepEqual([...incremental.finals], shown);
}

function paramsOf(indicator: Indicator, input: object): Params {
  const parsed = parseParams(indicator, input);
  assert.ok('params' in parsed);
  return parsed.params;
}

/** The defaults, and parameters that give many objects: small thresholds, every kind of session, other bars. */
function variants(indicator: Indicator, tape: ExtremeTape): readonly object[] {
  const has = (name: string) => indicator.parameters.some((parameter) => parameter.name === name);
  if (tape.hasKinds) return has('session') ? SESSION_KINDS.map((session) => ({ session })) : [{}];
  return [
    {},
    ...(has('minSize') ? [{ minSize: 1 }] : []),
    ...(has('bar') ? [{ bar: 'volume' }, { bar: 'renko' }] : []),
  ];
}

const tapes = Object.entries(EXTREME_TAPES).map(([name, make]) => [name, make()] as const);
const million = millionAtOnce();

for (const indicator of INDICATORS) {
  describe(`extremes of ${indicator.id}`, () => {
    for (const [name, tape] of tapes) {
      it(`${name}: ends, exact, and the same in both speeds [OBJ-01] [OBJ-02] [OBJ-03] [OBJ-05]`, () => {
        for (const input of variants(indicator, tape)) {
          const params = paramsOf(indicator, input);
          const settled = run(indicator, params, tape).checker;
          assertSame(settled, run(indicator, params, tape, FLUSH_STEP_NS).checker);
        }
      });
    }

    it('a million trades in one nanosecond: ends in bounded time and memory [OBJ-03] [OBJ-05]', () => {
      collectGarbage();
      const before = process.memoryUsage();
      const { study } = run(indicator, paramsOf(indicator, {}), million, FLUSH_STEP_NS);
      collectGarbage();
      const after = process.memoryUsage();
      const bytes = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
      assert.ok(bytes < STATE_BYTES_MAX, `${bytes} bytes`);
      // Keeps the measured state reachable.
      assert.ok(study.warm);
    });

    if (VOLUME_SHARED.includes(indicator.id)) {
      it('sizes of 2^31 − 1: no lot is lost in a sum [OBJ-05]', () => {
        const tape = EXTREME_TAPES['sizes of 2^31 − 1']!();
        const { checker } = run(indicator, paramsOf(indicator, {}), tape);
        assert.equal(checker.volume, volumeOf(tape));
      });
    }
  });
}
