/** Reads the files that settings name: offers, operator's pages, another portal. All faults are reported at once. */

import { requireProviders } from '../../billing/configured-providers.ts';
import { loadOffers } from '../../billing/load-offers.ts';
import type { OfferBook } from '../../billing/offer-book.ts';
import { type Config, ConfigError } from '../../config/config.ts';
import { OperatorPages } from '../../pages/operator-pages.ts';
import { requirePortal } from '../../pages/portal-place.ts';

export interface NamedFiles {
  readonly offers: OfferBook;
  readonly operatorPages: OperatorPages;
}

/** Throws a `ConfigError`. */
export function readNamedFiles(config: Config, readFile: (path: string) => string): NamedFiles {
  const faults: string[] = [];
  const attempt = <T>(read: () => T): T | null => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      faults.push(...error.faults);
      return null;
    }
  };
  const offers = attempt(() => loadOffers(config.offersFile, readFile));
  if (offers !== null) attempt(() => requireProviders(offers, config));
  attempt(() => requirePortal(config, readFile));
  const operatorPages = attempt(() => OperatorPages.load(config.pages, readFile));
  if (offers === null || operatorPages === null || faults.length > 0) throw new ConfigError(faults);
  return { offers, operatorPages };
}
