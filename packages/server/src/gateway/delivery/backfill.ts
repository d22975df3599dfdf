/**
 * The pages of one replay on their way to a client, one at a time: fetched, reserved if charged, written. Each charged
 * page is reserved once, under its own number, and then either settled in the step that writes it or given back. No
 * page is fetched before the one before it is written. A replay may begin as a probe: it must have no output up to its
 * first `until`; otherwise the cursor it began at has expired.
 */

import type { Cursor } from '@tapeloom/core/cursor';
import type { EpochNs } from '@tapeloom/core/numbers';
import { dayOf } from '@tapeloom/core/utc-day';
import type { StreamMode } from '@tapeloom/protocol/client-messages';
import { Block } from '../../blocks/block.ts';
import type { ReplayPage } from '../../runs/replay.ts';
import type { DeliveryAction, DeliveryReplay } from './delivery-events.ts';
import { FullRetries } from './full-retries.ts';

type Actions = readonly DeliveryAction[];

const NOTHING: Actions = [];

export class Backfill {
  readonly #replay: DeliveryReplay;
  #isProbing: boolean;
  #until: EpochNs;
  #page: ReplayPage | null = null;
  /** Whether all up to `until` is written. */
  #isAtEnd = false;
  #pagesReserved = 0;
  #isReserving = false;
  readonly #retries = new FullRetries();
  #isTurnedAway = false;

  constructor(replay: DeliveryReplay, isProbe: boolean) {
    this.#replay = replay;
    this.#isProbing = isProbe;
    this.#until = replay.until;
  }

  get isCharged(): boolean {
    return this.#replay.chargedBefore > 0n;
  }

  get isReserving(): boolean {
    return this.#isReserving;
  }

  get hasPage(): boolean {
    return this.#page !== null;
  }

  /** Opens the replay, for the first time or after it was turned away. */
  open(): Actions {
    this.#isTurnedAway = false;
    return [{ t: 'open-replay', replay: this.#replay }];
  }

  /** The compute threads were at capacity; false when no retry is left. */
  turnAway(): boolean {
    this.#isTurnedAway = this.#retries.take();
    return this.#isTurnedAway;
  }

  get isTurnedAway(): boolean {
    return this.#isTurnedAway;
  }

  /** False when it was a probe, and the page shows that something was missed. */
  take(page: ReplayPage, mode: StreamMode): boolean {
    this.#page = page;
    const tells = (block: Block) => (mode === 'live' ? block.count > 0 : block.lastFinal >= 0);
    return !this.#isProbing || !page.blocks.some((block) => tells(new Block(block)));
  }

  /** Fetches the next page up to `visible`; null when all of it is written. */
  next(visible: EpochNs): DeliveryAction | null {
    if (this.#isAtEnd) this.#isProbing = false;
    if (visible > this.#until && !this.#isProbing) {
      this.#until = visible;
      this.#isAtEnd = false;
    }
    return this.#isAtEnd ? null : { t: 'next-page', until: this.#until };
  }

  /** Reserves the page's cost; null when it is free. */
  reserve(): DeliveryAction | null {
    const trades = this.#page!.chargedTrades;
    if (trades === 0) return null;
    this.#pagesReserved += 1;
    this.#isReserving = true;
    return { t: 'reserve', page: this.#pagesReserved, trades };
  }

  /** Writes the page, and settles it if it was reserved. */
  write(): readonly [page: ReplayPage, actions: Actions] {
    const page = this.#page!;
    this.#page = null;
    this.#isAtEnd = page.isLast;
    const write: DeliveryAction = { t: 'write-page', page };
    if (!this.#isReserving) return [page, [write]];
    this.#isReserving = false;
    return [page, [{ t: 'settle', page: this.#pagesReserved, trades: page.chargedTrades }, write]];
  }

  /** The page being reserved will not be written: gives it back if the reservation was or may have been taken. */
  giveBack(mayBeTaken: boolean): Actions {
    if (!this.#isReserving) return NOTHING;
    this.#isReserving = false;
    return mayBeTaken ? [{ t: 'void', page: this.#pagesReserved }] : NOTHING;
  }

  /** Whether nothing beyond this position is charged, as far as the tape goes. */
  isPaidAt(position: Cursor): boolean {
    return this.#isAtEnd || position.day >= dayOf(this.#replay.chargedBefore);
  }
}
