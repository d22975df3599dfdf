/** `npm run docs`: writes the pages that are made of the code anew, or their generated parts; a test refuses stale ones. */

import { readFileSync, writeFileSync } from 'node:fs';
import { LIMITS_PATH, limitsPage } from './limits-page.ts';
import { SEMANTICS_PATH, semanticsPage } from './semantics-page.ts';

const pages = [
  { path: SEMANTICS_PATH, text: semanticsPage(readFileSync(SEMANTICS_PATH, 'utf8')) },
  { path: LIMITS_PATH, text: limitsPage() },
];
for (const { path, text } of pages) {
  writeFileSync(path, text);
  console.log(`wrote ${path}`);
}
