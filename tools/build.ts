/**
 * `npm run build [names]`: builds the published packages, all or those named, each into its own `dist/` folder, ready
 * for `npm pack`. For the service it also writes the packed files, `tapeloom-*.tgz`, and `slim-tapeloom-*.tgz` without
 * a Node. `--client-download <file.tgz>` writes only the packed client.
 */

import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildChartsPackage } from './build/charts-package.ts';
import { writeClientDownload } from './build/client-download.ts';
import { buildClientPackage } from './build/client-package.ts';
import { buildTapeloomPackage, packSlim, packTapeloom } from './build/tapeloom-package.ts';

const root = join(import.meta.dirname, '..');

/** Each step empties and fills its folder, and throws on failure. */
const steps: Readonly<Record<string, (into: string) => void | Promise<void>>> = {
  client: buildClientPackage,
  charts: buildChartsPackage,
  cli: async (into) => {
    await buildTapeloomPackage(into);
    packTapeloom(into, root);
    packSlim(into, root);
  },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'client-download': { type: 'string' } },
});
const download = values['client-download'];
if (download !== undefined) {
  writeClientDownload(resolve(download));
  process.exit();
}
const names = positionals.length > 0 ? positionals : Object.keys(steps);
for (const name of names) {
  const step = steps[name];
  if (step === undefined) {
    console.error(`there is no package "${name}" (there are: ${Object.keys(steps).join(', ')})`);
    process.exitCode = 2;
    continue;
  }
  const start = performance.now();
  const into = join(root, 'packages', name, 'dist');
  await step(into);
  console.log(`made ${into} in ${((performance.now() - start) / 1000).toFixed(1)} s`);
}
