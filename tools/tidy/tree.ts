/** The checkout as tidy reads it. Checks are pure functions from a tree to findings, so tests need no disk. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Tree {
  /** Every file, as a path from the root with forward slashes. */
  readonly paths: ReadonlySet<string>;
  /** The text of those files that a check may read. */
  readonly texts: ReadonlyMap<string, string>;
  /** The interface's own list of rules, if the checkout has it beside it. */
  readonly sharedRules: string | null;
}

export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly message: string;
  readonly level: 'error' | 'warning';
}

const foldersSkipped = new Set(['node_modules', 'dist', '.git', '.test-results', 'fixtures']);
const textEndings = ['.ts', '.tsx', '.js', '.md', '.json', '.tsv'];
const sharedRulesPath = '../shared/spec/rules.tsv';

export function readTree(root: string): Tree {
  const paths = new Set<string>();
  const texts = new Map<string, string>();
  const visit = (folder: string) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        const isData = folder === '' && entry.name.startsWith('data');
        if (!foldersSkipped.has(entry.name) && !isData && path !== 'bench/results') visit(path);
      } else {
        paths.add(path);
        if (textEndings.some((ending) => path.endsWith(ending))) {
          texts.set(path, readFileSync(join(root, path), 'utf8'));
        }
      }
    }
  };
  visit('');
  const shared = join(root, sharedRulesPath);
  return { paths, texts, sharedRules: existsSync(shared) ? readFileSync(shared, 'utf8') : null };
}

/** The line of this index, counted from 1. */
export function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < index; at = text.indexOf('\n', at + 1)) {
    line += 1;
  }
  return line;
}

export function isSource(path: string): boolean {
  return ['.ts', '.tsx', '.js'].some((ending) => path.endsWith(ending));
}

export function isTest(path: string): boolean {
  return path.endsWith('.test.ts');
}
