/** `GET /v1/instruments`: the streamed instruments, or with `dataset` all contracts of one dataset. */

import { closedObject, namedObject, Type } from '../contract/schema.ts';
import { invalidParameters } from '../server/problems/problem-error.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { type InstrumentFacts, InstrumentView, instrumentsJson } from './instrument-view.ts';

export const DatasetQuery = closedObject({
  dataset: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'All contracts of this dataset, streamed or not.',
    }),
  ),
});

export function instrumentsRoute(facts: () => InstrumentFacts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/instruments',
    operationId: 'listInstruments',
    summary: 'The instruments.',
    description: 'The streamed contracts; with `dataset` every contract of that dataset.',
    access: 'key',
    query: DatasetQuery,
    answer: namedObject('InstrumentList', { instruments: Type.Array(InstrumentView) }),
    handle: ({ query: { dataset }, caller: { entitlements } }) => {
      const market = facts();
      if (dataset !== undefined) requireDataset(market, dataset);
      return instrumentsJson(market, dataset ?? null, entitlements);
    },
  });
}

export function requireDataset({ book }: InstrumentFacts, dataset: string): void {
  const known = new Set(book.all().map((contract) => contract.dataset));
  if (known.has(dataset)) return;
  const message = `must be one of ${[...known].join(', ')}`;
  throw invalidParameters([{ path: '/dataset', message }]);
}
