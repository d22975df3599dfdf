/**
 * The pages of one replay on their way to a client, one at a time: fetched, reserved where it costs
 * something, written. Each charged page is reserved once, under its own number, and then either settled
 * in the step that writes it or given back. No page is fetched before the one before it is written.
 */

import type { Cursor } from '@tapeloom/core/cursor';
import type { EpochNs } from '@tapeloom/core/numbers';
import { dayOf } from '@tapeloom/core/utc-day';
import type { ReplayPage } from '../history/replay.ts';
import type { DeliveryAction, DeliveryReplay } from './delivery-events.ts';

type Actions = readonly DeliveryAction[];

const NOTHING: Actions = [];

export class Backfill {
  readonly #chargedBefore: EpochNs;
  #until: EpochNs;
  /** The page that waits to be written. */
  #page: ReplayPage | null = null;
  /** Whether all up to `until` is written. */
  #isAtEnd = false;
  #pagesReserved = 0;
  #isReserving = false;

  constructor({ chargedBefore, until }: DeliveryReplay) {
    this.#chargedBefore = chargedBefore;
    this.#until = until;
  }

  get isCharged(): boolean {
    return this.#chargedBefore > 0n;
  }

  get hasPage(): boolean {
    return this.#page !== null;
  }

  take(page: ReplayPage): void {
    this.#page = page;
  }

  /** Fetches the next page up to what is visible; null when all of it is written. */
  next(visible: EpochNs): DeliveryAction | null {
    if (visible > this.#until) {
      this.#until = visible;
      this.#isAtEnd = false;
    }
    return this.#isAtEnd ? null : { t: 'next-page', until: this.#until };
  }

  /** Reserves what the page costs; null when it costs nothing. */
  reserve(): DeliveryAction | null {
    const trades = this.#page!.chargedTrades;
    if (trades === 0) return null;
    this.#pagesReserved += 1;
    this.#isReserving = true;
    return { t: 'reserve', page: this.#pagesReserved, trades };
  }

  /** The page is written now, and paid for if it was reserved. */
  write(): readonly [page: ReplayPage, actions: Actions] {
    const page = this.#page!;
    this.#page = null;
    this.#isAtEnd = page.isLast;
    const write: DeliveryAction = { t: 'write-page', page };
    if (!this.#isReserving) return [page, [write]];
    this.#isReserving = false;
    return [page, [{ t: 'settle', page: this.#pagesReserved, trades: page.chargedTrades }, write]];
  }

  /** What was being reserved will not be written: given back if it was taken, or may have been. */
  giveBack(mayBeTaken: boolean): Actions {
    if (!this.#isReserving) return NOTHING;
    this.#isReserving = false;
    return mayBeTaken ? [{ t: 'void', page: this.#pagesReserved }] : NOTHING;
  }

  /** Whether nothing beyond this position is charged, as far as the tape goes. */
  isPaidAt(position: Cursor): boolean {
    return this.#isAtEnd || position.day >= dayOf(this.#chargedBefore);
  }
}
