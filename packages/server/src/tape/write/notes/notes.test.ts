import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { DAY_NS } from '@tapeloom/core/units';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import { SimDisk } from '../../../../../../simulation/disk/sim-disk.ts';
import { type FeedRow, intakeBatch } from '../../../../testing/tape/feed-rows.ts';
import { openSimTape } from '../../../../testing/tape/tape-on-sim-disk.ts';
import type { TapeGap } from '../../tape-gap.ts';
import type { TapeNote } from '../tape-note.ts';
import { BATCHES_KEPT_MAX } from './kept-notes.ts';
import { GAPS_MAX, POSITION_KEYS_MAX } from './note-taker.ts';
import { OFFER_NOTE_BYTES_MAX, OFFER_NOTES_MAX } from './offer-notes.ts';

const DAY = utcDay(20_260_105);
const NEXT_DAY = addDays(DAY, 1);
const at = (ns: number, day: UtcDay = DAY) => epochNs(day, ns);
const ES = (rows: readonly FeedRow[], day: UtcDay = DAY) => intakeBatch('ESZ6', day, rows);
const position = (text: string, key = 'feed'): TapeNote => ({ kind: 'position', key, text });
const batch = (id: string): TapeNote => ({ kind: 'batch', id, digest: `digest of ${id}` });

function gapOf(from: EpochNs, to: EpochNs | null, symbol = 'ESZ6'): TapeGap {
  return { symbol, from, to, firstId: null, lastId: null, reason: 'no connection' };
}
function gap(from: EpochNs, to: EpochNs | null, symbol?: string): TapeNote {
  return { kind: 'gap', gap: gapOf(from, to, symbol) };
}

/** Beginning and end of the recorded gaps, in nanoseconds of the first day. */
function spans(gaps: readonly TapeGap[]): readonly (readonly [number, number | null])[] {
  const ns = (time: EpochNs) => Number(time - at(0));
  return gaps.map(({ from, to }) => [ns(from), to === null ? null : ns(to)]);
}

test('notes are there when their offer is acknowledged, and after every kind of end', async () => {
  const machine = new SimDisk();
  const notes = [position('7'), batch('a'), gap(at(6), null)];
  const check = (intake: Awaited<ReturnType<typeof openSimTape>>['intake']) => {
    assert.equal(intake.position('feed'), '7');
    assert.equal(intake.position('other'), null);
    assert.equal(intake.batch('a'), 'digest of a');
    assert.equal(intake.batch('b'), null);
    assert.deepEqual(intake.gaps, [gapOf(at(6), null)]);
  };
  const tape = await openSimTape(machine.boot());
  const counts = await tape.intake.offer([ES([[1, 1]])], at(5), notes);
  assert.deepEqual(counts, { duplicate: 0, tooOld: 0, late: 0, rejected: 0 });
  check(tape.intake);
  for (const end of ['kill', 'crash'] as const) {
    machine[end]();
    check((await openSimTape(machine.boot())).intake);
  }
  machine.crash();
  const calm = await openSimTape(machine.boot());
  await calm[Symbol.asyncDispose]();
  await using again = await openSimTape(machine.boot());
  check(again.intake);
});

test('notes without trades are committed, also between two days and on an empty tape', async () => {
  await using tape = await openSimTape(new SimDisk().boot(), { now: at(DAY_NS - 1) });
  await tape.intake.offer([], null, [position('1'), gap(at(-5), null)]);
  assert.equal(tape.intake.promise, at(0));
  assert.equal(tape.intake.position('feed'), '1');
  assert.deepEqual(spans(tape.intake.gaps), [[0, null]]);
  await tape.intake.offer([], at(0, NEXT_DAY), [position('2')]);
  assert.equal(tape.intake.promise, at(0, NEXT_DAY));
  assert.equal(tape.publisher.days.length, 1);
  await tape.intake.offer([], null, [position('3'), batch('x')]);
  assert.equal(tape.intake.position('feed'), '3');
  assert.equal(tape.publisher.days.at(-1)!.day, NEXT_DAY);
});

test('on an empty tape a gap may lie before the first promise, from midnight on', async () => {
  await using tape = await openSimTape(new SimDisk().boot());
  await tape.intake.offer([ES([[1, 500]])], at(400), [gap(at(-100), at(300))]);
  assert.deepEqual(spans(tape.intake.gaps), [[0, 300]]);
  const [day] = await tape.tape.days('ESZ6');
  assert.deepEqual(day, { day: DAY, trades: 1, state: 'open', gaps: [[0, 300]] });
});

test('a new gap begins at the watermark, and is nothing if it ends before', async () => {
  await using tape = await openSimTape(new SimDisk().boot());
  await tape.intake.offer([], at(100));
  await tape.intake.offer([], at(200), [gap(at(50), at(90)), gap(at(60), at(150))]);
  assert.deepEqual(spans(tape.intake.gaps), [[100, 150]]);
  // The source need not know where its gap begins on the tape.
  await tape.intake.offer([], null, [gap(at(120), null)]);
  await tape.intake.offer([], at(300), [gap(at(120), at(260))]);
  assert.deepEqual(spans(tape.intake.gaps), [
    [100, 150],
    [200, 260],
  ]);
});

test('a gap grows with the watermark, is closed where that is, and is final behind it', async () => {
  await using tape = await openSimTape(new SimDisk().boot());
  const seen = async () => (await tape.tape.days('ESZ6'))[0]!.gaps;
  await tape.intake.offer([], at(100), [gap(at(150), null)]);
  assert.equal(await seen(), undefined, 'it lies behind the watermark');
  await tape.intake.offer([], at(200));
  assert.deepEqual(await seen(), [[150, 200]]);
  await tape.intake.offer([], at(300), [gap(at(250), at(280)), gap(at(290), at(400))]);
  assert.deepEqual(await seen(), [[150, 300]], 'gaps that overlap are one');
  await tape.intake.offer([], at(400), [gap(at(150), at(160))]);
  assert.deepEqual(await seen(), [[150, 400]]);
  await tape.intake.offer([], at(500), [gap(at(150), null)]);
  await tape.intake.offer([], at(600), [gap(at(250), at(550))]);
  assert.deepEqual(await seen(), [[150, 400]], 'neither grows again');
  assert.deepEqual(spans(tape.intake.gaps), [
    [150, 300],
    [250, 280],
    [290, 400],
  ]);
});

test('over midnight positions, batches and growing gaps go on, and the sealed day has its gaps', async () => {
  const machine = new SimDisk();
  const tape = await openSimTape(machine.boot());
  const notes = [position('1'), batch('a'), gap(at(7), at(9)), gap(at(20), null, 'NQZ6')];
  await tape.intake.offer([ES([[1, 1]])], at(5), notes);
  await tape.intake.offer([], at(30, NEXT_DAY));
  await tape.intake.sealed();
  const check = async ({ intake, tape }: Awaited<ReturnType<typeof openSimTape>>) => {
    assert.equal(intake.position('feed'), '1');
    assert.equal(intake.batch('a'), 'digest of a');
    assert.deepEqual(intake.gaps, [gapOf(at(20), null, 'NQZ6')]);
    const [es, esNext] = await tape.days('ESZ6');
    assert.equal(es!.state, 'partial');
    assert.deepEqual(es!.gaps, [[7, 9]]);
    assert.equal(es!.version, `${es!.digest} without 7,9`);
    assert.deepEqual(esNext, { day: NEXT_DAY, trades: 0, state: 'open' });
    const [nq, nqNext] = await tape.days('NQZ6');
    assert.deepEqual([nq!.trades, nq!.state, nq!.gaps], [0, 'partial', [[20, DAY_NS]]]);
    assert.deepEqual(nqNext!.gaps, [[0, 30]]);
    const [btc] = await tape.days('BTC-PERP');
    assert.deepEqual([btc!.state, btc!.gaps, btc!.version], ['sealed', undefined, undefined]);
  };
  await check(tape);
  machine.kill();
  await using again = await openSimTape(machine.boot());
  await check(again);
  await again.intake.offer([], at(40, NEXT_DAY), [gap(at(20), at(35, NEXT_DAY), 'NQZ6')]);
  assert.deepEqual((await again.tape.days('NQZ6'))[1]!.gaps, [[0, 35]]);
});

test('an opening without notes is as it was before there were notes', async () => {
  const machine = new SimDisk();
  const version = () => {
    const path = machine.files().find((name) => name.endsWith('.log'))!;
    return machine.bytes(path)![32];
  };
  await using tape = await openSimTape(machine.boot());
  await tape.intake.offer([], at(5));
  assert.equal(version(), 1);
  await tape.intake.offer([], null, [position('1')]);
  await tape.intake.offer([], at(5, NEXT_DAY));
  await tape.intake.sealed();
  assert.equal(version(), 2);
});

test('the newest batches are remembered', async () => {
  await using tape = await openSimTape(new SimDisk().boot());
  const offers = Array.from({ length: BATCHES_KEPT_MAX }, (_, index) => batch(`${index}`));
  await tape.intake.offer([], at(5), offers);
  assert.equal(tape.intake.batch('0'), 'digest of 0');
  await tape.intake.offer([], null, [batch('new')]);
  assert.equal(tape.intake.batch('0'), null);
  assert.equal(tape.intake.batch('1'), 'digest of 1');
});

test('notes beyond a limit, or of what cannot be, reject their offer with all its trades', async () => {
  await using tape = await openSimTape(new SimDisk().boot(), { now: at(1_000) });
  await tape.intake.offer([ES([[1, 1]])], at(5));
  const text = 'x'.repeat(1_000);
  const many = (count: number, of: (index: number) => TapeNote) =>
    Array.from({ length: count }, (_, index) => of(index));
  const wrong: readonly (readonly TapeNote[])[] = [
    many(OFFER_NOTES_MAX + 1, (index) => batch(`${index}`)),
    many(Math.ceil(OFFER_NOTE_BYTES_MAX / 1_000), () => position(text)),
    [position('x'.repeat(1_025))],
    [batch('x'.repeat(129))],
    [position('\ud800')],
    [gap(at(9), at(9))],
    [gap(at(9), null, 'UNKNOWN')],
    [gap(at(9), null, '../up')],
    [gap(at(9, addDays(DAY, 9)), null)],
    [{ kind: 'gap', gap: { ...gapOf(at(9), null), firstId: 0.5 } }],
  ];
  for (const notes of wrong) {
    await assert.rejects(tape.intake.offer([ES([[2, 2]])], at(6), notes), RangeError);
  }
  await tape.intake.offer(
    [],
    null,
    many(POSITION_KEYS_MAX, (index) => position('1', `${index}`)),
  );
  await assert.rejects(tape.intake.offer([], null, [position('1', 'one more')]), RangeError);
  await tape.intake.offer([], null, [position('2', '7')]);
  for (let from = 0; from < GAPS_MAX; from += 512) {
    await tape.intake.offer(
      [],
      null,
      many(512, (index) => gap(at(10 + from + index), null)),
    );
  }
  await assert.rejects(tape.intake.offer([], null, [gap(at(10 + GAPS_MAX), null)]), RangeError);
  assert.equal(tape.intake.lastId('ESZ6'), 1);
  assert.equal(tape.intake.promise, at(5));
  assert.equal(tape.intake.position('7'), '2');
});
