import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { MIB } from '@tapeloom/core/units';
import { epochNs } from '@tapeloom/core/utc-day';
import { readerOver, requestOf, type Topic } from '../../testing/results/settled-reading.ts';
import { BY_ID, CONTRACT, DAY, HOUR_NS, SESSIONS } from '../../testing/stream/engine-run.ts';
import { MemoryTape } from '../../testing/tape/memory-tape.ts';
import { collectGarbage } from '../platform/memory/collect-garbage.ts';
import { DayLogs } from './day-logs.ts';
import { SettledDaysReader } from './settled-days-reader.ts';

const READS = 6;
const EACH_BYTES_MAX = 6 * MIB;
/** One line per trade: a block of them is 13 MiB of text. */
const LARGE: Topic = ['bars', { bar: 'tick', size: 1 }];
const EXPORT = requestOf(LARGE, at(HOUR_NS), { form: 'frames' });

test('exports that nobody pulls keep packed results, and no room for those to come', async () => {
  const reader = readerOver(largeDay(), null, BY_ID, new DayLogs());
  const before = await heldBytes();
  await using reads = new AsyncDisposableStack();
  for (let count = 0; count < READS; count += 1) {
    const read = reads.use(await reader.read(EXPORT));
    const page = await read.next();
    assert.ok(page !== null && page.frames.length > 0);
    assert.equal(page.isLast, false);
  }
  const eachBytes = ((await heldBytes()) - before) / READS;
  assert.ok(eachBytes < EACH_BYTES_MAX, `${(eachBytes / MIB).toFixed(1)} MiB each`);
});

test('an export whose frame is ready holds no lines while it waits for its turn', async () => {
  let waitingBytes = Number.POSITIVE_INFINITY;
  const reader = new SettledDaysReader({
    tape: largeDay(),
    indicators: BY_ID,
    sessionsOf: () => SESSIONS,
    yieldTurn: async () => {},
    aside: async (work) => {
      const done = await work();
      waitingBytes = (await heldBytes()) - before;
      return done;
    },
    cache: null,
    logs: new DayLogs(),
  });
  const before = await heldBytes();
  await using read = await reader.read(EXPORT);
  await read.next();
  assert.ok(waitingBytes < EACH_BYTES_MAX, `${waitingBytes} bytes`);
});

function largeDay(): MemoryTape {
  const tape = new MemoryTape(CONTRACT, 100);
  const trades = Array.from({ length: 70_000 }, (_, index) => {
    const [price, size] = [5_000 + (index % 40), 1 + (index % 9)];
    return { at: at(index * 1_000), price, size, side: 1 } as const;
  });
  tape.commit(trades, at(HOUR_NS));
  return tape;
}

function at(ns: number): EpochNs {
  return epochNs(DAY, 11 * HOUR_NS + ns);
}

/** Memory outside of the heap. It is freed in the background after a collection; a second collection waits for that. */
async function heldBytes(): Promise<number> {
  await new Promise(setImmediate);
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}
