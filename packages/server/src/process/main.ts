/** Entry point of the process. The version check runs before the rest of the program is loaded. */

import { BY_NPM } from '../config/called-as.ts';
import { boundHeaps } from '../platform/memory/bound-heaps.ts';
import { nodeVersionFault } from '../platform/node-version.ts';

const fault = nodeVersionFault(process.version);
if (fault === null) {
  boundHeaps();
  const { runProcess } = await import('../serve.ts');
  process.exitCode = await runProcess(process.argv.slice(2), BY_NPM);
} else {
  console.error(fault);
  process.exitCode = 1;
}
