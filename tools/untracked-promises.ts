/**
 * Loaded before every test file. Node's test runner follows every promise, to tell to which test an error belongs that
 * nobody caught; tests that await much spend up to three quarters of their time on that. Here it follows none: such an
 * error ends its process at once, which fails the file. `node --test <file>` names the test.
 */

import hooks, { type HookCallbacks } from 'node:async_hooks';
import { isMainThread } from 'node:worker_threads';

// Threads load what their process loads, and the errors of theirs are told to who started them.
if (isMainThread) {
  await loadRunner();
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}

/** The runner takes what makes its hooks when it is loaded. */
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
