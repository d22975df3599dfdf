import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import { CONTRACT, DAY, EngineRun, HOUR_NS, settle } from '../../testing/stream/engine-run.ts';
import { MemoryTape } from '../../testing/tape/memory-tape.ts';

const YESTERDAY = addDays(DAY, -1);
/** In the middle of the session that began in the evening before. */
const NOW = epochNs(addDays(DAY, 1), HOUR_NS);

function tapeOf(): MemoryTape {
  const tape = new MemoryTape(CONTRACT, 100);
  const trade = (at: EpochNs) => ({ at, price: 100, size: 1, side: 1 as const });
  tape.commit([trade(epochNs(YESTERDAY, HOUR_NS))], epochNs(YESTERDAY, 20 * HOUR_NS));
  tape.commit([trade(epochNs(DAY, 23 * HOUR_NS))], epochNs(DAY, 23.5 * HOUR_NS));
  tape.commit([trade((NOW - 1_000n) as EpochNs)], NOW);
  return tape;
}

/** A second passes: the tape moves on, and the engine reports its positions. */
async function second(tape: MemoryTape, { engine }: EngineRun): Promise<void> {
  tape.commit([], (tape.promise! + 1_000_000_000n) as EpochNs);
  engine.pulse();
  await settle();
}

function changed({ messages }: EngineRun): readonly number[] {
  return messages.flatMap((message) => (message.t === 'day-changed' ? [message.day] : []));
}

test('a day that is taken away behind a topic, or put back, is told once; its repair ends what depends on it [DET-23]', async () => {
  const tape = tapeOf();
  const run = new EngineRun(tape);
  run.open(['vwap', {}]);
  await settle();
  for (let at = 0; at < 3; at += 1) await second(tape, run);
  assert.deepEqual(changed(run), []);
  tape.missing.add(DAY);
  for (let at = 0; at < 4; at += 1) await second(tape, run);
  assert.deepEqual(changed(run), [DAY]);
  run.engine.execute({ t: 'repaired', contract: CONTRACT, request: 1 });
  await settle();
  assert.equal(run.messages.filter(({ t }) => t === 'outdated').length, 1);
  run.open(['vwap', {}], 2);
  await settle();
  tape.missing.delete(DAY);
  for (let at = 0; at < 4; at += 1) await second(tape, run);
  assert.deepEqual(changed(run), [DAY, DAY]);
  run.engine.execute({ t: 'repaired', contract: CONTRACT, request: 2 });
  await settle();
  assert.equal(run.messages.filter(({ t }) => t === 'outdated').length, 2);
  assert.deepEqual(run.faults, []);
});

test('a damaged day whose files are put back is told, and read from its repair on [DET-23]', async () => {
  const tape = tapeOf();
  tape.damaged.set(DAY, 'trades');
  const run = new EngineRun(tape);
  run.open(['vwap', {}]);
  await settle();
  assert.equal(run.messages.filter(({ t }) => t === 'day-damaged').length, 1);
  for (let at = 0; at < 3; at += 1) await second(tape, run);
  assert.deepEqual(changed(run), []);
  tape.damaged.clear();
  for (let at = 0; at < 4; at += 1) await second(tape, run);
  assert.deepEqual(changed(run), [DAY]);
  run.engine.execute({ t: 'repaired', contract: CONTRACT, request: 1 });
  await settle();
  assert.equal(run.messages.filter(({ t }) => t === 'outdated').length, 1);
});
