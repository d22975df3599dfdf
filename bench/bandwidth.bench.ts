/**
 * What each indicator of the catalogue, with its default parameters, sends down one subscriber's line
 * on simulated ES: whole WebSocket frames as a stream would write them, with the flush step its byte
 * budget gives, beside what a constant step of 20 ms would take. Rates are over tape time.
 */

import { type Cursor, formatCursor } from '@tapeloom/core/cursor';
import { type EpochNs, rank } from '@tapeloom/core/numbers';
import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import { FLUSH_STEP_NS } from '@tapeloom/core/studies/flush-step';
import type { Indicator } from '@tapeloom/core/studies/indicator';
import { parseParams } from '@tapeloom/core/studies/params';
import { PublishedObjects } from '@tapeloom/core/studies/published-objects';
import { type RunOutput, StudyRun } from '@tapeloom/core/studies/run';
import type { ObjectVersion } from '@tapeloom/core/studies/study';
import { epochNs } from '@tapeloom/core/utc-day';
import type { Bench } from './report.ts';
import { type SimTape, simulatedTape } from './sim-tape.ts';

/** More than a session, so that thresholds which look back are set. */
const TRADES = 700_000;
const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;
/** What surrounds the cursor and the members of an object, and the frame's own header. */
const AROUND = '{"t":"upsert","sub":"a","cursor":"",}';
const HEADER_BYTES = 4;
const KIB = 1_024;

export const run: Bench = async () => {
  const tape = simulatedTape(TRADES);
  const results = INDICATORS.map((indicator) => ({
    id: indicator.id,
    ...stream(indicator, tape, true),
    unbounded: stream(indicator, tape, false),
  }));
  const worst = Math.max(...results.map(({ worstSecondBytes }) => worstSecondBytes));
  return {
    title: `Bandwidth of a subscription on simulated ES, ${TRADES.toLocaleString('en-US')} trades`,
    columns: [
      'indicator',
      'messages/s, busiest hour',
      'KiB/s, all time',
      'KiB/s, busiest hour',
      'KiB, worst second',
      'KiB/s, busiest hour at 20 ms',
    ],
    rows: results.map((it) => [
      it.id,
      it.hourMessages / HOUR_SECONDS,
      it.bytes / it.seconds / KIB,
      it.hourBytes / HOUR_SECONDS / KIB,
      it.worstSecondBytes / KIB,
      it.unbounded.hourBytes / HOUR_SECONDS / KIB,
    ]),
    notes: [
      'Whole frames: header, kind, a subscription name of one letter, cursor and object.',
      'All time: from the first trade to the last, nights included. Busiest hour: of the UTC clock, by bytes.',
      `The worst second of all took ${(worst / KIB).toFixed(1)} KiB; the budget of forming objects is 64 KiB.`,
    ],
    json: { trades: TRADES, indicators: results },
  };
};

/** Counts what goes down a line, second by second of tape time. */
class Line {
  readonly #origin: number;
  readonly #bytes: Float64Array;
  readonly #messages: Float64Array;

  constructor({ batches, firstDay }: SimTape) {
    this.#origin = Number(epochNs(firstDay, 0) / 1_000_000_000n);
    const days = new Set(batches.map(({ day }) => day)).size + 4;
    this.#bytes = new Float64Array(days * DAY_SECONDS);
    this.#messages = new Float64Array(days * DAY_SECONDS);
  }

  /** A flush counts to the second that ends with it or in which it lies. */
  add(edge: bigint, messages: number, bytes: number): void {
    const second = Number((edge - 1n) / 1_000_000_000n) - this.#origin;
    this.#bytes[second]! += bytes;
    this.#messages[second]! += messages;
  }

  told() {
    const first = this.#bytes.findIndex((bytes) => bytes > 0);
    const last = this.#bytes.findLastIndex((bytes) => bytes > 0);
    let hour = { hourBytes: 0, hourMessages: 0 };
    for (let at = 0; at < this.#bytes.length; at += HOUR_SECONDS) {
      const hourBytes = sum(this.#bytes.subarray(at, at + HOUR_SECONDS));
      const hourMessages = sum(this.#messages.subarray(at, at + HOUR_SECONDS));
      if (hourBytes > hour.hourBytes) hour = { hourBytes, hourMessages };
    }
    const worstSecondBytes = this.#bytes.reduce((most, bytes) => Math.max(most, bytes), 0);
    return { bytes: sum(this.#bytes), seconds: last - first + 1, worstSecondBytes, ...hour };
  }
}

/** A study as a stream publishes it, from the tape's first midnight on. */
class LineOutput implements RunOutput {
  readonly objects: PublishedObjects;
  readonly #line: Line;
  #messages = 0;
  #bytes = 0;

  constructor(line: Line, outlivesSession: boolean) {
    this.#line = line;
    this.objects = new PublishedObjects(outlivesSession);
  }

  upsert(version: ObjectVersion, at: Cursor): void {
    this.#count(this.objects.upsert(version), at);
  }

  remove(id: string, final: boolean, ts: string, at: Cursor): void {
    this.#count(this.objects.remove(id, final, ts), at);
  }

  openSession(): void {
    this.objects.openSession();
  }

  flushed(edge: EpochNs): void {
    this.#line.add(edge, this.#messages, this.#bytes);
    this.#messages = 0;
    this.#bytes = 0;
  }

  #count(members: string, at: Cursor): void {
    this.#messages += 1;
    this.#bytes += AROUND.length + HEADER_BYTES + formatCursor(at).length + members.length;
  }
}

function stream(indicator: Indicator, tape: SimTape, isBudgeted: boolean) {
  const parsed = parseParams(indicator, {});
  if (!('params' in parsed)) throw new Error(`${indicator.id}: the default parameters are refused`);
  const { params } = parsed;
  const sessions = tape.sessions(indicator.sessionKind(params));
  const start = { at: epochNs(tape.firstDay, 0), rank: rank(0) };
  const line = new Line(tape);
  const output = new LineOutput(line, indicator.objectsOutliveSession === true);
  const formingBytes = () => (isBudgeted ? output.objects.formingBytes : 0);
  const options = { output, stepNs: FLUSH_STEP_NS, formingBytes };
  const run = new StudyRun(indicator.create(params), sessions, start, options);
  for (const batch of tape.batches) run.apply(batch);
  return line.told();
}

function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}
