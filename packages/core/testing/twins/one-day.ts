/** A tape of one UTC day made row by row, and any indicator over it as one session, for extreme cases. */

import assert from 'node:assert/strict';
import type { Rank } from '../../src/numbers.ts';
import type { Indicator } from '../../src/studies/indicator.ts';
import { parseParams } from '../../src/studies/params.ts';
import { StudyRun } from '../../src/studies/run.ts';
import { allocateBatch, type TradeBatch } from '../../src/trade-batch.ts';
import { DAY_NS } from '../../src/units.ts';
import { epochNs, utcDay } from '../../src/utc-day.ts';
import { Recorder, tableOf } from './study-driver.ts';

const DAY = utcDay(20260105);

type RowMaker = (row: number) => readonly [ns: number, price: number, size: number];

/** Sides alternate: seller, unknown, buyer. */
export function oneDay(count: number, trade: RowMaker): TradeBatch {
  const batch = allocateBatch(DAY, 1 as Rank, count);
  for (let row = 0; row < count; row += 1) {
    const [ns, price, size] = trade(row);
    batch.ts[row] = ns;
    batch.price[row] = price;
    batch.size[row] = size;
    batch.side[row] = (row % 3) - 1;
  }
  batch.count = count;
  return batch;
}

/** The whole output of the run; `data` is assumed to have the caller's type. */
export function overOneDay<Data>(
  indicator: Indicator,
  batch: TradeBatch,
  input: object,
  stepNs?: number,
) {
  const parsed = parseParams(indicator, input);
  assert.ok('params' in parsed);
  const recorder = new Recorder(indicator.objectsOutliveSession);
  const sessions = tableOf([{ open: epochNs(DAY, 0), close: epochNs(DAY, DAY_NS) }]);
  const start = { at: epochNs(DAY, 0), rank: 0 as Rank };
  const options = stepNs === undefined ? { output: recorder } : { output: recorder, stepNs };
  const run = new StudyRun(indicator.create(parsed.params), sessions, start, options);
  run.apply(batch);
  run.advance(epochNs(DAY, DAY_NS));
  return recorder.messages.map((message) => ({ ...message, data: message.data as Data }));
}
