/**
 * The committed files of the contract: where each lies below the root of the house, and what it must
 * say. All of them are functions of the code alone, so a stale one can be told from the right one.
 */

import { fileURLToPath } from 'node:url';
import type { IndicatorDefinition } from '@tapeloom/core/studies/indicator';
import { asyncapiDocument } from './asyncapi.ts';
import { indicatorTypesText } from './indicator-types.ts';
import { catalogueFacts } from './indicators-route.ts';
import { openapiDocument } from './openapi.ts';
import { restRoutes } from './rest-routes.ts';

/** The version of the interface, which the path prefix `/v1` promises never to break. */
const INTERFACE_VERSION = '1';

export interface ContractFile {
  readonly path: string;
  readonly text: string;
}

export function contractFiles(definitions: readonly IndicatorDefinition[]): ContractFile[] {
  return [
    { path: pathOf('contract/openapi.json'), text: openapiText() },
    { path: pathOf('contract/asyncapi.json'), text: asyncapiText() },
    { path: pathOf('contract/catalogue.json'), text: catalogueText(definitions) },
    {
      path: pathOf('packages/protocol/src/indicators.ts'),
      text: indicatorTypesText(definitions),
    },
  ];
}

/** The answer of `GET /v1/indicators`. */
export function catalogueText(definitions: readonly IndicatorDefinition[]): string {
  return `${JSON.stringify(catalogueFacts(definitions), null, 2)}\n`;
}

export function openapiText(): string {
  const routes = restRoutes({
    version: '',
    catalogue: unasked,
    instruments: unasked,
    engineState: unasked,
    store: unasked,
    usageOf: unasked,
    history: unasked,
  });
  return `${JSON.stringify(openapiDocument(routes, INTERFACE_VERSION), null, 2)}\n`;
}

export function asyncapiText(): string {
  return `${JSON.stringify(asyncapiDocument(INTERFACE_VERSION), null, 2)}\n`;
}

function pathOf(name: string): string {
  return fileURLToPath(new URL(`../../../../${name}`, import.meta.url));
}

function unasked(): never {
  throw new Error('a contract is written without a running service');
}
