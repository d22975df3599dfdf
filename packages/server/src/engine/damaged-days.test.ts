/** Days that cannot be read: they are reported before anything is shown without them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import { CONTRACT, DAY, EngineRun, HOUR_NS, settle } from '../../testing/stream/engine-run.ts';
import { MemoryTape } from '../../testing/tape/memory-tape.ts';

const TODAY = addDays(DAY, 1);

/** Two days of one session. */
function tapeOf(): MemoryTape {
  const tape = new MemoryTape(CONTRACT, 100);
  for (const [day, hour] of [
    [DAY, 23],
    [TODAY, 1],
  ] as const) {
    const at = epochNs(day, hour * HOUR_NS);
    tape.commit([{ at, price: 100 + hour, size: 1, side: 1 }], (at + 1n) as EpochNs);
  }
  return tape;
}

const kinds = (run: EngineRun) => run.messages.map(({ t }) => t);

test('a topic that meets damage ends those that were computed with the day, and tells of it before it shows anything [DET-23]', async () => {
  const tape = tapeOf();
  const run = new EngineRun(tape);
  run.open(['vwap', {}], 1);
  await settle();
  assert.ok(kinds(run).includes('ready'));
  tape.damaged.set(DAY, 'trades');
  run.messages.length = 0;
  run.open(['delta', {}], 2);
  await settle();
  const [first] = run.messages.filter(({ t }) => t !== 'pulse');
  assert.ok(first?.t === 'day-damaged', `${first?.t} came first`);
  assert.deepEqual([first.contract, first.day], [CONTRACT, DAY]);
  const outdated = run.messages.flatMap((it) => (it.t === 'outdated' ? [it.topic] : []));
  assert.deepEqual(outdated, [1], 'what was computed with the day ends');
  const ready = run.messages.flatMap((it) => (it.t === 'ready' ? [it] : []));
  assert.deepEqual(
    ready.map(({ topic, partialSince }) => [topic, partialSince]),
    [[2, epochNs(TODAY, 0)]],
    'no topic says that it is whole without the day',
  );
});

test('a day that another thread could not read is left out, and tried again once it is sound', async () => {
  const tape = tapeOf();
  const run = new EngineRun(tape);
  run.open(['vwap', {}], 1);
  await settle();
  const damaged = { t: 'damaged', contract: CONTRACT, day: DAY } as const;
  run.engine.execute({ ...damaged, isDamaged: true });
  await settle();
  assert.ok(kinds(run).includes('outdated'));
  run.open(['vwap', {}], 2);
  await settle();
  const sinceOf = (topic: number) =>
    run.messages.flatMap((it) => (it.t === 'ready' && it.topic === topic ? [it.partialSince] : []));
  assert.deepEqual(sinceOf(2), [epochNs(TODAY, 0)]);
  assert.ok(!kinds(run).includes('day-damaged'), 'who found it knows');
  run.engine.execute({ ...damaged, isDamaged: false });
  run.engine.execute({ t: 'repaired', contract: CONTRACT, request: 1 });
  await settle();
  run.open(['vwap', {}], 3);
  await settle();
  assert.deepEqual(sinceOf(3), [null]);
});
