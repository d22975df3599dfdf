/**
 * Loaded before every test file: properties draw their values from one seed, so that the same commit
 * gives the same result wherever and whenever it is tested. `npm test -- --seed 7` explores another
 * corner, `--seed random` a new one each time; a failure prints its seed.
 */

import { isMainThread } from 'node:worker_threads';

const text = process.env.PROPERTY_SEED ?? '';
// Threads load what their process loads; none of them draws a value.
if (isMainThread && text !== 'random') {
  const { default: fc } = await import('fast-check');
  fc.configureGlobal({ seed: Number(text) });
}
