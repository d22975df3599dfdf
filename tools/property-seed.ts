/**
 * Loaded before every test file: property tests draw their values from one seed, so a commit gives the same result
 * everywhere. `npm test -- --seed 7` draws other values, `--seed random` draws a seed and prints it.
 */

import { isMainThread } from 'node:worker_threads';

const text = process.env.PROPERTY_SEED ?? '';
// Threads load the preloads of their process, but draw no values.
if (isMainThread) {
  const { default: fc } = await import('fast-check');
  fc.configureGlobal({ seed: Number(text) });
}
