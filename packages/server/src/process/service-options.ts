/** What a service is started with. */

import type { OfferBook } from '../billing/offer-book.ts';
import type { Config } from '../config/config.ts';
import type { MarketSettings } from '../markets/read-markets.ts';
import type { OperatorPages } from '../pages/operator-pages.ts';
import type { Portal } from '../pages/portal.ts';
import type { Log } from '../platform/log/log.ts';
import type { FillPart } from './ingest/ingest-wire.ts';

export interface ServiceOptions {
  readonly config: Config;
  /** What is traded; left out: what the configuration says. */
  readonly market?: MarketSettings['live'];
  readonly version: string;
  readonly log: Log;
  /** What is sold. */
  readonly offers: OfferBook;
  /** What the operator says of himself; left out: nothing. */
  readonly operatorPages?: OperatorPages;
  /** What is served at `/`; left out: nothing. */
  readonly portal?: Portal;
  /** Lines that were too many for the log. */
  readonly logLinesLeftOut?: () => number;
  /** Shows a link that was mailed to who started the service; left out where that is no terminal. */
  readonly showLink?: (subject: string, to: string, link: string) => void;
  /** Past days are being made, or fetched from other nodes. */
  readonly onFill: (part: FillPart, days: number, daysTotal: number) => void;
}
