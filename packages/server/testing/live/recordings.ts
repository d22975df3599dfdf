/** The recorded messages of `shared/data`. They are not part of the product: without them, tests are skipped. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = '/work/shared/data/feeds';

/** Why tests of recordings cannot run here, or false. */
export const recordingsMissing = existsSync(folder) ? false : `${folder} is not there`;

/** The messages as the venue sent them, in their order. */
export function recording(name: string): readonly unknown[] {
  return readFileSync(join(folder, `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { readonly data: unknown }).data);
}
