/**
 * Where a subscription starts. Puts the questions of `start-verdict.ts` in order, with the results so far (the cursor's
 * position, the time waited for it), and plans the replay of what the ring does not have.
 */

import { type Cursor, formatCursor } from '@tapeloom/core/cursor';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { ResetReason } from '@tapeloom/protocol/server-messages';
import { lookAgainMs } from '../../runs/ahead-wait.ts';
import type { CursorPlace } from '../../runs/replay.ts';
import type { DeliveryReplay, DeliveryStart } from './delivery-events.ts';
import { FullRetries } from './full-retries.ts';
import {
  FREE_RESUME_NS,
  judgeDay,
  judgeGap,
  judgePlace,
  judgeTime,
  midnightOf,
  type StartRefusal,
  type StartRights,
  type StreamTimes,
} from './start-verdict.ts';

/** No trade lies before it: a replay charges nothing. */
const NEVER = 0n as EpochNs;

export type StartStep =
  /** Nothing of the past is requested. */
  | { readonly t: 'afresh' }
  | { readonly t: 'locate'; readonly cursor: string }
  | { readonly t: 'wait'; readonly ms: number }
  /** It may start: from this cursor, or at a time (null). */
  | { readonly t: 'attach'; readonly from: Cursor | null }
  | { readonly t: 'reset'; readonly reason: ResetReason }
  | { readonly t: 'refuse'; readonly reply: StartRefusal }
  /** This node cannot judge the start. */
  | { readonly t: 'elsewhere' };

export interface PlannedReplay {
  readonly at: EpochNs;
  /** Whether it first checks that nothing was missed. */
  readonly isProbe: boolean;
  readonly replay: DeliveryReplay;
}

export class StartSearch {
  readonly #contract: string;
  readonly #rights: StartRights;
  #start: DeliveryStart;
  /** Where the cursor lies, once that is known. */
  #place: CursorPlace = { t: 'gone' };
  #waitedMs = 0;
  #retries = new FullRetries();
  /** The last wait was for a free compute thread, not for the cursor. */
  #isTurnedAway = false;

  constructor(start: DeliveryStart, contract: string, rights: StartRights) {
    this.#start = start;
    this.#contract = contract;
    this.#rights = rights;
  }

  /** The cursor that it resumes from; null when it starts otherwise. */
  get cursor(): Cursor | null {
    return this.#start.t === 'cursor' ? this.#start.cursor : null;
  }

  begin(times: StreamTimes): StartStep {
    const start = this.#start;
    if (start.t === 'live') return { t: 'afresh' };
    if (start.t === 'time') {
      const time = judgeTime(start.time, this.#contract, times, this.#rights);
      if (typeof time !== 'bigint') return { t: 'refuse', reply: time };
      this.#start = { t: 'time', time };
      return { t: 'attach', from: null };
    }
    const verdict = judgeDay(start.cursor, this.#contract, times, this.#rights);
    switch (verdict.t) {
      case 'beyond':
        return this.located(start.cursor, { t: 'beyond' }, times);
      case 'locate':
        return { t: 'locate', cursor: formatCursor(start.cursor) };
      default:
        return verdict;
    }
  }

  located(cursor: Cursor, place: CursorPlace, times: StreamTimes): StartStep {
    const verdict = judgePlace(cursor, place, this.#waitedMs, times, this.#rights);
    switch (verdict.t) {
      case 'wait':
        return { t: 'wait', ms: lookAgainMs(this.#waitedMs) };
      case 'elsewhere':
        return { t: 'elsewhere' };
      case 'attach':
        this.#place = place;
        return { t: 'attach', from: cursor };
      default:
        return verdict;
    }
  }

  /** The compute threads were at capacity; false when no retry is left. */
  turnAway(): boolean {
    this.#isTurnedAway = this.#retries.take();
    return this.#isTurnedAway;
  }

  waited(times: StreamTimes): StartStep {
    if (!this.#isTurnedAway) this.#waitedMs += lookAgainMs(this.#waitedMs);
    this.#isTurnedAway = false;
    return this.begin(times);
  }

  /** A subscription that was already being served must be located again, at its current cursor. */
  moveTo(cursor: Cursor): void {
    this.#start = { t: 'cursor', cursor };
    this.#waitedMs = 0;
    this.#retries = new FullRetries();
    this.#isTurnedAway = false;
  }

  /** The time that it starts at, as far as it is known. */
  at({ visible }: StreamTimes): EpochNs {
    return this.#place.t === 'on-tape' ? this.#place.at : visible;
  }

  /** The replay from the requested time; null when none was requested. */
  replayFromTime({ visible, now }: StreamTimes): PlannedReplay | null {
    if (this.#start.t !== 'time') return null;
    const { time } = this.#start;
    const replay = { from: { time }, until: visible, chargedBefore: midnightOf(now) };
    return { at: time, isProbe: false, replay };
  }

  /** The replay behind a located cursor, or why it is impossible. */
  replayBehind(cursor: Cursor, times: StreamTimes): PlannedReplay | ResetReason {
    const place = this.#place;
    const how = judgeGap(cursor, place, times, this.#rights);
    if (how === 'gap') return 'source_gap';
    if (how === 'expired' || place.t !== 'on-tape') return 'cursor_expired';
    const isProbe = how === 'probe';
    const replay: DeliveryReplay = {
      from: { cursor: formatCursor(cursor) },
      until: isProbe ? ((times.visible - FREE_RESUME_NS) as EpochNs) : times.visible,
      chargedBefore: how === 'charged-replay' ? midnightOf(times.now) : NEVER,
    };
    return { at: place.at, isProbe, replay };
  }
}
