/**
 * Composes the REST endpoint: accounts, market and history as routes behind a server. These parts may run in threads or
 * in this one, on any clock. The service and the endpoint tests share this code.
 */

import type { SessionTable } from '@tapeloom/core/calendar/session';
import type { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import type { NotedState } from '@tapeloom/core/status/status-history';
import { dayOf } from '@tapeloom/core/utc-day';
import type { EngineState } from '@tapeloom/protocol/status-states';
import { openNow } from '../../accounts/limits/open-now.ts';
import type { OfferBook } from '../../billing/offer-book.ts';
import { KnownDays } from '../../history/known-days.ts';
import type { ServedDays } from '../../history/tape-revision.ts';
import type { ExportFacts } from '../../http/routes/export-answer.ts';
import { type InstrumentFacts, streamedInstruments } from '../../http/routes/instrument-view.ts';
import { type RestFacts, restRoutes } from '../../http/routes/rest-routes.ts';
import {
  createHttpServer,
  type HttpServer,
  type HttpServerOptions,
} from '../../http/server/http-server.ts';
import type { Route } from '../../http/server/route.ts';
import type { Mailer } from '../../mail/mailer.ts';
import { OperatorPages } from '../../pages/operator-pages.ts';
import type { Pages } from '../../pages/pages.ts';
import { PlainPages, type PlainPrice } from '../../pages/plain-pages.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SettledDays } from '../../results/settled-days.ts';
import type { AccountServices } from '../customers/account-services.ts';
import { StatusPast } from '../watch/status-past.ts';

type AccountParts = 'authenticator' | 'authThrottle' | 'allowances' | 'addresses' | 'clock';

export interface RestParts
  extends Pick<
      RestFacts,
      'version' | 'catalogue' | 'offers' | 'operatorPages' | 'billing' | 'payments'
    >,
    Omit<HttpServerOptions, AccountParts | 'meter' | 'routes' | 'portal' | 'pages'> {
  /** Omitted: none. */
  readonly pages?: (plain: PlainPages) => Pages;
  readonly accounts: Pick<HttpServerOptions, AccountParts> &
    Pick<AccountServices, 'store' | 'sessions' | 'meter' | 'leases' | 'charges'>;
  readonly mailer: Mailer;
  /** The public origin. */
  readonly origin: () => string;
  /** The service's time; the accounts may have another clock. */
  readonly serviceClock: Pick<Clock, 'now'>;
  readonly market: RestMarket;
  /** What computes and sends history; known when the endpoints open. */
  readonly past: () => Pick<
    ExportFacts,
    'tokens' | 'tables' | 'digests' | 'pace' | 'awaited' | 'sources' | 'pause'
  >;
  /** The days of each contract on the tape. */
  readonly tapeDays: Pick<SettledDays, 'daysOf' | 'daysVersions'>;
}

export interface RestMarket {
  book(): InstrumentBook;
  isStreamed(symbol: string): boolean;
  servedDays(): ServedDays;
  fullSessions(symbol: string): SessionTable;
  timeZoneOf(symbol: string, date: UtcDay): string;
  lastTradeAt(symbol: string): EpochNs | null;
  /** Changes whenever any of the above changes. */
  revision(): number;
  engineState(): EngineState;
  isSourceUp(instrument: string): boolean;
  isFed(instrument: string): boolean;
  /** How far the tape of an instrument reaches; null while unknown. */
  tapeTime(instrument: string): EpochNs | null;
  tapeDay(instrument: string): UtcDay | null;
  /** A reader waits for the present of an instrument. */
  requestWatermark(instrument: string): void;
  /** Whether other nodes are known to have more of the tape; omitted for a single process. */
  isBehind?(): boolean;
  /** Whether the days that other nodes have are here too; omitted for a single process. */
  daysHere?(contract: string, first: UtcDay, last: UtcDay): Promise<boolean>;
}

export interface RestDoor {
  readonly http: HttpServer;
  readonly routes: readonly Route[];
  noted(): NotedState;
}

export function composeRest(parts: RestParts): RestDoor {
  const { accounts, market, serviceClock, mailer, origin, past, tapeDays, pages, ...rest } = parts;
  const { store, authThrottle, allowances, addresses, sessions, meter } = accounts;
  const days = () => known.get();
  const known = new KnownDays({
    days: tapeDays,
    book: () => market.book(),
    clock: accounts.clock,
  });
  const instruments = (): InstrumentFacts => {
    const now = serviceClock.now();
    const { isStreamed, isSourceUp, isFed, tapeTime, lastTradeAt } = market;
    const { fullSessions, timeZoneOf } = market;
    const tapeDay = (instrument: string) => market.tapeDay(instrument) ?? dayOf(now);
    const book = market.book();
    return {
      ...{ book, now, tapeDay, tapeTime, isSourceUp, isFed },
      ...{ isStreamed, fullSessions, timeZoneOf, lastTradeAt, days },
      // Only grows. It is read after the days are known.
      get revision() {
        return market.revision() + known.revision;
      },
    };
  };
  const noPages = new OperatorPages();
  const status = () => ({
    engine: market.engineState(),
    instruments: streamedInstruments(instruments()),
  });
  const statusPast = new StatusPast(store.status, accounts.clock);
  const plain = new PlainPages({
    status,
    // The page shows the current state even if the history of states is unavailable.
    statusHistory: () => statusPast.history().catch(() => null),
    prices: () => plainPrices(rest.offers()),
    operatorPages: rest.operatorPages ?? (() => noPages),
  });
  const routes = restRoutes({
    ...rest,
    publicOrigin: origin,
    engineState: () => market.engineState(),
    statusHistory: () => statusPast.history(),
    instruments,
    store: () => store,
    usageOf: (...of) => meter.usageOf(...of),
    openNow: (now, accountId) => openNow(accounts.leases, now, accountId),
    history: () => ({
      ...past(),
      book: market.book,
      isStreamed: market.isStreamed,
      servedDays: market.servedDays,
      now: () => serviceClock.now(),
      tapeTime: market.tapeTime,
      requestWatermark: market.requestWatermark,
      ...(market.isBehind !== undefined && { isBehind: market.isBehind }),
      ...(market.daysHere !== undefined && { daysHere: market.daysHere }),
      engineFingerprint: rest.catalogue().engineFingerprint,
      version: rest.version,
      charges: accounts.charges,
      requests: store,
      accountsNow: () => accounts.clock.now(),
    }),
    portal: () => ({ store, authThrottle, allowances, mailer, origin: origin() }),
    addresses,
  });
  const portal = { sessions, store, origin };
  const { authenticator, clock } = accounts;
  const asked = { authenticator, authThrottle, allowances, addresses, meter, clock };
  const shown = pages === undefined ? {} : { pages: pages(plain) };
  const noted = (): NotedState => {
    const { engine, instruments: streamed } = status();
    if (engine !== 'up') return 'engine';
    return streamed.some(({ state }) => state === 'down') ? 'feed' : 'up';
  };
  const http = createHttpServer({ ...rest, ...asked, ...shown, portal, routes });
  return { routes, http, noted };
}

function plainPrices({ prices, offers, currency, taxIncluded }: OfferBook): readonly PlainPrice[] {
  return prices.map(({ offer, amountMinor, interval }) => ({
    name: offers.find(({ id }) => id === offer)?.name ?? offer,
    amountMinor,
    currency,
    interval,
    isTaxIncluded: taxIncluded,
  }));
}
