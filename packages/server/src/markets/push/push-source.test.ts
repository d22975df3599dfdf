import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Contract } from '@tapeloom/core/instrument/contract';
import type { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import type { EpochNs } from '@tapeloom/core/numbers';
import { epochNs, utcDay } from '@tapeloom/core/utc-day';
import type { OffTickPrice, PushCounts } from '@tapeloom/protocol/push';
import fc from 'fast-check';
import { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import { SimDisk } from '../../../../../simulation/disk/sim-disk.ts';
import { openSimTape, tapeRows } from '../../../testing/tape/tape-on-sim-disk.ts';
import type { PushAnswer, PushRequest } from '../../platform/push-exchange.ts';
import { IntakeFullError } from '../../tape/tape-errors.ts';
import type { TapeGap } from '../../tape/tape-gap.ts';
import type { Intake } from '../../tape/write/intake.ts';
import { PushSource } from './push-source.ts';

const DAY = utcDay(20_260_105);
const OPEN = epochNs(DAY, 36_000_000_000_000);
const at = (seconds: number): EpochNs => (OPEN + BigInt(Math.round(seconds * 1e9))) as EpochNs;
const listed = ['ESZ6', 'NQZ6'].map(
  (symbol) =>
    ({
      symbol,
      dataset: 'SIM',
      tickSizeNanos: 250_000_000,
      lotSizeNanos: 1_000_000_000,
    }) as Contract,
);
const market = {
  dataset: 'SIM',
  listing: () => ({
    book: {} as InstrumentBook,
    contracts: listed,
    streamedOn: () => listed,
  }),
};

interface Trade {
  readonly id: number;
  readonly s: number;
  readonly contract?: string;
  readonly price?: string;
}
const bodyOf = (trades: readonly Trade[]) =>
  new TextEncoder().encode(
    trades
      .map(({ id, s, contract = 'ESZ6', price = '100.25' }) =>
        JSON.stringify({ contract, id, ts: `${at(s)}`, price, size: 1, side: 'buy' }),
      )
      .join('\n'),
  );
const request = (
  batchId: string,
  trades: readonly Trade[],
  upTo: EpochNs | null = null,
): PushRequest => ({
  batchId,
  contentType: 'application/x-ndjson',
  upTo,
  firstId: null,
  body: bodyOf(trades),
});

/** Gaps that the tape seems to have; null: its own. */
interface Notes {
  gaps: TapeGap[] | null;
}

async function stage(machine = new SimDisk(), notes: Notes = { gaps: null }) {
  const clock = new ManualClock(at(10));
  const tape = await openSimTape(machine.boot(), { now: at(10) });
  const offTick: OffTickPrice[] = [];
  const onTick: string[] = [];
  const intake: Intake = {
    lastId: (symbol) => tape.intake.lastId(symbol),
    get promise() {
      return tape.intake.promise;
    },
    get gaps() {
      return notes.gaps ?? tape.intake.gaps;
    },
    position: (key) => tape.intake.position(key),
    batch: (id) => tape.intake.batch(id),
    offer: (...offer) => tape.intake.offer(...offer),
  };
  const source = new PushSource({
    market,
    intake,
    clock,
    onOffTick: (contract, price) => (price === null ? onTick.push(contract) : offTick.push(price)),
  });
  const stopping = new AbortController();
  const run = source.run(stopping.signal);
  run.catch(() => undefined);
  const stop = async () => {
    stopping.abort();
    await run;
    await tape[Symbol.asyncDispose]();
  };
  return { machine, notes, clock, tape, source, intake, offTick, onTick, run, stopping, stop };
}

async function running(t: TestContext) {
  const it = await stage();
  t.after(it.stop);
  return it;
}

function countsOf(answer: PushAnswer): PushCounts | null {
  assert.equal(answer.t, 'acknowledged', JSON.stringify(answer));
  return answer.t === 'acknowledged' ? answer.receipt.counts : null;
}
const COUNTS = { trades: 2, accepted: 2, late: 0, duplicates: 0, tooOld: 0, inGap: 0 };
const TWO = [
  { id: 1, s: 1 },
  { id: 2, s: 2 },
];

test('an acknowledged batch is on the tape, and its newest trade less a grace moves the watermark', async (t) => {
  const { source, tape } = await running(t);
  const answer = await source.push(request('a', TWO));
  assert.deepEqual(answer, {
    t: 'acknowledged',
    receipt: { batch: 'a', repeated: false, counts: COUNTS, gaps: [], watermark: `${at(1.75)}` },
  });
  assert.equal((await tapeRows(tape.tape, 'ESZ6')).length, 2);
});

test('an empty batch with upTo moves a quiet market on; one without says nothing', async (t) => {
  const { source, tape } = await running(t);
  await source.push(request('a', TWO, at(1)));
  assert.equal(tape.intake.promise, at(1), 'the word of the writer counts');
  await source.push(request('b', [], at(5)));
  assert.equal(tape.intake.promise, at(5));
  await source.push(request('c', [], at(3)));
  assert.equal(tape.intake.promise, at(5), 'it never goes back');
  assert.equal(tape.counters.promiseBackwards, 0);
  const refused = await source.push(request('d', []));
  assert.match(refused.t === 'refused' ? refused.detail : '', /neither trades nor "upTo"/);
  const tomorrow = await source.push(request('e', [], at(86_400)));
  assert.match(tomorrow.t === 'refused' ? tomorrow.detail : '', /^upTo is \d+, a time of tomorrow/);
});

test('a batch that is repeated is acknowledged as before and taken once; another body is a conflict', async (t) => {
  const { source, tape } = await running(t);
  const [first, twin] = await Promise.all([
    source.push(request('a', TWO)),
    source.push(request('a', TWO)),
  ]);
  assert.deepEqual(twin, first);
  const again = await source.push(request('a', TWO));
  assert.equal(again.t === 'acknowledged' && again.receipt.repeated, true);
  assert.deepEqual(countsOf(again), COUNTS);
  for (const other of [request('a', TWO.slice(1)), request('a', TWO, at(9))]) {
    const answer = await source.push(other);
    assert.equal(answer.t === 'refused' && answer.code, 'BATCH_CONFLICT');
  }
  assert.equal((await tapeRows(tape.tape, 'ESZ6')).length, 2);
  assert.equal(tape.counters.duplicate, 0);
});

test('two writers with one batch id at the same moment: one is taken, the other is told', async (t) => {
  const { source, tape } = await running(t);
  const answers = await Promise.all([
    source.push(request('a', TWO)),
    source.push(request('a', [{ id: 9, s: 3 }])),
  ]);
  assert.deepEqual(
    answers.map((answer) => (answer.t === 'refused' ? answer.code : answer.t)),
    ['acknowledged', 'BATCH_CONFLICT'],
  );
  assert.equal((await tapeRows(tape.tape, 'ESZ6')).length, 2);
});

test('batches out of order, overlapping and with a hole are counted exactly', async (t) => {
  const { source, tape } = await running(t);
  const run = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => ({ id: from + index, s: 1 }));
  const pushed = await Promise.all([
    source.push(request('b', run(11, 20), at(0))),
    source.push(request('a', run(1, 10), at(0))),
    source.push(request('c', run(15, 30), at(0))),
    source.push(request('d', run(6_000, 6_001), at(0))),
    source.push(request('e', run(1, 3), at(0))),
  ]);
  const found = pushed.map((answer) => {
    const { accepted, duplicates, tooOld } = countsOf(answer)!;
    return [accepted, duplicates, tooOld];
  });
  assert.deepEqual(found, [
    [10, 0, 0],
    [10, 0, 0],
    [10, 6, 0],
    [2, 0, 0],
    [0, 0, 3],
  ]);
  assert.equal((await tapeRows(tape.tape, 'ESZ6')).length, 32);
});

test('trades before the watermark are stamped and counted as late', async (t) => {
  const { source } = await running(t);
  await source.push(request('a', TWO, at(5)));
  assert.deepEqual(countsOf(await source.push(request('b', [{ id: 3, s: 4 }]))), {
    ...COUNTS,
    trades: 1,
    accepted: 1,
    late: 1,
  });
});

test('trades inside a recorded gap stay out, and the answer names the gap', async (t) => {
  const { source, notes, tape } = await running(t);
  await source.push(request('a', [{ id: 1, s: 1 }], at(5)));
  const gap = {
    symbol: 'ESZ6',
    from: at(2),
    to: at(3),
    firstId: null,
    lastId: null,
    reason: 'cut',
  };
  const numbered = { ...gap, from: at(0), to: at(0), firstId: 50, lastId: 60 };
  notes.gaps = [gap, numbered, { ...gap, symbol: 'NQZ6', to: null }];
  const trades = [
    { id: 2, s: 2 },
    { id: 3, s: 2.5 },
    { id: 4, s: 3 },
    { id: 55, s: 6 },
    { id: 61, s: 6 },
    { id: 1, s: 4.9, contract: 'NQZ6' },
    { id: 2, s: 5, contract: 'NQZ6' },
  ];
  const answer = await source.push(request('b', trades));
  assert.deepEqual(countsOf(answer), { ...COUNTS, trades: 7, accepted: 3, late: 1, inGap: 4 });
  const named = answer.t === 'acknowledged' ? answer.receipt.gaps : [];
  assert.deepEqual(
    named.map(({ contract, from, to, firstId }) => [contract, from, to, firstId]),
    [
      ['ESZ6', `${at(2)}`, `${at(3)}`, null],
      ['ESZ6', `${at(0)}`, `${at(0)}`, 50],
      ['NQZ6', `${at(2)}`, null, null],
    ],
  );
  assert.equal((await tapeRows(tape.tape, 'ESZ6')).length, 3);
  assert.equal((await tapeRows(tape.tape, 'NQZ6')).length, 1);
});

test('an off-tick price refuses the batch and reports its contract until good trades come', async (t) => {
  const { source, offTick, onTick, tape } = await running(t);
  const answer = await source.push(request('a', [TWO[0]!, { id: 2, s: 2, price: '100.3' }]));
  const price = { contract: 'ESZ6', price: '100.3', tick: '0.25', line: 2 };
  assert.equal(answer.t === 'refused' && answer.code, 'OFF_TICK_PRICE');
  assert.deepEqual(answer.t === 'refused' && answer.offTick, price);
  assert.deepEqual([offTick, onTick], [[price], []]);
  assert.equal((await tapeRows(tape.tape, 'ESZ6')).length, 0);
  await source.push(request('b', [{ id: 1, s: 1, contract: 'NQZ6' }]));
  assert.deepEqual(onTick, []);
  await source.push(request('a', TWO));
  await source.push(request('c', [{ id: 3, s: 3 }]));
  assert.deepEqual(onTick, ['ESZ6']);
});

test('a full intake asks to wait, and the same batch is taken later', async (t) => {
  const { source, intake, tape } = await running(t);
  const { offer } = intake;
  let isFull = true;
  (intake as { offer: Intake['offer'] }).offer = async (...offered) => {
    if (isFull) throw new IntakeFullError('trades wait', 5);
    return await offer(...offered);
  };
  const full = await source.push(request('a', TWO));
  assert.equal(full.t === 'refused' && full.code, 'BUSY');
  assert.equal(full.t === 'refused' && full.retryAfterSeconds, 1);
  isFull = false;
  assert.deepEqual(countsOf(await source.push(request('a', TWO))), COUNTS);
  assert.equal(tape.intake.promise, at(1.75), 'its watermark was not lost');
});

test('bodies that wait for the disk have a limit', async () => {
  const { source, machine } = await stage();
  await source.push(request('a', TWO));
  machine.faults = (operation) => (operation === 'sync' ? 'halt' : null);
  const large = (id: string) => {
    const { body, ...rest } = request(id, [{ id: id.charCodeAt(0), s: 3 }]);
    const padded = new Uint8Array(15 * 1_048_576).fill(0x0a);
    padded.set(body);
    return { ...rest, body: padded };
  };
  for (const id of ['p', 'q', 'r', 's']) void source.push(large(id));
  const answer = await source.push(large('t'));
  assert.equal(answer.t === 'refused' && answer.code, 'BUSY');
});

test('at the stop what was begun is finished', async () => {
  const { source, stopping, run, tape } = await stage();
  const pushed = source.push(request('a', TWO));
  stopping.abort();
  await run;
  assert.deepEqual(countsOf(await pushed), COUNTS);
  const late = await source.push(request('b', [{ id: 3, s: 3 }]));
  assert.equal(late.t === 'refused' && late.code, 'BUSY');
  await tape[Symbol.asyncDispose]();
});

test('a failing disk ends the run; the batch is unknown and may be pushed again', async () => {
  const { source, machine, run } = await stage();
  await source.push(request('a', TWO));
  machine.faults = (operation) => (operation === 'sync' ? 'fail' : null);
  const answer = await source.push(request('b', [{ id: 3, s: 3 }]));
  assert.equal(answer.t === 'refused' && answer.code, 'TAPE_STOPPED');
  await assert.rejects(run, /the tape has stopped/);
  const next = await source.push(request('c', [{ id: 4, s: 4 }]));
  assert.equal(next.t === 'refused' && next.code, 'TAPE_STOPPED');
});

test('the position says where to resume', async (t) => {
  const { source, notes } = await running(t);
  assert.deepEqual(source.position(), { dataset: 'SIM', watermark: null, contracts: [], gaps: [] });
  await source.push(request('a', TWO, at(1)));
  notes.gaps = [
    { symbol: 'NQZ6', from: at(0), to: null, firstId: 4, lastId: null, reason: 'no connection' },
  ];
  assert.deepEqual(source.position(), {
    dataset: 'SIM',
    watermark: `${at(1)}`,
    contracts: [{ contract: 'ESZ6', lastId: 2, lastTime: `${at(2)}` }],
    gaps: [
      {
        contract: 'NQZ6',
        from: `${at(0)}`,
        to: null,
        firstId: 4,
        lastId: null,
        reason: 'no connection',
      },
    ],
  });
});

test('a crash at any operation of the disk loses no acknowledged batch and takes none twice', async () => {
  const batches = Array.from({ length: 6 }, (_, index) =>
    request(`b${index}`, [
      { id: index * 2 + 1, s: index },
      { id: index * 2 + 2, s: index + 0.5 },
    ]),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(12), { minLength: 1, maxLength: 4 }), async (crashes) => {
      const machine = new SimDisk();
      const acknowledged = new Set<string>();
      for (const operations of [...crashes, null]) {
        machine.faults = () => null;
        const { source, tape, stopping } = await stage(machine);
        let left = operations ?? Number.POSITIVE_INFINITY;
        machine.faults = () => {
          left -= 1;
          return left < 0 ? 'halt' : null;
        };
        const pushing = (async () => {
          for (const batch of batches) {
            const answer = await source.push(batch);
            assert.equal(answer.t, 'acknowledged');
            acknowledged.add(batch.batchId);
          }
        })();
        await Promise.race([pushing, machine.halted]);
        if (operations === null) {
          await pushing;
          const rows = await tapeRows(tape.tape, 'ESZ6');
          assert.deepEqual(
            rows.map(([, rank]) => rank),
            Array.from({ length: 12 }, (_, index) => index + 1),
          );
          stopping.abort();
          await tape[Symbol.asyncDispose]();
          return;
        }
        machine.crash();
      }
    }),
    { numRuns: 60 },
  );
});
