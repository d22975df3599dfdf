/** `npm run docs`: regenerates the pages that come from code, or their generated parts. A test fails on a stale one. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { indicatorPages } from './indicator-pages.ts';
import { TABLE_PLACES, withTable } from './limits/limit-tables.ts';
import { LIMITS_PATH, limitsPage } from './limits-page.ts';
import { REST_PATH, restPage } from './reference/rest-page.ts';
import { SCHEMAS_PATH, schemasPage } from './reference/schemas-page.ts';
import { STREAM_PATH, streamPage } from './reference/stream-page.ts';
import { SEMANTICS_PATH, semanticsPage } from './semantics-page.ts';

const pages = [
  { path: SEMANTICS_PATH, text: semanticsPage(readFileSync(SEMANTICS_PATH, 'utf8')) },
  { path: LIMITS_PATH, text: limitsPage() },
  ...indicatorPages(),
  { path: REST_PATH, text: restPage() },
  { path: SCHEMAS_PATH, text: schemasPage() },
  { path: STREAM_PATH, text: streamPage() },
];
for (const { path, text } of pages) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  console.log(`wrote ${path}`);
}
for (const place of TABLE_PLACES) {
  writeFileSync(place.path, withTable(readFileSync(place.path, 'utf8'), place));
  console.log(`wrote the table ${place.name} of ${place.path}`);
}
