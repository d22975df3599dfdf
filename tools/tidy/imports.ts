/**
 * Finds every import, re-export, dynamic import and worker URL of every source file, with its target file. Only
 * statements of the program count, never text in strings or comments.
 */

import { posix } from 'node:path';
import { readSource } from './source-text.ts';
import { isSource, isTest, lineAt, type Tree } from './tree.ts';

export interface Import {
  readonly from: string;
  readonly line: number;
  /** As written: `./cursor.ts`, `@tapeloom/core/cursor`, `node:fs`, `ws`. */
  readonly specifier: string;
  /** The target file in this checkout; null for Node's own and third-party packages. */
  readonly to: string | null;
  /** The URL of a worker or process instead of an import. */
  readonly isAddress: boolean;
}

const statement = /\b(?:import|export)\b(?:[\s\w$*{},]*?\bfrom\s*|\s*)(['"])([^'"\n]+)\1/g;
const dynamic = /\bimport\s*\(\s*(['"])([^'"\n]+)\1/g;
const address = /\b(?:new\s+URL|import\.meta\.resolve)\s*\(\s*(['"])([^'"\n]+)\1/g;

export function importsOf(tree: Tree): readonly Import[] {
  const found: Import[] = [];
  for (const [from, text] of tree.texts) {
    if (!isSource(from)) continue;
    const { code, bare } = readSource(text);
    const add = (index: number, specifier: string, isAddress: boolean) => {
      if (bare[index] === ' ') return;
      const to = fileOf(tree, from, specifier);
      found.push({ from, line: lineAt(text, index), specifier, to, isAddress });
    };
    for (const match of code.matchAll(statement)) add(match.index, match[2]!, false);
    for (const match of code.matchAll(dynamic)) add(match.index, match[2]!, false);
    for (const match of code.matchAll(address)) add(match.index, match[2]!, true);
  }
  return found;
}

/** The tests, and the files that only tests import, directly or indirectly. */
export function testFilesOf(links: readonly Import[]): ReadonlySet<string> {
  const importers = new Map<string, Set<string>>();
  const files = new Set<string>();
  for (const { from, to } of links) {
    if (isTest(from)) files.add(from);
    if (to !== null) importers.set(to, (importers.get(to) ?? new Set()).add(from));
  }
  for (let before = -1; before !== files.size; ) {
    before = files.size;
    for (const [path, by] of importers) {
      if ([...by].every((other) => files.has(other))) files.add(path);
    }
  }
  return files;
}

function fileOf(tree: Tree, from: string, specifier: string): string | null {
  const workspace = /^@tapeloom\/([^/]+)\/(.+)$/.exec(specifier);
  if (workspace !== null) return `packages/${workspace[1]}/src/${workspace[2]}.ts`;
  if (!specifier.startsWith('.')) return null;
  const path = posix.normalize(posix.join(posix.dirname(from), specifier));
  return isSource(path) || tree.paths.has(path) ? path : null;
}
