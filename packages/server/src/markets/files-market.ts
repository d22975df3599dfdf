/** An imported dataset as a market, with its rolls by volume so far. Expired contracts with days stay streamable. */

import type { Calendar } from '@tapeloom/core/calendar/calendar';
import { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import { epochNs } from '@tapeloom/core/utc-day';
import type { ImportedDays } from '../tape/imported/imported-manifest.ts';
import {
  aliasesOf,
  contractsOf,
  type DecidedByAlias,
  type ListedDataset,
} from './instruments/instruments-file.ts';
import type { Market, MarketListing } from './market.ts';

export class FilesMarket implements Market {
  readonly #listed: ListedDataset;
  readonly #listing: MarketListing;

  constructor(listed: ListedDataset, decided: DecidedByAlias, days: ImportedDays) {
    this.#listed = listed;
    const contracts = contractsOf(listed);
    this.#listing = {
      contracts,
      book: new InstrumentBook(contracts, aliasesOf(listed, decided)),
      streamedOn: (day) =>
        contracts.filter(
          ({ symbol, expiresAt }) =>
            expiresAt > epochNs(day, 0) || (days.get(symbol)?.size ?? 0) > 0,
        ),
    };
  }

  get dataset(): string {
    return this.#listed.name;
  }

  /** The same on every day: the listing changes only with its file. */
  listing(): MarketListing {
    return this.#listing;
  }

  calendar(name: string): Calendar {
    const calendar = this.#listed.calendars.find((one) => one.name === name);
    if (calendar === undefined) throw new RangeError(`${this.dataset} has no calendar ${name}`);
    return calendar;
  }
}
