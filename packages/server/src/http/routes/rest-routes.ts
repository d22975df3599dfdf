/** Every route of the REST interface. `contract/openapi.json` is made from this list. */

import type { StatusHistory } from '@tapeloom/core/status/status-history';
import type { AddressThrottle } from '../../accounts/auth/address-throttle.ts';
import type { AccountStore } from '../../accounts/store/account-store.ts';
import type { Billing } from '../../billing/billing.ts';
import type { OfferBook } from '../../billing/offer-book.ts';
import type { Payments } from '../../billing/payments.ts';
import { didYouMean } from '../../config/nearest-name.ts';
import { OperatorPages } from '../../pages/operator-pages.ts';
import { portalInstrumentsRoute } from '../portal/instruments-route.ts';
import { portalKeysRoutes } from '../portal/keys-routes.ts';
import { operatorPagesRoute } from '../portal/operator-pages-route.ts';
import { checkoutRoute } from '../portal/orders/checkout-routes.ts';
import { ordersRoutes } from '../portal/orders/orders-routes.ts';
import { receiptsRoutes } from '../portal/orders/receipts-routes.ts';
import { withdrawalRoutes } from '../portal/orders/withdrawal-routes.ts';
import type { PortalFacts } from '../portal/portal-facts.ts';
import { portalRoutes } from '../portal/portal-routes.ts';
import { portalStreamTokensRoute } from '../portal/sessions/stream-tokens-route.ts';
import { tryRoutes } from '../portal/try-routes.ts';
import { type PortalUsageFacts, portalUsageRoute } from '../portal/usage-route.ts';
import type { Route } from '../server/route.ts';
import { documentRoutes } from './document-routes.ts';
import { estimateRoute } from './estimate-route.ts';
import type { ExportFacts } from './export-answer.ts';
import { exportRoute } from './export-route.ts';
import { historyRoute } from './history-route.ts';
import { type CatalogueFacts, indicatorsRoute } from './indicators-route.ts';
import type { InstrumentFacts } from './instrument-view.ts';
import { instrumentsRoute } from './instruments-route.ts';
import { keysRoutes } from './keys-routes.ts';
import { offersRoute } from './offers-route.ts';
import { pricingRoute } from './pricing-route.ts';
import { sessionsRoute } from './sessions-route.ts';
import { statusHistoryRoute } from './status-history-route.ts';
import { type StatusFacts, statusRoute } from './status-route.ts';
import { streamTokensRoute } from './stream-tokens-route.ts';
import { type UsageOf, usageRoute } from './usage-route.ts';
import { webhookRoute } from './webhook-route.ts';

/** The state of the running service that routes read. */
export interface RestFacts extends StatusFacts {
  catalogue(): CatalogueFacts;
  statusHistory(): Promise<StatusHistory>;
  instruments(): InstrumentFacts;
  store(): AccountStore;
  readonly usageOf: UsageOf;
  readonly openNow: PortalUsageFacts['openNow'];
  history(): ExportFacts;
  portal(): PortalFacts;
  /** The public origin, for the documents; absent in the committed ones. */
  readonly publicOrigin?: () => string;
  offers(): OfferBook;
  /** Absent: the operator has no pages. */
  readonly operatorPages?: () => OperatorPages;
  billing(): Billing;
  payments(): Payments;
  /** Limits of addresses; absent: none. */
  readonly addresses?: AddressThrottle;
}

export function restRoutes(facts: RestFacts): readonly Route[] {
  const store = () => facts.store();
  const instrumentFault = (name: string) => unlisted(facts.instruments(), name);
  const ofKeys: readonly Route[] = [
    indicatorsRoute(() => facts.catalogue()),
    instrumentsRoute(() => facts.instruments()),
    sessionsRoute(() => facts.instruments()),
    offersRoute(),
    pricingRoute(() => facts.offers()),
    statusRoute(facts),
    statusHistoryRoute(() => facts.statusHistory()),
    usageRoute((...of) => facts.usageOf(...of)),
    ...keysRoutes({ store, instrumentFault }),
    streamTokensRoute(store),
    historyRoute(() => facts.history()),
    estimateRoute(() => facts.history()),
    exportRoute(() => facts.history()),
  ];
  const routes: readonly Route[] = [
    ...ofKeys,
    ...tryRoutes(ofKeys),
    ...portalRoutes(() => facts.portal()),
    ...portalKeysRoutes({ store, instrumentFault, portal: () => facts.portal() }),
    portalStreamTokensRoute(store),
    portalUsageRoute(facts),
    portalInstrumentsRoute(() => facts.instruments(), store),
    operatorPagesRoute(facts.operatorPages ?? (() => new OperatorPages())),
    checkoutRoute(
      () => facts.billing(),
      () => facts.portal(),
    ),
    ...ordersRoutes(() => facts.billing()),
    ...receiptsRoutes(() => facts.billing()),
    ...withdrawalRoutes(() => facts.billing()),
    webhookRoute({ payments: () => facts.payments(), addresses: facts.addresses }),
    ...documentRoutes(() => routes, facts.publicOrigin),
  ];
  return routes;
}

function unlisted({ book }: InstrumentFacts, name: string): string | null {
  if (book.contract(name) !== null || book.alias(name) !== null) return null;
  const aliases = book.allAliases().map(({ alias }) => alias);
  const symbols = book.all().map(({ symbol }) => symbol);
  return `is not a symbol or alias.${didYouMean(name, [...aliases, ...symbols])}`;
}
