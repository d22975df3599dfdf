/** The offers: from the operator's file, or built in. A faulty file stops the start. */

import { ConfigError } from '../config/config.ts';
import type { OfferBook } from './offer-book.ts';
import { offerBook } from './offers.ts';
import { DEFAULT_PRICING } from './offers-default.ts';
import { readPricing } from './offers-file.ts';

const VARIABLE = 'TAPELOOM_OFFERS';

export function loadOffers(path: string | null, readFile: (path: string) => string): OfferBook {
  if (path === null) return offerBook(DEFAULT_PRICING);
  let content: string;
  try {
    content = readFile(path);
  } catch (error) {
    throw new ConfigError([`${VARIABLE}: cannot read ${path}: ${(error as Error).message}`]);
  }
  const reading = readPricing(content);
  if ('pricing' in reading) return offerBook(reading.pricing);
  throw new ConfigError(reading.faults.map((fault) => `${VARIABLE}: ${path}: ${fault}`));
}
