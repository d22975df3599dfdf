/**
 * Writes the digests of the golden day down. `node tests/golden-day/write.ts --new` adds the cases of a new indicator
 * and refuses when a written case has changed. Without `--new` all are written anew, which says that results may differ
 * from then on: they are what the service gave before it was rebuilt (commit 4286f92), taken in today's form
 * (of that code at 4c1a0ad, before its files moved).
 */

import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { DIGESTS_FILE, goldenDigests, type ScaleName, writtenDigests } from './golden-day.ts';
import type { Digests } from './golden-digest.ts';
import { withNewCases } from './new-cases.ts';

const { values } = parseArgs({ options: { new: { type: 'boolean', default: false } } });
const found = { small: await goldenDigests('small'), all: await goldenDigests('all') };
if (!values.new || (await areOnlyAdded(found))) {
  await writeFile(DIGESTS_FILE, `${JSON.stringify(found, null, 2)}\n`);
}

/** Whether all that is written is found as it is. */
async function areOnlyAdded(digests: Readonly<Record<ScaleName, Digests>>): Promise<boolean> {
  const written = await writtenDigests();
  for (const scale of ['small', 'all'] as const) {
    const result = withNewCases(written[scale], digests[scale]);
    if ('changed' in result) {
      console.error(`Nothing is written: cases of ${scale} are others than those written down.`);
      for (const name of result.changed) console.error(`  ${name}`);
      process.exitCode = 1;
      return false;
    }
    console.log(`${result.added.length} new cases of ${scale}`);
  }
  return true;
}
