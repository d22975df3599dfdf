/**
 * Loaded before every test file. Node's test runner tracks every promise to attribute uncaught errors to tests, which
 * costs asynchronous tests up to three quarters of their time. This disables the tracking: an uncaught error ends the
 * process at once and fails the file. `node --test <file>` then names the test.
 */

import hooks, { type HookCallbacks } from 'node:async_hooks';
import { isMainThread } from 'node:worker_threads';

// Threads load the preloads of their process; their errors reach the code that started them.
if (isMainThread) {
  await loadRunner();
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}

/** The runner reads `createHook` when it is loaded. */
async function loadRunner(): Promise<void> {
  const { createHook } = hooks;
  hooks.createHook = (callbacks: HookCallbacks) =>
    createHook({ ...callbacks, trackPromises: false });
  await import('node:test');
  hooks.createHook = createHook;
}

function end(error: unknown): never {
  console.error('an error that nobody caught:', error);
  process.exit(1);
}
