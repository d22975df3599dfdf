/**
 * `npm run vectors -- <id>` writes the golden vectors of an indicator. A new indicator gets first
 * cases; a new version starts with the cases of the previous version. A case without a `log` gets
 * the log that the naive twin computes. Published cases never change.
 */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { INDICATORS, indicatorNamed } from '@tapeloom/core/studies/catalogue';
import { TWINS } from '../../packages/core/testing/twins/indicator-twins.ts';
import { madeVectors } from '../../packages/core/testing/twins/made-vectors.ts';
import { vectorsPath } from '../../packages/core/testing/twins/vector-case.ts';

const root = join(import.meta.dirname, '../..');
const [id = '', ...more] = process.argv.slice(2);
const faults = more.length > 0 ? ['Give one id.'] : write(id);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;

/** Returns why nothing was written, in sentences. */
function write(name: string): readonly string[] {
  const indicator = indicatorNamed(name);
  if (indicator === null) {
    const ids = INDICATORS.map((it) => it.id).join(', ');
    return [`No indicator is called "${name}". Give one of: ${ids}.`];
  }
  const twin = TWINS[name];
  if (twin === undefined) {
    return [
      `${name} has no twin, and a log never comes from the study. Write packages/core/testing/twins/${name}-twin.ts ` +
        'and enter it in packages/core/testing/twins/indicator-twins.ts.',
    ];
  }
  const path = vectorsPath(name, indicator.version);
  const before = read(path);
  const earlier = earlierVectors(name, indicator.version);
  const { text, added, cases, faults: found } = madeVectors(indicator, twin, before, earlier);
  if (found.length > 0) return [...found, `${path} was not written.`];
  if (text === before) {
    console.log(`${path} is up to date: ${cases} cases. A line without "log" would get one.`);
    return [];
  }
  writeFileSync(join(root, path), text);
  console.log(`wrote ${path}: ${cases} cases, new logs for ${added.join(', ')}`);
  if (before === null) {
    console.log('Read the logs against the definition, and add a case for each rule of its own.');
  }
  return [];
}

function earlierVectors(name: string, version: number): string | null {
  for (let before = version - 1; before >= 1; before -= 1) {
    const text = read(vectorsPath(name, before));
    if (text !== null) return text;
  }
  return null;
}

function read(path: string): string | null {
  return existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : null;
}
