/**
 * Loads a module by its short name (`npm run bench -- tape`). A wrong or missing name ends the process with the list of
 * names. Every such module exports a function `run`.
 */

import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

export interface NamedModules {
  /** The modules are in this folder or its subfolders. */
  readonly folder: string;
  /** What follows the short name in a file's name: `.bench.ts`. */
  readonly ending: string;
  readonly usage: string;
}

export async function loadRun<Run>(modules: NamedModules, name: string | undefined): Promise<Run> {
  const paths = pathsIn(modules);
  const file = name === undefined ? undefined : paths.get(name);
  if (file === undefined) {
    const wrong = name === undefined ? '' : `There is no "${name}". `;
    const names = [...paths.keys()].sort().join(' or ');
    console.error(`${wrong}Usage: ${modules.usage}, where the name is ${names}.`);
    process.exit(2);
  }
  const path = join(modules.folder, file);
  const loaded: { readonly run?: unknown } = await import(pathToFileURL(path).href);
  if (typeof loaded.run !== 'function') throw new Error(`${path} does not export a function "run"`);
  return loaded.run as Run;
}

function pathsIn({ folder, ending }: NamedModules): ReadonlyMap<string, string> {
  const files = readdirSync(folder, { encoding: 'utf8', recursive: true }).filter(
    (file) => file.endsWith(ending) && !file.endsWith('.test.ts') && file !== 'run.ts',
  );
  return new Map(files.map((file) => [basename(file, ending), file]));
}
