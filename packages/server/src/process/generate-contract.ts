/**
 * Regenerates the committed contract files from the code; a test rejects outdated ones. If results have changed without
 * a new version, nothing is written.
 */

import { writeFileSync } from 'node:fs';
import { INDICATORS, publishedDefinitions } from '@tapeloom/core/studies/catalogue';
import {
  committedDigests,
  DIGESTS_FILE,
  digestFaults,
  digestsText,
  studyDigests,
} from '../engine/study-digests.ts';
import { contractFiles } from '../http/contract/contract.ts';

const digests = studyDigests(INDICATORS);
const committed = committedDigests();
const faults = committed === null ? [] : digestFaults(committed, digests);
if (faults.length > 0) {
  for (const fault of faults) console.error(fault);
  process.exitCode = 1;
} else {
  const files = contractFiles(publishedDefinitions());
  for (const { path, text } of [...files, { path: DIGESTS_FILE, text: digestsText(digests) }]) {
    writeFileSync(path, text);
    console.log(`wrote ${path}`);
  }
}
