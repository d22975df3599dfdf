/**
 * `npm run build [names]`: makes the packages that are published, each in its own `dist/` folder, ready for
 * `npm pack`. Without names it makes all of them.
 */

import { join } from 'node:path';
import { buildClientPackage } from './build/client-package.ts';

/** Each takes the folder it fills, which it empties first, and throws when it cannot. */
const steps: Readonly<Record<string, (into: string) => void | Promise<void>>> = {
  client: buildClientPackage,
};

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(steps);
for (const name of names) {
  const step = steps[name];
  if (step === undefined) {
    console.error(`there is no package "${name}" (there are: ${Object.keys(steps).join(', ')})`);
    process.exitCode = 2;
    continue;
  }
  const start = performance.now();
  const into = join(import.meta.dirname, '../packages', name, 'dist');
  await step(into);
  console.log(`made ${into} in ${((performance.now() - start) / 1000).toFixed(1)} s`);
}
