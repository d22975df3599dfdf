/** Prepares a replay in a directory of its own: earlier days are sealed on its tape, the others are its script. */

import type { SessionBook } from '@tapeloom/core/calendar/session-book';
import type { EpochNs } from '@tapeloom/core/numbers';
import { firstRowAt, sliceBatch, type TradeBatch } from '@tapeloom/core/trade-batch';
import { SECOND_NS_BIG } from '@tapeloom/core/units';
import { dayOf, epochNs } from '@tapeloom/core/utc-day';
import type { Disk } from '../../platform/disk/disk.ts';
import { sealDay } from '../../tape/write/seal/seal.ts';
import { SessionStore } from '../../tape/write/session-store.ts';
import type { ReplayOptions } from './replay-dataset.ts';

export type ReplayPlan = Omit<ReplayOptions, 'script' | 'isHeld'>;

/** A clock at midnight would leave the day unopened, so at least this much of the day has passed. */
const PASSED_NS_MIN = SECOND_NS_BIG;

/** Whole days, ascending, up to that of the end; trades after the end are left out. */
export async function writeReplay(
  disk: Disk,
  data: string,
  plan: ReplayPlan,
  days: AsyncIterable<TradeBatch> | Iterable<TradeBatch>,
): Promise<Omit<ReplayOptions, 'isHeld'>> {
  const { symbol, dataset } = plan.contract;
  const script = `${data}/script`;
  for await (const batch of days) {
    const root = batch.day < dayOf(plan.from) ? `${data}/tape` : script;
    await sealDay(disk, root, { dataset, symbol, batch: before(batch, plan.end) });
  }
  const earliest = (epochNs(dayOf(plan.from), 0) + PASSED_NS_MIN) as EpochNs;
  return { ...plan, from: plan.from > earliest ? plan.from : earliest, script };
}

/** Stores sessions that are already resolved, so that they hold for the replay as well. */
export async function keepSessions(
  disk: Disk,
  data: string,
  { contract: { dataset } }: ReplayPlan,
  book: SessionBook,
): Promise<void> {
  await new SessionStore(disk, `${data}/tape`, dataset).save(book);
}

function before(batch: TradeBatch, end: EpochNs): TradeBatch {
  const { day, ts, count } = batch;
  return sliceBatch(batch, 0, firstRowAt(ts, 0, count, Number(end - epochNs(day, 0))));
}
