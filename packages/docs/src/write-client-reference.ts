/** `npm run docs` runs this too: regenerates `docs/client/`. A test fails on a stale page. */

import { writeClientReference } from './client-reference.ts';

console.log(`wrote ${await writeClientReference()}`);
