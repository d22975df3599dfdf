/**
 * The part of the browser test that both sides run: a small tape from a fixed recipe, and every
 * indicator over it, settled and incremental. The page gets the same code in a bundle, so any
 * difference between the two sides comes from the engines that run it.
 */

import { createSessionTable } from '@tapeloom/core/calendar/session-table';
import { type Cursor, formatCursor } from '@tapeloom/core/cursor';
import type { Rank } from '@tapeloom/core/numbers';
import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import { FLUSH_STEP_NS } from '@tapeloom/core/studies/flush-step';
import type { Indicator, Params } from '@tapeloom/core/studies/indicator';
import { parseParams } from '@tapeloom/core/studies/params';
import { StudyRun } from '@tapeloom/core/studies/run';
import type { ObjectVersion } from '@tapeloom/core/studies/study';
import { allocateBatch, type TradeBatch } from '@tapeloom/core/trade-batch';
import { DAY_NS } from '@tapeloom/core/units';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';

const FIRST_DAY = utcDay(20260105);
const DAYS = 3;
const TRADES_PER_DAY = 4_000;

/** The log of each indicator in both modes, as lines of JSON. */
export function computeAll(): Record<string, string[]> {
  const logs: Record<string, string[]> = {};
  for (const indicator of INDICATORS) {
    const parsed = parseParams(indicator, {});
    if (!('params' in parsed)) throw new Error(`${indicator.id} refuses its own defaults`);
    logs[`${indicator.id} settled`] = compute(indicator, parsed.params, null);
    logs[`${indicator.id} incremental`] = compute(indicator, parsed.params, FLUSH_STEP_NS);
  }
  return logs;
}

function compute(indicator: Indicator, params: Params, stepNs: number | null): string[] {
  const log: string[] = [];
  const output = {
    upsert: (version: ObjectVersion, cursor: Cursor) => {
      log.push(JSON.stringify({ t: 'upsert', cursor: formatCursor(cursor), ...version }));
    },
    remove: (id: string, final: boolean, ts: string, cursor: Cursor) => {
      log.push(JSON.stringify({ t: 'remove', cursor: formatCursor(cursor), id, final, ts }));
    },
    openSession: () => {},
    flushed: () => {},
  };
  const days = Array.from({ length: DAYS }, (_, index) => addDays(FIRST_DAY, index));
  const sessions = days.map((date) => ({
    date,
    open: epochNs(date, 0),
    close: epochNs(date, DAY_NS),
  }));
  const run = new StudyRun(
    indicator.create(params),
    createSessionTable(sessions),
    { at: epochNs(FIRST_DAY, 0), rank: 0 as Rank },
    stepNs === null ? { output } : { output, stepNs },
  );
  for (const day of days) run.apply(tradesOf(day));
  run.advance(epochNs(addDays(FIRST_DAY, DAYS), 0));
  return log;
}

/** A random walk of prices in bursts, from a generator whose products are exact in doubles. */
function tradesOf(day: typeof FIRST_DAY): TradeBatch {
  const batch = allocateBatch(day, 1 as Rank, TRADES_PER_DAY);
  let state = day % 2_147_483_647;
  const next = (count: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % count;
  };
  let ns = 0;
  let price = 22_000;
  for (let row = 0; row < TRADES_PER_DAY; row += 1) {
    if (next(3) > 0) ns += next(40_000) * 1_000_000 + next(1_000_000);
    price += next(5) - 2;
    batch.ts[row] = Math.min(ns, DAY_NS - 1);
    batch.price[row] = price;
    batch.size[row] = 1 + next(next(20) === 0 ? 400 : 12);
    batch.side[row] = next(30) === 0 ? 0 : next(2) * 2 - 1;
  }
  batch.count = TRADES_PER_DAY;
  return batch;
}
