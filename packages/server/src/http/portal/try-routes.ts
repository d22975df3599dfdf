/**
 * `/v1/portal/try/…`: reading routes of the interface for a portal session. The reference tries them without a key, and
 * the charts read what they draw there. Each is the route that keys use, with the same query, answer, errors and price;
 * only the authentication differs. Routes that create something, show a secret or download a file are excluded.
 */

import type { Route } from '../server/route.ts';

const TRY_PATH = '/v1/portal/try';

/** By operation id. */
const TRIED: readonly string[] = [
  'listInstruments',
  'listSessions',
  'getUsage',
  'listKeys',
  'getHistory',
  'estimateHistory',
];

export function tryRoutes(routes: readonly Route[]): readonly Route[] {
  return TRIED.map((operationId) => {
    const route = routes.find((one) => one.operationId === operationId);
    if (route?.method !== 'GET') throw new TypeError(`${operationId} is no reading route`);
    return triedAs(route);
  });
}

/** The copy of a route for sessions. */
function triedAs(route: Route): Route {
  const { path, operationId } = route;
  return {
    ...route,
    path: `${TRY_PATH}${path.slice('/v1'.length)}` as Route['path'],
    operationId: `try${operationId[0]!.toUpperCase()}${operationId.slice(1)}`,
    description:
      `As \`GET ${path}\` with a live key without restrictions: the query, the response, the cost and the ` +
      "limits are the same. For the portal's own pages only.",
    access: 'session-as-key',
  };
}
