/**
 * `npm run release -- [version] [--dry-run]`: checks that a release is possible, builds, packs and tries the packages,
 * then writes the version, commits and tags. Without a version, it releases that of package.json.
 */

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packageSteps } from './release/packages.ts';
import { release } from './release/release.ts';
import { ReleaseError } from './release/release-error.ts';

const root = join(import.meta.dirname, '..');
const say = (line: string) => console.log(line);

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { 'dry-run': { type: 'boolean', default: false } },
  });
  if (positionals.length > 1) throw new ReleaseError('Name one version only.');
  const date = Temporal.Now.plainDateISO('UTC').toString();
  const options = { root, version: positionals[0] ?? null, isDry: values['dry-run'], date, say };
  await release(options, packageSteps(root, say));
} catch (error) {
  const isUsage = error instanceof TypeError && 'code' in error;
  if (!(error instanceof ReleaseError) && !isUsage) throw error;
  console.error(`\nNo release: ${error.message}`);
  process.exitCode = isUsage ? 2 : 1;
}
