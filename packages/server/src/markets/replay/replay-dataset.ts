/** A time that is over, played once more: one contract, and what it traded then. */

import type { Calendar } from '@tapeloom/core/calendar/calendar';
import type { Contract } from '@tapeloom/core/instrument/contract';
import { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import type { Market, MarketListing, PlayedTime } from '../market.ts';

/** What the contract traded before `from` on that day comes to the tape at once. */
export interface ReplayOptions extends PlayedTime {
  readonly contract: Contract;
  readonly calendar: Calendar;
  /** Where its days are from that of `from` on, as `<tape>/<dataset>/days` has them. */
  readonly script: string;
}

export class ReplayDataset implements Market {
  readonly dataset: string;
  readonly played: PlayedTime;
  readonly #listing: MarketListing;
  readonly #calendar: Calendar;

  constructor({ contract, calendar, from, end, isHeld }: ReplayOptions) {
    const contracts = [contract];
    this.dataset = contract.dataset;
    this.played = { from, end, isHeld };
    this.#calendar = calendar;
    this.#listing = {
      book: new InstrumentBook(contracts, []),
      contracts,
      streamedOn: () => contracts,
    };
  }

  listing(): MarketListing {
    return this.#listing;
  }

  calendar(name: string): Calendar {
    if (name !== this.#calendar.name) throw new RangeError(`no calendar is named ${name}`);
    return this.#calendar;
  }
}
