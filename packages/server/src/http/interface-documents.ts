/** The OpenAPI and AsyncAPI documents as texts, committed and served alike. */

import { asyncapiDocument } from './asyncapi.ts';
import { openapiDocument } from './openapi.ts';
import type { Route } from './route.ts';

/** The version of the interface, which the path prefix `/v1` promises never to break. */
const INTERFACE_VERSION = '1';

export function openapiText(routes: readonly Route[]): string {
  return documentText(openapiDocument(routes, INTERFACE_VERSION));
}

export function asyncapiText(): string {
  return documentText(asyncapiDocument(INTERFACE_VERSION));
}

function documentText(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
