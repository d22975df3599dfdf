import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MIB } from '@tapeloom/core/units';
import { epochNs } from '@tapeloom/core/utc-day';
import { BY_ID, CONTRACT, DAY, HOUR_NS } from '../../../../simulation/stream/engine-run.ts';
import { MemoryTape } from '../../../../simulation/tape/memory-tape.ts';
import { readerOver, requestOf, type Topic } from '../../testing/results/settled-reading.ts';
import { collectGarbage } from '../platform/collect-garbage.ts';
import { DayLogs } from './day-logs.ts';

const READS = 6;
const EACH_BYTES_MAX = 6 * MIB;
/** A line of every trade: a block of them is 13 MiB of text. */
const LARGE: Topic = ['bars', { bar: 'tick', size: 1 }];

test('exports that nobody pulls keep packed results, and no room for those to come', async () => {
  const tape = new MemoryTape(CONTRACT, 100);
  const at = (ns: number) => epochNs(DAY, 11 * HOUR_NS + ns);
  const trades = Array.from({ length: 70_000 }, (_, index) => {
    return {
      at: at(index * 1_000),
      price: 5_000 + (index % 40),
      size: 1 + (index % 9),
      side: 1,
    } as const;
  });
  tape.commit(trades, at(HOUR_NS));
  const reader = readerOver(tape, null, BY_ID, new DayLogs());
  const request = requestOf(LARGE, at(HOUR_NS), { form: 'frames' });
  const before = heldBytes();
  await using reads = new AsyncDisposableStack();
  for (let count = 0; count < READS; count += 1) {
    const read = reads.use(await reader.read(request));
    const page = await read.next();
    assert.ok(page !== null && page.frames.length > 0);
    assert.equal(page.isLast, false);
  }
  const eachBytes = (heldBytes() - before) / READS;
  assert.ok(eachBytes < EACH_BYTES_MAX, `${(eachBytes / MIB).toFixed(1)} MiB each`);
});

/** Outside of the heap. What a collection finds is given back beside the thread; the next one waits for that. */
function heldBytes(): number {
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}
