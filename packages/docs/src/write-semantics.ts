/** `npm run docs`: writes the generated parts of `docs/semantics.md` anew; a test refuses stale ones. */

import { readFileSync, writeFileSync } from 'node:fs';
import { SEMANTICS_PATH, semanticsPage } from './semantics-page.ts';

writeFileSync(SEMANTICS_PATH, semanticsPage(readFileSync(SEMANTICS_PATH, 'utf8')));
console.log(`wrote ${SEMANTICS_PATH}`);
