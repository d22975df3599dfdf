/** The system's limit on open files and sockets of this process. */

import process from 'node:process';

/** Null if the system has no such limit or does not report it (Windows). */
export function openFilesMax(): number | null {
  // Otherwise the report looks up host names, which can take seconds.
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as ReportedLimits;
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : null;
}

/** The used part of a report; without a limit the value is the word `unlimited`. */
interface ReportedLimits {
  readonly userLimits?: { readonly open_files?: { readonly soft: number | string } };
}
