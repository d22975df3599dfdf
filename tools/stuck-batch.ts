/**
 * Loaded before every test file: ends a process that outlives its tests by far, and reports what keeps it alive. The
 * runner's own limit covers tests only: it misses a process that merely waits for a running thread.
 */

import { isMainThread } from 'node:worker_threads';

const ENDS_AFTER_MS = 900_000;

if (isMainThread) {
  // The timer itself keeps no process alive.
  setTimeout(() => {
    const kept = process.getActiveResourcesInfo().join(', ');
    console.error(
      `after ${ENDS_AFTER_MS / 60_000} minutes this process has not ended; kept by: ${kept}`,
    );
    process.exit(1);
  }, ENDS_AFTER_MS).unref();
}
