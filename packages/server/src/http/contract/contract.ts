/** The committed contract files: paths and required texts, from the code alone, so a stale file is detected. */

import { fileURLToPath } from 'node:url';
import type { IndicatorDefinition } from '@tapeloom/core/studies/indicator';
import { indicatorTypesText } from '@tapeloom/protocol/indicator-types';
import { catalogueFacts } from '../routes/indicators-route.ts';
import { restRoutes } from '../routes/rest-routes.ts';
import type { Route } from '../server/route.ts';
import { asyncapiText, openapiText } from './interface-documents.ts';

export interface ContractFile {
  readonly path: string;
  readonly text: string;
}

export function contractFiles(definitions: readonly IndicatorDefinition[]): ContractFile[] {
  return [
    { path: pathOf('contract/openapi.json'), text: openapiText(contractRoutes()) },
    { path: pathOf('contract/asyncapi.json'), text: asyncapiText() },
    { path: pathOf('contract/catalogue.json'), text: catalogueText(definitions) },
    {
      path: pathOf('packages/protocol/src/indicators.ts'),
      text: indicatorTypesText(catalogueFacts(definitions), 'npm run interface'),
    },
  ];
}

/** The answer of `GET /v1/indicators`. */
export function catalogueText(definitions: readonly IndicatorDefinition[]): string {
  return `${JSON.stringify(catalogueFacts(definitions), null, 2)}\n`;
}

/** Every route, with no service behind it. */
export function contractRoutes(): readonly Route[] {
  return restRoutes({
    version: '',
    catalogue: unasked,
    instruments: unasked,
    engineState: unasked,
    statusHistory: unasked,
    store: unasked,
    usageOf: unasked,
    openNow: unasked,
    history: unasked,
    portal: unasked,
    billing: unasked,
    payments: unasked,
    offers: unasked,
  });
}

function pathOf(name: string): string {
  return fileURLToPath(new URL(`../../../../../${name}`, import.meta.url));
}

function unasked(): never {
  throw new Error('a contract is written without a running service');
}
