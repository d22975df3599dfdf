/** Every route of the REST interface. `contract/openapi.json` is made from this list. */

import { type CatalogueFacts, indicatorsRoute } from './indicators-route.ts';
import type { InstrumentFacts } from './instrument-view.ts';
import { instrumentsRoute } from './instruments-route.ts';
import type { Route } from './route.ts';
import { type StatusFacts, statusRoute } from './status-route.ts';

/** What the routes know of the running service. */
export interface RestFacts extends StatusFacts {
  catalogue(): CatalogueFacts;
  instruments(): InstrumentFacts;
}

export function restRoutes(facts: RestFacts): readonly Route[] {
  return [
    indicatorsRoute(() => facts.catalogue()),
    instrumentsRoute(() => facts.instruments()),
    statusRoute(facts),
  ];
}
