/**
 * Waits for what the caller cannot see yet: a cursor that a stream sent a moment ago may be ahead of the tape here. A
 * cursor that does not become visible within five seconds gets the same error after the same time, whether the tape has
 * it or not. Otherwise the error or its timing would reveal to a delayed caller where the tape stands.
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

/** Waiting requests of one account and in all. `eachMax`: a client may join the first snapshots of all its streams to
 * history at once. Some slots are kept for accounts without a waiting request. */
export const AWAITED_LIMITS: ShareLimits = { eachMax: 64, allMax: 1_024, keptForNew: 256 };

/** The pause between two checks for a watermark. */
const WATERMARK_LOOK_MS = 20;

export interface CoverSources {
  readonly days: Pick<SettledDays, 'cover'>;
}

export interface AwaitedMoment {
  /** The instant up to which this caller sees the tape now. */
  readonly visible: () => EpochNs;
  /** The same when the request arrived, by the clock or the tape, whichever is later. */
  readonly arrived: EpochNs;
  /** The contract that the requested name designated on a day; null if none. */
  readonly contractOn: (day: UtcDay) => string | null;
  /** A slot among the waiting requests, to be disposed of; null if none is free. */
  readonly enterWait: () => Disposable | null;
  readonly pause: (ms: number) => Promise<unknown>;
  /** Requests the newest watermark from the source at once. */
  readonly requestWatermark: () => void;
  /** Whether another node has more of the tape; left out on a single node. */
  readonly isBehind?: () => boolean;
  /** Whether the tape is ahead of the local clock: streams may have sent cursors that are not visible here yet. */
  readonly isTapeAhead: () => boolean;
}

/**
 * The cover of a query once the caller can see its cursors and, for `untilCursor`, the end of its flush. One more call
 * follows every wait, because the tape has grown.
 */
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
    // The flush of the cursor may still be open here, or its time events may be missing.
    isLate = !(await sees(moment.arrived, moment, wait));
    // Another node may have sent the cursor for data that is not here or not visible yet.
    if (isLate && moment.isBehind !== undefined) throw new Refusal({ t: 'behind' });
  }
}

/** After a roll, pages continue with their first contract; a stream's cursor belongs to the new one. */
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

/** Resolves when it is time to look for the cursor again; rejects if there is no time left. */
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

/** A further page ends where the first one did, even if a node that is ahead sent the first one. */
async function withEnd(
  { endAhead, ...query }: HistoryQuery,
  moment: AwaitedMoment,
  wait: Wait,
): Promise<HistoryQuery> {
  // On a single node no page has an end that is not visible.
  if (endAhead === undefined || moment.isBehind === undefined) return query;
  if (await sees(endAhead, moment, wait)) return { ...query, to: endAhead, hasEnd: true };
  if (moment.isBehind()) throw new Refusal({ t: 'behind' });
  return query;
}

/** Requests a watermark, which arrives within some hundredths of a second. Each check is cheap. */
async function sees(instant: EpochNs, { visible }: AwaitedMoment, wait: Wait): Promise<boolean> {
  while (visible() < instant) {
    if (!(await wait.again(WATERMARK_LOOK_MS))) return false;
  }
  return true;
}

/** The waits of one request, bounded together; the number of waiting requests is limited. */
class Wait implements Disposable {
  readonly #moment: AwaitedMoment;
  #place: Disposable | null = null;
  #waitedMs = 0;

  constructor(moment: AwaitedMoment) {
    this.#moment = moment;
  }

  /** Resolves when it is time to look again; false if there is no time left. */
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
