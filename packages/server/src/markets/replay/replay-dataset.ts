/** A replay of a past time: one contract, and its trades. */

import type { Calendar } from '@tapeloom/core/calendar/calendar';
import type { Contract } from '@tapeloom/core/instrument/contract';
import { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import type { Market, MarketListing, PlayedTime } from '../market.ts';

/** The contract's trades before `from` on that day come to the tape at once. */
export interface ReplayOptions extends PlayedTime {
  readonly contract: Contract;
  readonly calendar: Calendar;
  /** The directory of its days from that of `from` on, laid out as `<tape>/<dataset>/days`. */
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
