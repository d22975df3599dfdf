/** The thread of a fill worker. It may be killed at any moment: a day is on disk completely or not at all. */

import { parentPort, workerData } from 'node:worker_threads';
import { rank } from '@tapeloom/core/numbers';
import { NodeDisk } from '../../platform/disk/node-disk.ts';
import { ThreadDesk } from '../../platform/threads/thread-desk.ts';
import { DayConflictError } from '../../tape/tape-errors.ts';
import { sealDay } from '../../tape/write/seal/seal.ts';
import type { FillDone, FillRequest, FillSetting, FillShape } from './fill.ts';
import { createSimUniverse, SIM_DATASET } from './sim-universe.ts';
import { TradeColumns } from './trades/trade-columns.ts';

const { tapeRoot, sim, today } = workerData as FillSetting;
const disk = new NodeDisk();
const { market } = createSimUniverse(sim, today);
const columns = new TradeColumns();

// A failed day ends the thread; its owner receives the reason.
new ThreadDesk<FillShape>(parentPort!).open({ calls: { make } });

async function make({ symbol, day, expected }: FillRequest): Promise<FillDone> {
  columns.clear();
  market.appendDay(symbol, day, columns);
  const { count, ts, price, size, side } = columns;
  const batch = { day, firstRank: rank(1), count, ts, price, size, side };
  try {
    const request = { dataset: SIM_DATASET, symbol, batch, expected };
    return { trades: count, digest: await sealDay(disk, tapeRoot, request) };
  } catch (error) {
    if (!(error instanceof DayConflictError)) throw error;
    return { conflict: error.message };
  }
}
