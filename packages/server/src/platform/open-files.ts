/** How many files and sockets the system lets this process have open at once. */

import process from 'node:process';

/** Null where the system has no such limit, or does not tell: Windows. */
export function openFilesMax(): number | null {
  // Names of the network's hosts would be looked up, which can take seconds.
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as ReportedLimits;
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : null;
}

/** What is read of a report; a limit that is none is the word `unlimited`. */
interface ReportedLimits {
  readonly userLimits?: { readonly open_files?: { readonly soft: number | string } };
}
