/** The start of the process. Only the version check comes before the rest of the program is loaded. */

import { nodeVersionFault } from './platform/node-version.ts';

const fault = nodeVersionFault(process.version);
if (fault === null) {
  const { runProcess } = await import('./service-process.ts');
  await runProcess();
} else {
  console.error(fault);
  process.exitCode = 1;
}
