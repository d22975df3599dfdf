/**
 * `npm run generate` builds all committed files that derive from the code, in order of their
 * dependencies, and prints which of them changed. At the end it lists what an indicator still
 * lacks. A failed step ends the run.
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import { missingPlaces } from './missing-places.ts';
import { THIS_HOUSE } from './this-house.ts';

const root = join(import.meta.dirname, '../..');
const TYPES = 'packages/protocol/src/indicators.ts';
const STEPS: readonly (readonly [name: string, ...command: string[]])[] = [
  ['interface', 'npm', 'run', '-s', 'interface'],
  ['format', 'biome', 'check', '--write', TYPES],
  ['charts', 'npm', 'run', '-s', 'charts'],
  ['docs', 'npm', 'run', '-s', 'docs'],
  ['recordings', 'npm', 'run', '-s', 'recordings'],
];
/** Where the steps write. */
const OUTPUTS = ['contract/*.json', TYPES, 'docs/**/*', 'packages/portal/recording/**/*'];

let before = digests();
for (const [name, command, ...args] of STEPS) {
  if (!succeeds(name, command!, args)) process.exit(1);
  const now = digests();
  const changed = [...new Set([...before.keys(), ...now.keys()])].filter(
    (path) => before.get(path) !== now.get(path),
  );
  console.log(`${name}: ${changed.length === 0 ? 'nothing changed' : 'wrote'}`);
  for (const path of changed) console.log(`  ${path}${now.has(path) ? '' : ' (removed)'}`);
  before = now;
}
const missing = missingPlaces(INDICATORS, THIS_HOUSE);
if (missing.length > 0) console.log('\nWhat indicators still lack:');
for (const line of missing) console.log(`  ${line}`);

/** Returns whether the command succeeds; prints its output when it fails. */
function succeeds(name: string, command: string, args: readonly string[]): boolean {
  const bin = join(root, 'node_modules/.bin');
  try {
    execFileSync(command, args, {
      cwd: root,
      stdio: 'pipe',
      env: { ...process.env, PATH: `${bin}:${process.env.PATH}` },
    });
    return true;
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout?: Buffer; readonly stderr?: Buffer };
    console.error(`${stdout ?? ''}${stderr ?? String(error)}`.trimEnd());
    console.error(`${name} failed; the steps after it did not run.`);
    return false;
  }
}

function digests(): ReadonlyMap<string, string> {
  const paths = globSync([...OUTPUTS], { cwd: root }).filter((path) =>
    statSync(join(root, path)).isFile(),
  );
  return new Map(
    paths.sort().map((path) => {
      const text = readFileSync(join(root, path));
      return [path, createHash('sha256').update(text).digest('hex')];
    }),
  );
}
