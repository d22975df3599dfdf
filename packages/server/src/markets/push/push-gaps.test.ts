import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { epochNs } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { SimDisk } from '../../../../../simulation/disk/sim-disk.ts';
import {
  at,
  countsOf,
  DAY,
  type PushedTrade,
  pushStage,
  request,
  runningPush,
} from '../../../testing/push/push-stage.ts';
import { tapeRows } from '../../../testing/tape/tape-on-sim-disk.ts';
import { IntakeFullError } from '../../tape/tape-errors.ts';
import type { TapeGap } from '../../tape/tape-gap.ts';
import type { Intake } from '../../tape/write/intake.ts';

const MINUTE = 60;
const MIDNIGHT = epochNs(DAY, 0);

type Stage = Awaited<ReturnType<typeof pushStage>>;

/** Lets time pass, with every offer of the source on disk in between. */
async function pass({ clock, source }: Stage, seconds: number): Promise<void> {
  for (let left = seconds; left > 0; left -= 1) {
    clock.advance(1_000);
    await source.settled();
  }
}

const spansOf = (gaps: readonly TapeGap[], symbol: string) =>
  gaps.filter((gap) => gap.symbol === symbol).map(({ from, to }) => [from, to]);

test('a silent writer is stale after 30 s and down after 60 s; the watermark stands still', async (t) => {
  const stage = await runningPush(t);
  const { source, tape } = stage;
  await source.push(request('a', [{ id: 1, s: 9 }], at(10)));
  await pass(stage, 29);
  assert.equal(source.feed.state, 'live');
  await pass(stage, 2);
  assert.equal(source.feed.state, 'stale');
  await pass(stage, 30);
  assert.equal(source.feed.state, 'down');
  assert.equal(tape.intake.promise, at(10));
  await source.push(request('b', [{ id: 2, s: 11 }], at(70)));
  assert.equal(source.feed.state, 'live');
  assert.deepEqual(spansOf(tape.intake.gaps, 'ESZ6'), [[MIDNIGHT, at(9)]], 'only the start');
});

test('after 15 minutes a gap grows behind the watermark; what is fetched later stays out', async (t) => {
  const stage = await runningPush(t);
  const { source, tape } = stage;
  await source.push(request('a', [{ id: 1, s: 9 }], at(10)));
  await pass(stage, 15 * MINUTE + 20);
  assert.equal(tape.intake.promise, at(30.25));
  const start = [MIDNIGHT, at(9)];
  assert.deepEqual(spansOf(tape.intake.gaps, 'ESZ6'), [start, [at(10), null]]);
  const answer = await source.push(
    request(
      'b',
      [
        { id: 2, s: 11 },
        { id: 3, s: 29 },
        { id: 4, s: 31 },
        { id: 5, s: 15 * MINUTE },
      ],
      at(15 * MINUTE + 30),
    ),
  );
  assert.deepEqual(countsOf(answer), {
    ...{ trades: 4, accepted: 2, late: 0, duplicates: 0, tooOld: 0, inGap: 2 },
  });
  const named = answer.t === 'acknowledged' ? answer.receipt.gaps : [];
  assert.deepEqual(
    named.map(({ contract, from, to }) => [contract, from, to]),
    [['ESZ6', `${at(10)}`, `${at(30.25)}`]],
  );
  assert.deepEqual(spansOf(tape.intake.gaps, 'ESZ6'), [start, [at(10), at(30.25)]]);
  assert.deepEqual(spansOf(tape.intake.gaps, 'NQZ6'), [start, [at(10), at(30.25)]]);
  assert.equal((await tapeRows(tape.tape, 'ESZ6')).length, 3);
});

test('a clock that is set forward or back by an hour makes no gap, and nobody silent', async (t) => {
  const stage = await runningPush(t);
  const { source, tape, jumped } = stage;
  await source.push(request('a', [{ id: 1, s: 9 }], at(10)));
  const before = tape.intake.gaps;
  const hour = 3_600_000_000_000n;
  for (const [index, ns] of [hour, -hour].entries()) {
    jumped.ns = ns;
    await pass(stage, 20);
    assert.deepEqual([source.feed.state, source.feed.gapsOpen], ['live', 0]);
    const s = 20 * (index + 1);
    const answer = await source.push(request(`b${index}`, [{ id: 2 + index, s }], at(s + 1)));
    assert.deepEqual([countsOf(answer)!.accepted, countsOf(answer)!.late], [1, 0]);
  }
  assert.deepEqual(tape.intake.gaps, before);
});

test('a writer names what it cannot deliver any more', async (t) => {
  const { source, tape } = await runningPush(t);
  await source.push(request('a', [{ id: 1, s: 1 }], at(2)));
  const answer = await source.push(
    request(
      'b',
      [
        { id: 7, s: 4 },
        { id: 9, s: 6 },
      ],
      at(7),
      at(5),
    ),
  );
  assert.equal(countsOf(answer)!.inGap, 1);
  assert.deepEqual(spansOf(tape.intake.gaps, 'ESZ6').at(-1), [at(2), at(5)]);
  assert.equal(tape.intake.gaps.at(-1)!.reason, 'reported');
});

test('a contract that is listed later begins with a gap; a restart makes none', async (t) => {
  let contracts = ['ESZ6'];
  const machine = new SimDisk();
  const first = await pushStage({ machine, contracts: () => contracts });
  await first.source.push(request('a', [{ id: 1, s: 1 }], at(2)));
  assert.deepEqual(spansOf(first.tape.intake.gaps, 'NQZ6'), []);
  contracts = ['ESZ6', 'NQZ6'];
  await pass(first, 1);
  await first.source.push(request('b', [{ id: 2, s: 3 }], at(4)));
  await first.source.push(request('c', [{ id: 3, s: 5 }], at(6)));
  const begun = [[MIDNIGHT, at(2)]];
  const [today] = await first.tape.tape.days('NQZ6');
  assert.deepEqual(today?.gaps, [[0, Number(at(2) - MIDNIGHT)]]);
  assert.deepEqual(spansOf(first.tape.intake.gaps, 'NQZ6'), begun);
  await first.stop();
  const again = await runningPush(t, { machine, contracts: () => contracts });
  await again.source.push(request('d', [{ id: 4, s: 7 }], at(8)));
  assert.deepEqual(spansOf(again.tape.intake.gaps, 'NQZ6'), begun, 'it never traded, and is known');
});

test('the watermark never passes a batch that the tape had no room for', async (t) => {
  const stage = await runningPush(t);
  const { source, intake, tape } = stage;
  await source.push(request('a', [{ id: 1, s: 1 }], at(2)));
  const { offer } = intake;
  let isFull = true;
  (intake as { offer: Intake['offer'] }).offer = async (...given) => {
    if (isFull) throw new IntakeFullError('trades wait', 5);
    return await offer(...given);
  };
  await source.push(request('b', [{ id: 2, s: 3 }], at(4)));
  isFull = false;
  await pass(stage, 5);
  assert.equal(tape.intake.promise, at(2));
  const again = await source.push(request('b', [{ id: 2, s: 3 }], at(4)));
  assert.deepEqual([countsOf(again)!.accepted, countsOf(again)!.late], [1, 0]);
  assert.equal(tape.intake.promise, at(4));
});

/** What a writer does next. Its venue trades once a second on both contracts. */
type Step =
  | { readonly kind: 'push'; readonly seconds: number }
  | { readonly kind: 'silence'; readonly seconds: number }
  /** The writer was cut off and cannot fetch what it missed. */
  | { readonly kind: 'lose'; readonly seconds: number }
  | { readonly kind: 'crash'; readonly after: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('push'), seconds: fc.integer({ min: 1, max: 40 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('silence'),
      seconds: fc.integer({ min: 1, max: 1_300 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('lose'),
      seconds: fc.integer({ min: 1, max: 1_300 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('crash'), after: fc.nat(6) }) },
) as fc.Arbitrary<Step>;

test('whatever is cut, every trade is on the tape once and in order, or lies in a named gap', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
      await new Cuts().play(steps);
    }),
    { numRuns: 40 },
  );
});

/** A writer that fetches from the position of the tape, except what its venue no longer has. */
class Cuts {
  readonly #machine = new SimDisk();
  #now = 10;
  #stage: Stage | null = null;
  /** The venue has trades from this second on, each with its number. */
  #venueFrom = 10;
  #batches = 0;

  async play(steps: readonly Step[]): Promise<void> {
    this.#stage = await this.#open();
    for (const one of steps) await this.#take(one);
    await this.#push(1);
    await this.#check();
    await this.#stage.stop();
  }

  async #take(one: Step): Promise<void> {
    switch (one.kind) {
      case 'push':
        return await this.#push(one.seconds);
      case 'silence':
        return await this.#pass(one.seconds);
      case 'lose':
        await this.#pass(one.seconds);
        this.#venueFrom = this.#now;
        return;
      default: {
        let left = one.after;
        this.#machine.faults = () => {
          left -= 1;
          return left < 0 ? 'halt' : null;
        };
        const working = this.#push(20).catch(() => undefined);
        await Promise.race([working, this.#machine.halted]);
        this.#machine.crash();
        this.#machine.faults = () => null;
        this.#stage = await this.#open();
      }
    }
  }

  async #open(): Promise<Stage> {
    return await pushStage({ machine: this.#machine, now: at(this.#now) });
  }

  async #pass(seconds: number): Promise<void> {
    this.#now += seconds;
    await pass(this.#stage!, seconds);
  }

  async #push(seconds: number): Promise<void> {
    await this.#pass(seconds);
    const { source, tape } = this.#stage!;
    const trades: PushedTrade[] = [];
    for (const contract of ['ESZ6', 'NQZ6']) {
      const from = Math.max(tape.intake.lastId(contract) + 1, this.#venueFrom);
      for (let id = from; id < this.#now; id += 1) trades.push({ id, s: id, contract });
    }
    this.#batches += 1;
    const watermark = tape.intake.promise;
    const isLost = watermark !== null && at(this.#venueFrom) > watermark;
    const missing = isLost ? at(this.#venueFrom) : null;
    const batch = request(`${this.#batches}`, trades, at(this.#now), missing);
    assert.equal((await source.push(batch)).t, 'acknowledged');
  }

  async #check(): Promise<void> {
    const { tape } = this.#stage!;
    for (const symbol of ['ESZ6', 'NQZ6']) {
      const rows = await tapeRows(tape.tape, symbol);
      const onTape = rows.map(([, , ns]) => epochNs(DAY, ns));
      const gaps = tape.intake.gaps.filter((gap) => gap.symbol === symbol);
      const isMissing = (time: EpochNs) =>
        gaps.some(({ from, to }) => time >= from && (to === null || time < to));
      const traded = Array.from({ length: this.#now - 10 }, (_, index) => at(10 + index));
      assert.deepEqual(
        onTape,
        traded.filter((time) => !isMissing(time)),
      );
    }
  }
}
