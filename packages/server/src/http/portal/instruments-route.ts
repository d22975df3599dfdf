/** `GET /v1/portal/instruments`: the instruments for subscriptions, and for restrictions of keys. */

import type { AccountStore } from '../../accounts/store/account-store.ts';
import { namedObject, Type } from '../contract/schema.ts';
import {
  type InstrumentFacts,
  InstrumentView,
  instrumentsJson,
} from '../routes/instrument-view.ts';
import { DatasetQuery, requireDataset } from '../routes/instruments-route.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { sessionEntitlements } from './sessions/session-entitlements.ts';

export function portalInstrumentsRoute(
  facts: () => InstrumentFacts,
  store: () => AccountStore,
): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/portal/instruments',
    operationId: 'listPortalInstruments',
    summary: 'The instruments.',
    description: 'As `GET /v1/instruments`.',
    access: 'session',
    query: DatasetQuery,
    answer: namedObject('InstrumentList', { instruments: Type.Array(InstrumentView) }),
    handle: async ({ query: { dataset }, session, now }) => {
      const market = facts();
      if (dataset !== undefined) requireDataset(market, dataset);
      const entitlements = await sessionEntitlements(store(), session.accountId, now);
      return instrumentsJson(market, dataset ?? null, entitlements);
    },
  });
}
