import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { randomCuts, randomTape } from '../../testing/twins/random-tape.ts';
import { drive, type Message, Recorder, tableOf } from '../../testing/twins/study-driver.ts';
import { edgeOf, type TwinSession, type TwinTape } from '../../testing/twins/twin-tape.ts';
import { formatCursor } from '../cursor.ts';
import type { EpochNs, Rank, UtcDay } from '../numbers.ts';
import { allocateBatch, type TradeBatch } from '../trade-batch.ts';
import { DAY_NS } from '../units.ts';
import { epochNs, utcDay } from '../utc-day.ts';
import { FLUSH_STEP_NS } from './flush-step.ts';
import { StudyRun } from './run.ts';
import {
  compareMarks,
  type FormingVisitor,
  type Mark,
  type Study,
  type StudyOutput,
} from './study.ts';

const DAY = utcDay(20260105);
const SECOND = 1_000_000_000;

const at = (seconds: number): EpochNs => epochNs(DAY, seconds * SECOND);
const session = (open: number, close: number): TwinSession => ({
  open: at(open),
  close: at(close),
});

function batch(day: UtcDay, firstRank: number, ...ns: number[]): TradeBatch {
  const made = allocateBatch(day, firstRank as Rank, ns.length);
  made.ts.set(ns);
  made.size.fill(1);
  made.count = ns.length;
  return made;
}

/** Records its calls; its due times are given. One update per trade, event and close. */
class Witness implements Study {
  readonly warm = true;
  readonly calls: string[] = [];
  readonly due: number[];

  constructor(...dueNs: number[]) {
    this.due = dueNs;
  }

  get dueNs(): number {
    return this.due[0] ?? Number.POSITIVE_INFINITY;
  }

  openSession({ origin, openNs, closeNs }: { origin: UtcDay; openNs: number; closeNs: number }) {
    this.calls.push(`open ${origin} ${openNs} ${closeNs}`);
  }

  apply(trades: TradeBatch, from: number, to: number, offsetNs: number): number {
    this.calls.push(`apply ${trades.firstRank + from}-${trades.firstRank + to - 1} +${offsetNs}`);
    return 1;
  }

  fire({ day, rank, k }: Readonly<Mark>): number {
    this.calls.push(`fire ${this.due.shift()} after ${day}.${rank}.${k}`);
    return k + 1;
  }

  closeSession({ day, rank, k }: Readonly<Mark>): number {
    this.calls.push(`close after ${day}.${rank}.${k}`);
    return k + 1;
  }

  forming(): void {}
}

/** A trade at a price with an object removes it, any other makes a final one, which outlives sessions in name only. */
class Toggle implements Study {
  readonly dueNs = Number.POSITIVE_INFINITY;
  readonly warm = true;
  readonly #alive = new Set<number>();
  #output: StudyOutput | null = null;

  openSession(_session: unknown, output: StudyOutput): void {
    this.#output = output;
    this.#alive.clear();
  }

  apply(trades: TradeBatch, from: number, to: number): number {
    for (let row = from; row < to; row += 1) {
      const price = trades.price[row]!;
      const rank = (trades.firstRank + row) as Rank;
      const version = { id: `p${price}`, final: true, ts: '0', data: rank };
      if (this.#alive.delete(price)) this.#output!.remove(version.id, true, '0', rank, 1);
      else {
        this.#alive.add(price);
        this.#output!.upsert(version, rank, 1);
      }
    }
    return 1;
  }

  fire(entry: Readonly<Mark>): number {
    return entry.k;
  }

  closeSession(entry: Readonly<Mark>): number {
    return entry.k;
  }

  forming(_since: Readonly<Mark> | null, _visit: FormingVisitor): void {}
}

/** The first trade makes an object that keeps forming; each later one makes a final one. */
class SlowAndFast implements Study {
  readonly dueNs = Number.POSITIVE_INFINITY;
  readonly warm = true;
  readonly #slow: Mark = { day: 0 as UtcDay, rank: 0 as Rank, k: 0 };
  #output: StudyOutput | null = null;

  openSession(_session: unknown, output: StudyOutput): void {
    this.#output = output;
  }

  apply(trades: TradeBatch, from: number, to: number): number {
    for (let row = from; row < to; row += 1) {
      const rank = (trades.firstRank + row) as Rank;
      if (rank === 1) Object.assign(this.#slow, { day: trades.day, rank, k: 1 });
      else this.#output!.upsert({ id: `fast${rank}`, final: true, ts: '0', data: 0 }, rank, 1);
    }
    return 1;
  }

  fire(entry: Readonly<Mark>): number {
    return entry.k;
  }

  closeSession(entry: Readonly<Mark>): number {
    return entry.k;
  }

  forming(since: Readonly<Mark> | null, visit: FormingVisitor): void {
    if (since !== null && compareMarks(this.#slow, since) <= 0) return;
    visit({ id: 'slow', final: false, ts: '0', data: 0 }, this.#slow);
  }
}

function newRun(study: Study, sessions: readonly TwinSession[], stepNs?: number, start = at(0)) {
  const recorder = new Recorder();
  const options = stepNs === undefined ? { output: recorder } : { output: recorder, stepNs };
  const run = new StudyRun(study, tableOf(sessions), { at: start, rank: 0 as Rank }, options);
  return { run, recorder };
}

describe('StudyRun', () => {
  it('keeps one order at one instant: due events, close, open, then trades [DET-02]', () => {
    const study = new Witness(5 * SECOND, 10 * SECOND);
    const { run } = newRun(study, [session(0, 10), session(10, 20)]);
    run.apply(batch(DAY, 1, 1 * SECOND, 10 * SECOND));
    assert.deepEqual(study.calls, [
      'open 20260105 0 10000000000',
      'apply 1-1 +0',
      'fire 5000000000 after 20260105.1.1',
      'fire 10000000000 after 20260105.1.2',
      'close after 20260105.1.3',
      'open 20260105 10000000000 20000000000',
      'apply 2-2 +0',
    ]);
  });

  it('hands trades over in whole runs and skips those outside sessions, which still count [DET-02]', () => {
    const study = new Witness();
    const { run } = newRun(study, [session(10, 20)]);
    run.apply(batch(DAY, 1, 1, 2 * SECOND, 10 * SECOND, 11 * SECOND, 20 * SECOND, 25 * SECOND));
    assert.deepEqual(study.calls, [
      'open 20260105 10000000000 20000000000',
      'apply 3-4 +0',
      'close after 20260105.4.1',
    ]);
    assert.equal(formatCursor(run.position), '20260105.6.0');
  });

  it('stands at D.0.0 at midnight, with what is due then counted to the day before [DET-02]', () => {
    const study = new Witness(DAY_NS, DAY_NS + 5);
    const { run } = newRun(study, [session(0, 100_000)]);
    run.apply(batch(DAY, 1, 7));
    run.advance(epochNs(DAY, DAY_NS));
    assert.equal(formatCursor(run.position), '20260106.0.0');
    assert.equal(study.calls.at(-1), `fire ${DAY_NS} after 20260105.1.1`);
    run.advance(epochNs(DAY, DAY_NS + 5));
    assert.equal(study.calls.at(-1), `fire ${DAY_NS + 5} after 20260106.0.0`);
    assert.equal(formatCursor(run.position), '20260106.0.1');
    run.apply(batch(utcDay(20260106), 1, 9));
    assert.equal(study.calls.at(-1), `apply 1-1 +${DAY_NS}`);
  });

  it('crosses days without trades, each with its own midnight [DET-02]', () => {
    const study = new Witness(2.5 * DAY_NS);
    const { run } = newRun(study, [session(0, 4 * 86_400)]);
    run.apply(batch(DAY, 1, 7));
    run.apply(batch(utcDay(20260109), 1, 0));
    assert.deepEqual(study.calls.slice(2), [
      `fire ${2.5 * DAY_NS} after 20260107.0.0`,
      'close after 20260108.0.0',
    ]);
    assert.equal(formatCursor(run.position), '20260109.1.0');
  });

  it('goes to position(T) on a promise and ignores one that is behind [DET-02]', () => {
    const { run } = newRun(new Witness(3 * SECOND, 4 * SECOND), [session(0, 60)]);
    run.advance(at(3));
    assert.equal(formatCursor(run.position), '20260105.0.1');
    run.advance(at(2));
    run.advance(epochNs(utcDay(20260104), 0));
    assert.equal(formatCursor(run.position), '20260105.0.1');
  });

  it('refuses a gap in the ranks, time backwards and a start inside a session', () => {
    const { run } = newRun(new Witness(), [session(0, 60)]);
    run.apply(batch(DAY, 1, 5, 6));
    assert.throws(() => run.apply(batch(DAY, 4, 7)), /cannot follow 20260105.2/);
    assert.throws(() => run.apply(batch(DAY, 2, 7)), RangeError);
    run.advance(at(1));
    assert.throws(() => run.apply(batch(DAY, 3, SECOND - 1)), /before/);
    run.apply(batch(DAY, 3, SECOND));
    assert.throws(() => run.apply(batch(utcDay(20260104), 1, 1)), RangeError);
    assert.throws(
      () => newRun(new Witness(), [session(0, 60)], undefined, at(1)),
      /inside a session/,
    );
    assert.throws(() => newRun(new Witness(), [], 7_777), /divide the second/);
  });

  it('finds a study that does not move its due time', () => {
    const stuck = new Witness(SECOND, SECOND);
    const { run } = newRun(stuck, [session(0, 60)]);
    assert.throws(() => run.advance(at(2)), /forward/);
  });

  it('tells the position at the last closed edge, also when nothing was published there [DET-08]', () => {
    const { run, recorder } = newRun(new Witness(), [], FLUSH_STEP_NS);
    const edges = (ns: number) => {
      run.advance(epochNs(DAY, ns));
      return formatCursor(run.closed);
    };
    run.apply(batch(DAY, 1, 5));
    assert.equal(formatCursor(run.closed), '20260105.0.0');
    assert.equal(edges(FLUSH_STEP_NS - 1), '20260105.0.0');
    assert.equal(edges(FLUSH_STEP_NS), '20260105.1.0');
    run.apply(batch(DAY, 2, FLUSH_STEP_NS, 3 * FLUSH_STEP_NS));
    assert.equal(formatCursor(run.closed), '20260105.2.0');
    assert.equal(edges(DAY_NS - 1), '20260105.3.0');
    assert.equal(edges(DAY_NS), '20260106.0.0');
    assert.deepEqual(recorder.flushes, []);
  });

  it('goes live once and at a whole second only [DET-08]', () => {
    const { run } = newRun(new Witness(), [session(0, 60)]);
    run.advance(epochNs(DAY, 1));
    assert.throws(() => run.goLive(() => 0), /whole second/);
    run.advance(at(1));
    run.goLive(() => 0);
    assert.throws(() => run.goLive(() => 0), /once/);
    const always = newRun(new Witness(), [session(0, 60)], FLUSH_STEP_NS);
    assert.throws(() => always.run.goLive(() => 0), /once/);
  });

  it('shows what is pending without publishing it any other way [DET-12]', () => {
    const { run, recorder } = newRun(new SlowAndFast(), [session(0, 60)], FLUSH_STEP_NS);
    run.apply(batch(DAY, 1, 1, 2));
    const shown = new Recorder();
    run.handPending(shown);
    const ids = ({ messages }: Recorder) => messages.map(({ id }) => id);
    assert.deepEqual([ids(shown), ids(recorder)], [['slow', 'fast2'], []]);
    run.advance(at(1));
    assert.deepEqual(recorder.flushes[0]?.messages, shown.messages);
  });

  it('orders a flush by cursor, forming and final together, and leaves out what did not change [DET-07]', () => {
    const { run, recorder } = newRun(new SlowAndFast(), [session(0, 60)], FLUSH_STEP_NS);
    run.apply(batch(DAY, 1, 1, 2, 3, FLUSH_STEP_NS));
    run.advance(at(1));
    assert.deepEqual(
      recorder.flushes.map(({ messages }) => messages.map(({ id, cursor }) => [id, cursor])),
      [
        [
          ['slow', '20260105.1.1'],
          ['fast2', '20260105.2.1'],
          ['fast3', '20260105.3.1'],
        ],
        [['fast4', '20260105.4.1']],
      ],
    );
  });

  it('publishes removes even of what was never shown, and only the last of one id [DET-09]', () => {
    const property = fc.property(randomTape, randomCuts, (tape: TwinTape, cuts) => {
      const twin = toggleLog(tape);
      for (const cutting of ['whole', 'single', cuts] as const) {
        const { recorder } = drive(new Toggle(), tape, cutting, { stepNs: FLUSH_STEP_NS });
        assert.deepEqual(recorder.messages, twin);
      }
    });
    fc.assert(property, { numRuns: 150 });
  });
});

/** The flushes of `Toggle`, computed from whole lists. */
function toggleLog(tape: TwinTape): Message[] {
  const step = BigInt(FLUSH_STEP_NS);
  const log: { edge: bigint; message: Message }[] = [];
  for (const { open, close } of tape.sessions) {
    const trades = tape.trades.filter(({ ns }) => ns >= open && ns < close && ns < tape.until);
    for (const [index, { ns, day, rank, price }] of trades.entries()) {
      const earlier = trades.slice(0, index).filter((trade) => trade.price === price).length;
      const head = { cursor: `${day}.${rank}.1`, id: `p${price}`, final: true, ts: '0' };
      const edge = edgeOf({ at: ns, byTrade: true }, step);
      const message: Message =
        earlier % 2 === 0 ? { t: 'upsert', ...head, data: rank } : { t: 'remove', ...head };
      log.push({ edge, message });
    }
  }
  return log
    .filter(({ edge, message }, index) => {
      const later = log.slice(index + 1);
      return (
        edge <= tape.until &&
        !later.some((other) => other.edge === edge && other.message.id === message.id)
      );
    })
    .map(({ message }) => message);
}
