/**
 * Loaded before every test file: properties draw their values from one seed, so that the same commit
 * gives the same result wherever and whenever it is tested. `npm test -- --seed 7` explores another
 * corner, `--seed random` a new one each time; a failure prints its seed.
 */

import fc from 'fast-check';

const text = process.env.PROPERTY_SEED ?? '';
if (text !== 'random') fc.configureGlobal({ seed: Number(text) });
