/** Gaps of a live tape while topics run: a session is not whole from its first missing time on, for every topic alike. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { epochNs } from '@tapeloom/core/utc-day';
import { CONTRACT, DAY, EngineRun, HOUR_NS, settle } from '../../testing/stream/engine-run.ts';
import { type LiveGap, MemoryTape } from '../../testing/tape/memory-tape.ts';

const at = (hour: number): EpochNs => epochNs(DAY, hour * HOUR_NS);

/** A tape of one trade, in the session from 10 to 12. */
function tapeOf(): MemoryTape {
  const tape = new MemoryTape(CONTRACT, 100);
  tape.commit([{ at: at(10.1), price: 100, size: 1, side: 1 }], at(10.2));
  return tape;
}

/** Commits, and lets the engine report the change. */
async function pass(tape: MemoryTape, run: EngineRun, hour: number, ...gaps: LiveGap[]) {
  tape.commit([], at(hour), gaps);
  await settle();
  run.pulse();
}

function sinceOf(run: EngineRun, topic = 1): EpochNs | null | undefined {
  const told = run.messages.findLast((it) => it.t === 'ready' && it.topic === topic);
  return told?.t === 'ready' ? told.partialSince : undefined;
}

test('a gap that grows makes the session incomplete to its close, and then from its own end on', async () => {
  const tape = tapeOf();
  const run = new EngineRun(tape);
  run.open(['vwap', {}]);
  await settle();
  assert.equal(sinceOf(run), null);
  await pass(tape, run, 10.5, { from: at(10.2), to: null });
  assert.equal(sinceOf(run), at(12), 'nothing is known to follow');
  const told = run.messages.length;
  await pass(tape, run, 10.6);
  const later = run.messages.slice(told).filter(({ t }) => t === 'ready');
  assert.deepEqual(later, [], 'it is told once, however long it grows');
  run.open(['vwap', {}], 2);
  await settle();
  assert.equal(sinceOf(run, 2), at(12), 'a topic begun meanwhile says the same');
  await pass(tape, run, 10.8, { from: at(10.2), to: at(10.7) });
  assert.deepEqual([sinceOf(run), sinceOf(run, 2)], [at(10.7), at(10.7)]);
  run.open(['vwap', {}], 3);
  await settle();
  assert.equal(sinceOf(run, 3), at(10.7));
  await pass(tape, run, 22.1);
  assert.deepEqual([sinceOf(run), sinceOf(run, 3)], [null, null], 'until the next open');
  assert.ok(!run.messages.some(({ t }) => t === 'outdated'));
});

test('a gap that grows over an open is one of that session, also for an engine that begins meanwhile', async () => {
  const tape = tapeOf();
  tape.commit([], at(20), [{ from: at(11), to: null }]);
  const run = new EngineRun(tape);
  run.open(['vwap', {}]);
  await settle();
  assert.equal(sinceOf(run), at(12));
  for (const hour of [21.9, 22, 22.1]) await pass(tape, run, hour);
  assert.equal(sinceOf(run), at(26), 'commits did not tell of it');
  await pass(tape, run, 23, { from: at(11), to: at(22.5) });
  assert.equal(sinceOf(run), at(22.5));
});

test('a gap of other hours leaves a session whole, though it is on the same day', async () => {
  const tape = tapeOf();
  const run = new EngineRun(tape);
  run.open(['vwap', {}]);
  await settle();
  await pass(tape, run, 20, { from: at(13), to: at(19) });
  await pass(tape, run, 22.1);
  assert.equal(sinceOf(run), null);
});

test('a gap recorded behind what topics computed changes nothing until the repair, which ends them [DET-23]', async () => {
  const tape = tapeOf();
  const run = new EngineRun(tape);
  run.open(['vwap', {}]);
  await settle();
  await pass(tape, run, 11);
  await pass(tape, run, 11.1, { from: at(10.5), to: at(10.6) });
  await settle();
  assert.equal(sinceOf(run), null);
  run.pulse();
  await settle();
  const changed = run.messages.filter(({ t }) => t === 'day-changed');
  assert.deepEqual(changed, [{ t: 'day-changed', contract: CONTRACT, day: DAY }]);
  run.engine.execute({ t: 'repaired', contract: CONTRACT, request: 1 });
  await settle();
  assert.ok(run.messages.some(({ t }) => t === 'outdated'));
  run.open(['vwap', {}], 2);
  await settle();
  assert.equal(sinceOf(run, 2), at(10.6));
});

test('a day with a gap that is sealed, or replaced by an import, ends only topics that the import changes', async () => {
  for (const hasImport of [false, true]) {
    const tape = tapeOf();
    const run = new EngineRun(tape);
    run.open(['vwap', {}]);
    await settle();
    await pass(tape, run, 22.5, { from: at(22.2), to: at(22.3) });
    await pass(tape, run, 25);
    assert.equal(sinceOf(run), at(22.3));
    if (hasImport) tape.repaired.add(DAY);
    run.engine.execute({ t: 'repaired', contract: CONTRACT, request: 1 });
    await settle();
    run.pulse();
    await settle();
    run.pulse();
    await settle();
    assert.equal(
      run.messages.some(({ t }) => t === 'day-changed'),
      false,
    );
    assert.equal(
      run.messages.some(({ t }) => t === 'outdated'),
      hasImport,
    );
    run.open(['vwap', {}], 2);
    await settle();
    assert.equal(sinceOf(run, 2), hasImport ? null : at(22.3));
  }
});
