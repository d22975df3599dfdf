/** Messages as venues sent them, of `shared/data`. They are not part of the product: without them, tests are skipped. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = '/work/shared/data/feeds';

/** Why tests of recorded messages cannot run here, or false. */
export const recordingsMissing = existsSync(folder) ? false : `${folder} is not there`;

/** The messages of a recording, in order. */
export function recording(name: string): readonly unknown[] {
  const lines = readFileSync(join(folder, `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => (JSON.parse(line) as { data: unknown }).data);
}

/** The same as texts, as the venue sent them. */
export function recorded(name: string): readonly string[] {
  return recording(name).map((message) => JSON.stringify(message));
}
