/** The committed document `contract/openapi.json`: its place, and what it must say. */

import { fileURLToPath } from 'node:url';
import { openapiDocument } from './openapi.ts';
import { restRoutes } from './rest-routes.ts';

/** The version of the interface, which the path prefix `/v1` promises never to break. */
const INTERFACE_VERSION = '1';

export const OPENAPI_PATH = fileURLToPath(
  new URL('../../../../contract/openapi.json', import.meta.url),
);

export function openapiText(): string {
  const routes = restRoutes({
    version: '',
    catalogue: unasked,
    instruments: unasked,
    engineState: unasked,
  });
  return `${JSON.stringify(openapiDocument(routes, INTERFACE_VERSION), null, 2)}\n`;
}

function unasked(): never {
  throw new Error('a contract is written without a running service');
}
