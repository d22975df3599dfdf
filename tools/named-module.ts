/**
 * Finds a module by the name a person types (`npm run bench -- tape`). A wrong or missing name ends the
 * process with the list of names that exist; what is loaded always exports a function `run`.
 */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export interface NamedModules {
  readonly folder: string;
  /** What a file's name ends with after the typed name: `.bench.ts`. */
  readonly ending: string;
  /** How it is called: `npm run bench -- <name>`. */
  readonly usage: string;
}

export async function loadRun<Run>(modules: NamedModules, name: string | undefined): Promise<Run> {
  const names = namesIn(modules);
  if (name === undefined || !names.includes(name)) {
    const wrong = name === undefined ? '' : `There is no "${name}". `;
    console.error(`${wrong}Usage: ${modules.usage}, where the name is ${names.join(' or ')}.`);
    process.exit(2);
  }
  const path = join(modules.folder, `${name}${modules.ending}`);
  const loaded: { readonly run?: unknown } = await import(pathToFileURL(path).href);
  if (typeof loaded.run !== 'function') throw new Error(`${path} does not export a function "run"`);
  return loaded.run as Run;
}

function namesIn({ folder, ending }: NamedModules): readonly string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(ending) && !file.endsWith('.test.ts') && file !== 'run.ts')
    .map((file) => file.slice(0, -ending.length))
    .sort();
}
