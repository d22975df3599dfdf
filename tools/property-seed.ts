/**
 * Loaded before every test file: properties draw their values from one seed, so that the same commit
 * gives the same result wherever it is tested with that seed. `npm test -- --seed 7` explores another
 * corner, `--seed random` draws one and prints it.
 */

import { isMainThread } from 'node:worker_threads';

const text = process.env.PROPERTY_SEED ?? '';
// Threads load what their process loads; none of them draws a value.
if (isMainThread) {
  const { default: fc } = await import('fast-check');
  fc.configureGlobal({ seed: Number(text) });
}
