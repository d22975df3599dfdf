/** The options with which a service is started. */

import type { OfferBook } from '../billing/offer-book.ts';
import type { Config } from '../config/config.ts';
import type { MarketSetting } from '../markets/market-setting.ts';
import type { OperatorPages } from '../pages/operator-pages.ts';
import type { Portal } from '../pages/portal.ts';
import type { Log } from '../platform/log/log.ts';
import type { FillPart } from './ingest/ingest-wire.ts';

export interface ServiceOptions {
  readonly config: Config;
  /** The live market; omitted: from the configuration. */
  readonly market?: MarketSetting;
  readonly version: string;
  readonly log: Log;
  readonly offers: OfferBook;
  /** The operator's own pages; omitted: none. */
  readonly operatorPages?: OperatorPages;
  /** Served at `/`; omitted: nothing. */
  readonly portal?: Portal;
  /** Log lines that were dropped because there were too many. */
  readonly logLinesLeftOut?: () => number;
  /** Shows a mailed link in the terminal of the person who started the service; omitted without a terminal. */
  readonly showLink?: (subject: string, to: string, link: string) => void;
  /** Progress of past days that are generated, or fetched from other nodes. */
  readonly onFill: (part: FillPart, days: number, daysTotal: number) => void;
}
