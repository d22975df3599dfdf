/** Writes `contract/openapi.json` anew from the routes; a test refuses a stale one. */

import { writeFileSync } from 'node:fs';
import { OPENAPI_PATH, openapiText } from './http/contract.ts';

writeFileSync(OPENAPI_PATH, openapiText());
console.log(`wrote ${OPENAPI_PATH}`);
