/** `GET /v1/openapi.json` and `GET /v1/asyncapi.json`: machine-readable descriptions of the interface. Public. */

import { asyncapiText, openapiText } from '../contract/interface-documents.ts';
import { Type } from '../contract/schema.ts';
import { defineRoute, EncodedJson, PUBLIC_CACHE_CONTROL, type Route } from '../server/route.ts';

/** `routes`: all routes, including these two. `origin`: the public origin of the service. */
export function documentRoutes(
  routes: () => readonly Route[],
  origin: () => string | null = () => null,
): readonly Route[] {
  return [
    documentRoute({
      path: '/v1/openapi.json',
      operationId: 'getOpenapi',
      summary: 'The OpenAPI document of the REST interface.',
      description: 'The response is this document, with the address of this service.',
      text: () => openapiText(routes(), origin()),
    }),
    documentRoute({
      path: '/v1/asyncapi.json',
      operationId: 'getAsyncapi',
      summary: 'The AsyncAPI document of the stream.',
      description:
        'Every message of the client and of the service, the close codes and the limits, with the address ' +
        'of this service.',
      text: () => asyncapiText(origin()),
    }),
  ];
}

function documentRoute({
  text,
  ...definition
}: Pick<Route, 'path' | 'operationId' | 'summary' | 'description'> & {
  readonly text: () => string;
}): Route {
  let encoded: EncodedJson | null = null;
  return defineRoute({
    ...definition,
    method: 'GET',
    access: 'public',
    cacheControl: PUBLIC_CACHE_CONTROL,
    answer: Type.Record(Type.String(), Type.Unknown()),
    handle: () => {
      encoded ??= new EncodedJson(text());
      return encoded;
    },
  });
}
