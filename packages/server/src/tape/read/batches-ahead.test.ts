/** Which thread decodes which batch, and when a failure is reported; batches are already decoded here. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { utcDay } from '@tapeloom/core/utc-day';
import { batchOf } from '../../../testing/imported-dataset.ts';
import type { PackedBatch } from './batch-decoder.ts';
import { BatchesAhead } from './batches-ahead.ts';

const DAY = utcDay(20261112);
const END = 20;
/** More batches than are ever begun. */
const LONG = 50;

/** The price of a batch's only trade is its number. */
const tradesOf = (index: number) => batchOf(DAY, [[1, index, 1, 1]]);

interface Rig {
  readonly ahead: BatchesAhead;
  readonly here: number[];
  readonly aside: number[];
  readonly loaded: number[];
}

/** Other threads return their result when `asideOver` resolves; one batch may fail. */
function rig(asideOver: () => Promise<unknown>, broken: number | null = null): Rig {
  const [here, aside, loaded]: [number[], number[], number[]] = [[], [], []];
  const load = async (index: number): Promise<PackedBatch> => {
    loaded.push(index);
    if (index === broken) throw new Error(`batch ${index}`);
    return {
      trades: () => {
        here.push(index);
        return tradesOf(index);
      },
      tradesAside: async () => {
        aside.push(index);
        await asideOver();
        return tradesOf(index);
      },
    };
  };
  return { ahead: new BatchesAhead(load, DAY, 0, END), here, aside, loaded };
}

async function prices({ ahead }: Rig, count = END): Promise<readonly number[]> {
  const found: number[] = [];
  for (let at = 0; at < count; at += 1) found.push((await ahead.next()).price[0]!);
  return found;
}

const ALL = Array.from({ length: END }, (_, index) => index);

test('batches are decoded elsewhere, in their order, and by who need not wait none', async () => {
  const all = rig(() => Promise.resolve());
  assert.deepEqual(await prices(all), ALL);
  assert.deepEqual(all.loaded, ALL);
  assert.deepEqual(all.aside, ALL);
});

test('who would wait decodes later batches meanwhile, but not all of them; the first is waited for', async () => {
  const freed = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let over = freed[0]!;
  const stuck = rig(() => over.promise);
  const first = stuck.ahead.next();
  for (let at = 0; at < LONG; at += 1) await turn();
  assert.deepEqual([stuck.aside, stuck.here], [[0, 1], []]);
  over = freed[1]!;
  freed[0]!.resolve();
  assert.equal((await first).price[0], 0);
  assert.deepEqual(await prices(stuck, 1), [1]);
  const waiting = stuck.ahead.next();
  for (let at = 0; at < LONG; at += 1) await turn();
  assert.deepEqual(
    [stuck.aside, stuck.here],
    [
      [0, 1, 2, 3, 4],
      [5, 6, 7, 8],
    ],
  );
  freed[1]!.resolve();
  assert.equal((await waiting).price[0], 2);
  assert.deepEqual(await prices(stuck, END - 3), ALL.slice(3));
  assert.deepEqual(stuck.loaded, ALL);
});

test('a batch that fails is told to who asks for it, after all before it', async () => {
  for (const broken of [0, 1, 5]) {
    const damaged = rig(() => turn(), broken);
    assert.deepEqual(await prices(damaged, broken), ALL.slice(0, broken));
    await assert.rejects(damaged.ahead.next(), { message: `batch ${broken}` });
  }
});
