/**
 * Writes the digests of the golden day down: `node tests/golden-day/write.ts`. They are what the service gave
 * before it was rebuilt (commit 4286f92). The form in which they are taken was mended since, and taken of that code
 * again (as it was at 4c1a0ad, before its files moved). To write them with any later code is to say that results may
 * differ from then on.
 */

import { writeFile } from 'node:fs/promises';
import { DIGESTS_FILE, goldenDigests } from './golden-day.ts';

const digests = { small: await goldenDigests('small'), all: await goldenDigests('all') };
await writeFile(DIGESTS_FILE, `${JSON.stringify(digests, null, 2)}\n`);
