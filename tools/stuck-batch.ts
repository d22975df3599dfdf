/**
 * Loaded before every test file: ends a process that is still there long after its tests should be over, and says what keeps it.
 * The runner's own limit is one of tests: it does not see a process that only waits for a thread nobody ended.
 */

import { isMainThread } from 'node:worker_threads';

const ENDS_AFTER_MS = 900_000;

if (isMainThread) {
  // It keeps no process alive that would end by itself.
  setTimeout(() => {
    const kept = process.getActiveResourcesInfo().join(', ');
    console.error(
      `after ${ENDS_AFTER_MS / 60_000} minutes this process has not ended; kept by: ${kept}`,
    );
    process.exit(1);
  }, ENDS_AFTER_MS).unref();
}
