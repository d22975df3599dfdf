/** The simulator as a market. */

import type { Calendar } from '@tapeloom/core/calendar/calendar';
import { calendarNamed } from '@tapeloom/core/calendar/calendars';
import type { UtcDay } from '@tapeloom/core/numbers';
import type { Market, MarketListing } from '../market.ts';
import { createSimUniverse, SIM_DATASET } from './sim-universe.ts';
import type { SimOptions } from './trades/sim-market.ts';

export class SimDataset implements Market {
  readonly dataset = SIM_DATASET;
  readonly #options: SimOptions;

  constructor(options: SimOptions) {
    this.#options = options;
  }

  listing(day: UtcDay): MarketListing {
    return createSimUniverse(this.#options, day);
  }

  calendar(name: string): Calendar {
    return calendarNamed(name);
  }
}
