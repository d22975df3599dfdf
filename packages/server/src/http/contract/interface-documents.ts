/** The OpenAPI and AsyncAPI documents as texts. Committed and served ones differ only in the service's origin. */

import type { Route } from '../server/route.ts';
import { asyncapiDocument } from './asyncapi.ts';
import { openapiDocument } from './openapi.ts';

/** The version of the interface; changes below the path prefix `/v1` never break it. */
const INTERFACE_VERSION = '1';

export function openapiText(routes: readonly Route[], origin: string | null = null): string {
  return documentText(openapiDocument(routes, INTERFACE_VERSION, origin));
}

export function asyncapiText(origin: string | null = null): string {
  return documentText(asyncapiDocument(INTERFACE_VERSION, origin));
}

function documentText(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
