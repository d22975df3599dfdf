/** `GET /v1/status`: whether the engine is up and each streamed instrument's state. Needs no key. */

import {
  ENGINE_STATES,
  type EngineState,
  INSTRUMENT_STATES,
} from '@tapeloom/protocol/status-states';
import { namedObject, Type } from '../contract/schema.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { datasetStates, type InstrumentFacts, streamedInstruments } from './instrument-view.ts';

const ServiceStatus = namedObject('ServiceStatus', {
  engine: namedObject('EngineStatus', {
    state: Type.Enum(ENGINE_STATES, { title: 'EngineState' }),
  }),
  instruments: Type.Array(
    namedObject('InstrumentStatus', {
      symbol: Type.String(),
      alias: Type.Union([Type.String(), Type.Null()]),
      state: Type.Enum(INSTRUMENT_STATES, { title: 'InstrumentState' }),
    }),
  ),
  datasets: Type.Array(
    namedObject('DatasetStatus', {
      dataset: Type.String(),
      state: Type.Enum(INSTRUMENT_STATES, { title: 'InstrumentState' }),
      instruments: Type.Array(Type.String(), { description: 'The symbols of its contracts.' }),
    }),
    {
      description:
        'The datasets of these instruments, each with a source of its own. A dataset is `open` if any of its ' +
        'instruments is, and `down` if some are down and none is open.',
    },
  ),
  version: Type.String({ description: 'Version of the service.' }),
});

export interface StatusFacts {
  readonly version: string;
  engineState(): EngineState;
  instruments(): InstrumentFacts;
}

export function statusRoute(facts: StatusFacts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/status',
    operationId: 'getStatus',
    summary: 'State of the service.',
    description:
      'Whether the service computes results, and the state of every streamed instrument. Needs no key; ' +
      'a request with a key counts towards its limits.',
    access: 'optional',
    // It may be cached, and must be revalidated at every use.
    cacheControl: 'no-cache',
    answer: ServiceStatus,
    handle: () => {
      const instruments = facts.instruments();
      const streamed = streamedInstruments(instruments);
      return {
        engine: { state: facts.engineState() },
        instruments: streamed,
        datasets: datasetStates(instruments, streamed),
        version: facts.version,
      };
    },
  });
}
