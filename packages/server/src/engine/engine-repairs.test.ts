import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import { CONTRACT, DAY, EngineRun, HOUR_NS, settle } from '../../testing/stream/engine-run.ts';
import { MemoryTape } from '../../testing/tape/memory-tape.ts';

const NEXT = addDays(DAY, 1);
const BARS = ['bars', {}] as const;

/** Trades in the session that goes over midnight, on both of its days. */
function overMidnight(): MemoryTape {
  const tape = new MemoryTape(CONTRACT, 100);
  for (const hour of [10.5, 22.5, 24.5]) {
    const at = epochNs(DAY, hour * HOUR_NS);
    tape.commit(
      [{ at, price: 100 + hour, size: 1, side: 1 }],
      epochNs(DAY, (hour + 0.1) * HOUR_NS),
    );
  }
  return tape;
}

test('whenever a topic hears of a repair, it begins anew if its session is another one, and else goes on', async () => {
  for (let turns = 0; turns < 60; turns += 1) {
    for (const isConcerned of [true, false]) {
      const tape = overMidnight();
      if (isConcerned) tape.missing.add(DAY);
      const run = new EngineRun(tape);
      run.open(BARS);
      for (let count = 0; count < turns; count += 1) await Promise.resolve();
      tape.missing.clear();
      run.engine.execute({ t: 'repaired', contract: CONTRACT, request: 9 });
      for (let count = 0; count < 5; count += 1) await settle();
      const kinds = run.messages.map(({ t }) => t).filter((t) => t !== 'flush' && t !== 'pulse');
      const [outdated, ready] = ['outdated', 'ready'].map((kind) => kinds.indexOf(kind as 'ready'));
      const answer = run.messages.find((it) => it.t === 'repaired');
      assert.deepEqual(answer, { t: 'repaired', request: 9, end: { day: NEXT, rank: 1 } });
      if (!isConcerned) assert.deepEqual([outdated, ready! >= 0], [-1, true], `${turns}`);
      // No message of the partial session stays valid.
      else if (outdated === -1) assert.equal(run.snapshot().items.length, 2, `${turns}`);
      else assert.ok(!kinds.slice(outdated! + 1).includes('ready'), `${turns}`);
      assert.deepEqual(run.faults, []);
    }
  }
});
