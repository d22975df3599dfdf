/**
 * Records the digests of the golden day. `node tests/golden-day/write.ts --new` adds the cases of a
 * new indicator and fails if a recorded case has changed. Without `--new` it records all cases
 * again, which declares that results may differ from now on. The digests stand for the service of
 * commit 4286f92 before its rebuild, in the present form (of that code at 4c1a0ad).
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

/** Whether all recorded cases are unchanged. */
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
