/**
 * The wait for what a caller may not see yet: a cursor that a stream gave a moment ago may be ahead of what is known here.
 * What the view does not reach in five seconds gets one answer after one time, whether the tape has it or not; otherwise
 * the answer, or how soon it comes, would reveal to a caller with a delay where the tape stands now.
 */

import { parseCursor } from '@tapeloom/core/cursor';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { dayOf } from '@tapeloom/core/utc-day';
import { Refusal } from '../platform/refusal.ts';
import type { ShareLimits } from '../platform/sharing/shares.ts';
import type { SettledDays } from '../results/settled-days.ts';
import { AHEAD_MS_MAX, lookAgainMs } from '../runs/ahead-wait.ts';
import type { Cover } from '../runs/cover.ts';
import type { HistoryQuery } from './history-query.ts';

/** Requests that wait at the same time, of one account and in all: as many as a client has streams whose
 * first snapshots it joins to history at once. Some are for accounts of which none waits. */
export const AWAITED_LIMITS: ShareLimits = { eachMax: 64, allMax: 1_024, keptForNew: 256 };

/** Between two looks whether a watermark has come. */
const WATERMARK_LOOK_MS = 20;

export interface CoverSources {
  readonly days: Pick<SettledDays, 'cover'>;
}

export interface AwaitedMoment {
  /** How far this caller sees the tape now. */
  readonly visible: () => EpochNs;
  /** How far he would have seen it when the request arrived, by the clock or by the tape. */
  readonly arrived: EpochNs;
  /** What the name that was asked for meant on a day; null: nothing. */
  readonly contractOn: (day: UtcDay) => string | null;
  /** A place among those that wait, to be given back; null when there is none. */
  readonly enterWait: () => Disposable | null;
  readonly pause: (ms: number) => Promise<unknown>;
  /** Asks the source how far the tape is now, instead of waiting until it says so by itself. */
  readonly requestWatermark: () => void;
  /** Whether others are known to have more of the tape than there is here; left out where nobody else has it. */
  readonly isBehind?: () => boolean;
  /** Whether the tape lies ahead of the clock here: streams may have sent cursors that history does not show yet. */
  readonly isTapeAhead: () => boolean;
}

/** What the tape has of a query, once its cursors, and where one ends it also the flush of that, can be seen. */
export async function awaitedCover(
  asked: HistoryQuery,
  { days }: CoverSources,
  moment: AwaitedMoment,
): Promise<{ readonly query: HistoryQuery; readonly cover: Exclude<Cover, { t: 'ahead' }> }> {
  using wait = new Wait(moment);
  const query = await withEnd(asked, moment, wait);
  let isLate = false;
  for (;;) {
    const visible = moment.visible();
    refuseOtherContract(query, visible, moment);
    const cover = await days.cover(query, visible);
    if (cover.t === 'ahead') {
      await awaitCursor(cover.cursor, query, visible, moment, wait);
      continue;
    }
    const { isEndFixed, isGone } = cover.end;
    const isSettled = query.untilCursor === null || isGone || isEndFixed;
    if (isSettled || isLate || visible >= moment.arrived) return { query, cover };
    // The flush that the cursor was given in may not be over here, or time events that it stands for may not have come.
    isLate = !(await sees(moment.arrived, moment, wait));
    // Another node may have given it for what has not come here, or has and is not seen yet.
    if (isLate && moment.isBehind !== undefined) throw new Refusal({ t: 'behind' });
  }
}

/** Pages go on after a roll with the contract they began with; the cursor of a stream does not. */
function refuseOtherContract(
  { instrument, contract, untilCursor }: HistoryQuery,
  visible: EpochNs,
  { contractOn }: AwaitedMoment,
): void {
  const day = untilCursor === null ? null : parseCursor(untilCursor)!.day;
  if (day === null || day > dayOf(visible) || contractOn(day) === contract) return;
  const message = `belongs to another contract than the one that "${instrument}" designated at /from`;
  throw Refusal.ofFields([{ path: '/untilCursor', message }]);
}

/** Resolves when it is time to look for a cursor again. */
async function awaitCursor(
  field: 'cursor' | 'untilCursor',
  query: HistoryQuery,
  visible: EpochNs,
  { isBehind, isTapeAhead }: AwaitedMoment,
  wait: Wait,
): Promise<void> {
  // A day that is over gets no more trades.
  const isOver = parseCursor(query[field]!)!.day < dayOf(visible);
  if (!isOver && (await wait.again())) return;
  if (isBehind?.() === true || (!isOver && isTapeAhead())) throw new Refusal({ t: 'behind' });
  const message = 'is ahead of the newest data that the key can see';
  throw Refusal.ofFields([{ path: `/${field}`, message }]);
}

/** A further page ends where the first one did, also where that was told by a node that is ahead. */
async function withEnd(
  { endAhead, ...query }: HistoryQuery,
  moment: AwaitedMoment,
  wait: Wait,
): Promise<HistoryQuery> {
  // Where nobody else has the tape, no page was told an end that is not seen.
  if (endAhead === undefined || moment.isBehind === undefined) return query;
  if (await sees(endAhead, moment, wait)) return { ...query, to: endAhead, hasEnd: true };
  if (moment.isBehind()) throw new Refusal({ t: 'behind' });
  return query;
}

/** The watermark of now is requested and comes within some hundredths of a second; looking for it costs nothing. */
async function sees(instant: EpochNs, { visible }: AwaitedMoment, wait: Wait): Promise<boolean> {
  while (visible() < instant) {
    if (!(await wait.again(WATERMARK_LOOK_MS))) return false;
  }
  return true;
}

/** The wait of one request, whatever for: as long as is waited in all, among a limited number of others. */
class Wait implements Disposable {
  readonly #moment: AwaitedMoment;
  #place: Disposable | null = null;
  #waitedMs = 0;

  constructor(moment: AwaitedMoment) {
    this.#moment = moment;
  }

  /** Resolves when it is time for another look, at once to false when there is no time left. */
  async again(msMax = AHEAD_MS_MAX): Promise<boolean> {
    const ms = Math.min(lookAgainMs(this.#waitedMs), msMax);
    if (ms === 0) return false;
    this.#place ??= this.#moment.enterWait();
    if (this.#place === null) throw new Refusal({ t: 'full', what: 'cursors' });
    this.#moment.requestWatermark();
    await this.#moment.pause(ms);
    this.#waitedMs += ms;
    return true;
  }

  [Symbol.dispose](): void {
    this.#place?.[Symbol.dispose]();
  }
}
