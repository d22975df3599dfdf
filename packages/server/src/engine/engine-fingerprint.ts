/**
 * A digest of the computation: the published definitions and the tokens of every module that the
 * studies and their runner reach. It changes when a number or a line of code changes, and stays when
 * only comments, layout or anything else in the house do. Computed at the start from the sources
 * that run, so no build step can get it wrong.
 */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sourceTokens } from './source-tokens.ts';

/** Where the computation starts, below the source folder of core. */
const ROOTS = ['studies/catalogue.ts', 'studies/run.ts'];

/** Where the sources of the computation are. */
export function coreSource(): string {
  return dirname(dirname(fileURLToPath(import.meta.resolve('@tapeloom/core/studies/catalogue'))));
}

/** Hexadecimal SHA-256 of the definitions and of the modules below `source`. */
export function engineFingerprint(source: string, definitions: unknown): string {
  const hash = createHash('sha256').update(canonicalJson(definitions));
  for (const [path, tokens] of reachableModules(source)) {
    hash.update(`\0${path}\0${tokens.join('\u0001')}`);
  }
  return hash.digest('hex');
}

/** Changes with any word of the definitions: clients then generate their types again. */
export function catalogueVersion(definitions: unknown): string {
  return createHash('sha256').update(canonicalJson(definitions)).digest('hex').slice(0, 12);
}

/** Every module the roots reach by importing values, in the order of their paths. */
function reachableModules(source: string): [string, readonly string[]][] {
  const modules = new Map<string, readonly string[]>();
  const open = ROOTS.map((root) => resolve(source, root));
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const name = relative(source, path).split(sep).join('/');
    if (modules.has(name)) continue;
    const tokens = sourceTokens(readFileSync(path, 'utf8'));
    modules.set(name, tokens);
    for (const specifier of importedModules(tokens)) {
      if (!specifier.startsWith('.')) {
        throw new Error(`${path} imports ${specifier}: the studies may use their own package only`);
      }
      open.push(resolve(dirname(path), specifier));
    }
  }
  return [...modules].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The specifiers of `import`, `export … from` and `import()`; type-only ones compute nothing. */
function importedModules(tokens: readonly string[]): string[] {
  const words = tokens.map((token) => token.trim());
  const specifiers: string[] = [];
  let isTypeOnly = false;
  words.forEach((word, at) => {
    if (word === 'import' || word === 'export') {
      isTypeOnly = words[at + 1] === 'type' && /^[{*\w]/.test(words[at + 2] ?? '');
    }
    const before = words[at - 1];
    const isSpecifier =
      before === 'from' || before === 'import' || (before === '(' && words[at - 2] === 'import');
    if (isSpecifier && /^['"]/.test(word) && !isTypeOnly) specifiers.push(word.slice(1, -1));
  });
  return specifiers;
}

/** JSON with the keys of every object in order, so that equal values give equal text. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
