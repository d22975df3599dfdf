/**
 * Cursors ahead of what a caller sees. One that a stream gave a moment ago may be ahead of what is known
 * here, so each is waited for, up to five seconds in all. What the view does not reach in that time gets
 * one answer after one time, whether the tape has it or not: otherwise the answer, or how soon it comes,
 * would tell a caller with a delay where the tape stands now.
 */

import { parseCursor } from '@tapeloom/core/cursor';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { dayOf } from '@tapeloom/core/utc-day';
import { Refusal } from '../platform/refusal.ts';
import type { ShareLimits } from '../platform/sharing/shares.ts';
import { AHEAD_MS_MAX, lookAgainMs } from '../runs/ahead-wait.ts';
import type { Replays } from '../runs/replay.ts';
import type { HistoryQuery } from './history-query.ts';

/** Requests that wait at the same time, of one account and in all: as many as a client has streams whose
 * first snapshots it joins to history at once. Some are for accounts of which none waits. */
export const AWAITED_LIMITS: ShareLimits = { eachMax: 64, allMax: 1_024, keptForNew: 256 };

export interface AwaitedMoment {
  /** How far this caller sees the tape now. */
  readonly visible: () => EpochNs;
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

type PlaceMoment = Pick<AwaitedMoment, 'visible' | 'contractOn' | 'isBehind' | 'isTapeAhead'>;
type WaitMoment = Pick<AwaitedMoment, 'enterWait' | 'pause' | 'requestWatermark'>;

/** The wait of one request, whatever for: as long as is waited in all, among a limited number of others. */
export class CursorWait implements Disposable {
  readonly #moment: WaitMoment;
  #place: Disposable | null = null;
  #waitedMs = 0;

  constructor(moment: WaitMoment) {
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

/** Resolves when both cursors of a query are part of what can be seen. */
export async function awaitCursors(
  { instrument, contract, cursor, untilCursor }: HistoryQuery,
  replays: Pick<Replays, 'locate'>,
  { visible, contractOn, isBehind, isTapeAhead }: PlaceMoment,
  wait: CursorWait,
): Promise<void> {
  await awaited('/untilCursor', untilCursor);
  await awaited('/cursor', cursor);

  async function awaited(path: string, text: string | null): Promise<void> {
    if (text === null) return;
    const { day } = parseCursor(text)!;
    for (;;) {
      const seenUntil = visible();
      const today = dayOf(seenUntil);
      // Pages go on after a roll with the contract they began with; the cursor of a stream does not.
      if (day <= today && path === '/untilCursor' && contractOn(day) !== contract) {
        const message = `belongs to another contract than the one that "${instrument}" designated at /from`;
        throw Refusal.ofFields([{ path, message }]);
      }
      const place = await replays.locate(contract, text, seenUntil);
      if (place.t !== 'beyond') return;
      // A day that is over gets no more trades.
      const isOver = day < today;
      if (isOver || !(await wait.again())) {
        if (isBehind?.() === true || (!isOver && isTapeAhead())) throw new Refusal({ t: 'behind' });
        throw Refusal.ofFields([
          { path, message: 'is ahead of the newest data that the key can see' },
        ]);
      }
    }
  }
}
