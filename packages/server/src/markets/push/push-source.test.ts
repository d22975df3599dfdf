import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SimDisk } from '../../../../../simulation/disk/sim-disk.ts';
import { at, countsOf, pushStage, request, runningPush } from '../../../testing/push/push-stage.ts';
import { tapeRows } from '../../../testing/tape/tape-on-sim-disk.ts';
import { IntakeFullError } from '../../tape/tape-errors.ts';
import type { Intake } from '../../tape/write/intake.ts';

const COUNTS = { trades: 2, accepted: 2, late: 0, duplicates: 0, tooOld: 0, inGap: 0 };
const TWO = [
  { id: 1, s: 1 },
  { id: 2, s: 2 },
];

test('an acknowledged batch is on the tape, and its newest trade less a grace moves the watermark', async (t) => {
  const { source, tape } = await runningPush(t);
  const answer = await source.push(request('a', TWO));
  assert.deepEqual(answer, {
    t: 'acknowledged',
    receipt: { batch: 'a', repeated: false, counts: COUNTS, gaps: [], watermark: `${at(1.75)}` },
  });
  assert.equal((await tapeRows(tape.tape, 'ESZ6')).length, 2);
});

test('an empty batch with upTo moves a quiet market on; one without says nothing', async (t) => {
  const { source, tape } = await runningPush(t);
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
  const { source, tape } = await runningPush(t);
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
  const { source, tape } = await runningPush(t);
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
  const { source, tape } = await runningPush(t);
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
  const { source } = await runningPush(t);
  await source.push(request('a', TWO, at(5)));
  assert.deepEqual(countsOf(await source.push(request('b', [{ id: 3, s: 4 }]))), {
    ...COUNTS,
    trades: 1,
    accepted: 1,
    late: 1,
  });
});

test('an off-tick price refuses the batch and reports its contract until good trades come', async (t) => {
  const { source, offTick, onTick, tape } = await runningPush(t);
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
  const { source, intake, tape } = await runningPush(t);
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
  const { source, machine } = await pushStage();
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
  const { source, stopping, run, tape } = await pushStage();
  const pushed = source.push(request('a', TWO));
  stopping.abort();
  await run;
  assert.deepEqual(countsOf(await pushed), COUNTS);
  const late = await source.push(request('b', [{ id: 3, s: 3 }]));
  assert.equal(late.t === 'refused' && late.code, 'BUSY');
  await tape[Symbol.asyncDispose]();
});

test('a failing disk ends the run; the batch is unknown and may be pushed again', async () => {
  const { source, machine, run } = await pushStage();
  await source.push(request('a', TWO));
  machine.faults = (operation) => (operation === 'sync' ? 'fail' : null);
  const answer = await source.push(request('b', [{ id: 3, s: 3 }]));
  assert.equal(answer.t === 'refused' && answer.code, 'TAPE_STOPPED');
  await assert.rejects(run, /the tape has stopped/);
  const next = await source.push(request('c', [{ id: 4, s: 4 }]));
  assert.equal(next.t === 'refused' && next.code, 'TAPE_STOPPED');
});

test('the position says where to resume', async (t) => {
  const { source } = await runningPush(t);
  assert.deepEqual(source.position(), { dataset: 'SIM', watermark: null, contracts: [], gaps: [] });
  await source.push(request('a', TWO, at(1)));
  const { watermark, contracts, gaps } = source.position();
  assert.deepEqual(
    [watermark, contracts],
    [`${at(1)}`, [{ contract: 'ESZ6', lastId: 2, lastTime: `${at(2)}` }]],
  );
  assert.deepEqual(
    gaps.map(({ contract, to, reason }) => [contract, to, reason]),
    [
      ['ESZ6', `${at(1)}`, 'start'],
      ['NQZ6', `${at(1)}`, 'start'],
    ],
  );
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
        const { source, tape, stopping } = await pushStage({ machine });
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
