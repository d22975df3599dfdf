/** Writes the committed files of the contract anew from the code; a test refuses a stale one. */

import { writeFileSync } from 'node:fs';
import { publishedDefinitions } from '@tapeloom/core/studies/catalogue';
import { contractFiles } from './http/contract.ts';

for (const { path, text } of contractFiles(publishedDefinitions())) {
  writeFileSync(path, text);
  console.log(`wrote ${path}`);
}
