/** `npm run docs` runs this too: writes `docs/client/` anew; a test refuses a stale one. */

import { writeClientReference } from './client-reference.ts';

console.log(`wrote ${await writeClientReference()}`);
