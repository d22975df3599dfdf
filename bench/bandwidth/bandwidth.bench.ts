/**
 * The bandwidth of one subscription for each indicator of the catalogue, with default parameters,
 * on simulated ES: whole WebSocket frames, with the flush step that the byte budget gives, beside a
 * constant step of 20 ms. Measured over a usual session, and over the first hour of New York's
 * stock market with ten times as many trades. Rates are per second of tape time.
 */

import { type Cursor, formatCursor } from '@tapeloom/core/cursor';
import { type EpochNs, rank } from '@tapeloom/core/numbers';
import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import { FLUSH_BYTES_PER_SECOND } from '@tapeloom/core/studies/flush-step';
import type { Indicator } from '@tapeloom/core/studies/indicator';
import { parseParams } from '@tapeloom/core/studies/params';
import { PublishedObjects } from '@tapeloom/core/studies/published-objects';
import { StudyRun } from '@tapeloom/core/studies/run';
import type { RunOutput } from '@tapeloom/core/studies/run-output';
import type { ObjectVersion, Study } from '@tapeloom/core/studies/study';
import { firstRowAt, sliceBatch, type TradeBatch } from '@tapeloom/core/trade-batch';
import { SECOND_NS } from '@tapeloom/core/units';
import { dayOf, epochNs, nsOfDay, utcDay } from '@tapeloom/core/utc-day';
import type { Bench } from '../shared/report.ts';
import { type SimTape, simulatedTape } from '../shared/sim-tape.ts';

/** Starts with the second session, so that thresholds that look back are set. */
const USUAL = { trades: 900_000, scale: 1, from: at(20_260_105, 23), to: at(20_260_106, 22) };
const BUSY = { trades: 9_000_000, scale: 10, from: at(20_260_106, 14.5), to: at(20_260_106, 15.5) };
/** The text around an object's cursor and members; `HEADER_BYTES` is the frame header. */
const AROUND = '{"t":"upsert","sub":"a","cursor":"",}';
const HEADER_BYTES = 4;
const KIB = 1_024;

interface Span {
  readonly trades: number;
  readonly scale: number;
  readonly from: EpochNs;
  readonly to: EpochNs;
}

interface Told {
  /** Per second, on average. */
  readonly messages: number;
  readonly bytes: number;
  readonly worstSecondBytes: number;
}

export const run: Bench = async () => {
  const [usual, busy] = [measureAll(USUAL), measureAll(BUSY)];
  const cells = ({ messages, bytes, worstSecondBytes }: Told) => [
    messages,
    bytes / KIB,
    worstSecondBytes / KIB,
  ];
  return {
    title:
      'Bandwidth of one subscription on simulated ES: messages/s, KiB/s, KiB of the worst second',
    columns: ['indicator', 'session', '', '', 'busy hour', '', '', 'at 20 ms', '', ''],
    rows: INDICATORS.map(({ id }) => {
      const [day, hour] = [usual.told.get(id)!, busy.told.get(id)!];
      return [id, ...cells(day.budgeted), ...cells(hour.budgeted), ...cells(hour.unbounded)];
    }),
    notes: [
      'Whole frames: header, kind, a subscription name of one letter, cursor and object.',
      `Session: its 23 hours, ${usual.trades.toLocaleString('en')} trades.`,
      `Busy hour: 9:30 to 10:30 in New York, ${busy.trades.toLocaleString('en')} trades.`,
      'At 20 ms: the busy hour without the byte budget.',
      `The budget for forming objects is ${FLUSH_BYTES_PER_SECOND / KIB} KiB a second.`,
    ],
    json: { session: Object.fromEntries(usual.told), busyHour: Object.fromEntries(busy.told) },
  };
};

function measureAll(span: Span) {
  const tape = simulatedTape(span.trades, span.scale);
  if (tape.batches.at(-1)!.day < dayOf(span.to)) throw new RangeError('the tape is too short');
  const told = new Map(
    INDICATORS.map((one) => {
      const budgeted = stream(one, tape, span, true);
      return [one.id, { budgeted, unbounded: stream(one, tape, span, false) }];
    }),
  );
  let trades = 0;
  for (const batch of tape.batches) trades += before(batch, span.to) - before(batch, span.from);
  return { told, trades };
}

/** Computes settled results until the span begins, then publishes as a stream does. */
function stream(indicator: Indicator, tape: SimTape, span: Span, isBudgeted: boolean): Told {
  const parsed = parseParams(indicator, {});
  if (!('params' in parsed)) throw new Error(`${indicator.id}: the default parameters are refused`);
  const { params } = parsed;
  const sessions = tape.sessions(indicator.sessionKind(params));
  const start = { at: epochNs(tape.firstDay, 0), rank: rank(0) };
  const line = new Line(span);
  const output = new LineOutput(line, indicator.objectsOutliveSession === true);
  const study = indicator.create(params);
  const run = new StudyRun(study, sessions, start, { output });
  for (const batch of tape.batches) run.apply(sliceBatch(batch, 0, before(batch, span.from)));
  run.advance(span.from);
  output.goLive(study);
  run.goLive(() => (isBudgeted ? output.objects.formingBytes : 0));
  for (const batch of tape.batches) {
    run.apply(sliceBatch(batch, before(batch, span.from), before(batch, span.to)));
  }
  run.advance(span.to);
  return line.told();
}

/** How many rows of a batch lie before an instant. */
function before({ day, ts, count }: TradeBatch, instant: EpochNs): number {
  if (day !== dayOf(instant)) return day < dayOf(instant) ? count : 0;
  return firstRowAt(ts, 0, count, nsOfDay(instant));
}

/** Counts the messages and bytes of one subscription, second by second of tape time. */
class Line {
  readonly #from: EpochNs;
  readonly #bytes: Float64Array;
  #messages = 0;

  constructor({ from, to }: Span) {
    this.#from = from;
    this.#bytes = new Float64Array(Number(to - from) / SECOND_NS);
  }

  /** An edge counts for the second that it ends. */
  add(edge: EpochNs, messages: number, bytes: number): void {
    const second = Math.ceil(Number(edge - this.#from) / SECOND_NS) - 1;
    this.#bytes[second]! += bytes;
    this.#messages += messages;
  }

  told(): Told {
    const seconds = this.#bytes.length;
    const bytes = this.#bytes.reduce((sum, value) => sum + value, 0) / seconds;
    const worstSecondBytes = this.#bytes.reduce((most, value) => Math.max(most, value), 0);
    return { messages: this.#messages / seconds, bytes, worstSecondBytes };
  }
}

/** Counts everything published from `goLive` on. */
class LineOutput implements RunOutput {
  readonly objects: PublishedObjects;
  readonly #line: Line;
  #messages = 0;
  #bytes = 0;

  constructor(line: Line, outlivesSession: boolean) {
    this.#line = line;
    this.objects = new PublishedObjects(outlivesSession);
  }

  goLive(study: Study): void {
    this.#messages = 0;
    this.#bytes = 0;
    study.forming(null, (version) => void this.objects.upsert(version));
  }

  upsert(version: ObjectVersion, cursor: Cursor): void {
    this.#count(this.objects.upsert(version), cursor);
  }

  remove(id: string, final: boolean, ts: string, cursor: Cursor): void {
    this.#count(this.objects.remove(id, final, ts), cursor);
  }

  openSession(): void {
    this.objects.openSession();
  }

  flushed(edge: EpochNs): void {
    this.#line.add(edge, this.#messages, this.#bytes);
    this.#messages = 0;
    this.#bytes = 0;
  }

  #count(members: string, cursor: Cursor): void {
    this.#messages += 1;
    this.#bytes += AROUND.length + HEADER_BYTES + formatCursor(cursor).length + members.length;
  }
}

function at(day: number, hour: number): EpochNs {
  return epochNs(utcDay(day), hour * 3_600 * SECOND_NS);
}
