/**
 * What every source file keeps: a header comment, a telling name, a bounded size, no default export, no
 * leftover mark, no reading of the environment outside the configuration, and in `core` no clock, timer
 * or randomness.
 */

import { readSource, type SourceText } from './source-text.ts';
import { type Finding, isSource, isTest, lineAt, type Tree } from './tree.ts';

const fileLinesLarge = 400;
const fileLinesMax = 600;
/** A test file is a list of cases, read one at a time. */
const testFileLinesMax = 800;
const emptyNames = new Set(['utils', 'util', 'helpers', 'helper', 'types', 'common', 'misc']);

interface Ban {
  readonly pattern: RegExp;
  readonly view: keyof SourceText;
  readonly message: string;
  readonly appliesTo: (path: string) => boolean;
}

const readsEnvironment = new Set(['packages/server/src/config/env.ts', 'packages/cli/src/main.ts']);

const bans: readonly Ban[] = [
  {
    pattern: /\b(?:TO[D]O|FIX[M]E|XX[X]|HA[C]K)\b/g,
    view: 'comments',
    message: 'leftover mark: do it now, or open an issue',
    appliesTo: () => true,
  },
  {
    pattern: /@ts-(?:ignore|nocheck|expect-error)\b/g,
    view: 'comments',
    message: 'silences the compiler: fix the type',
    appliesTo: () => true,
  },
  {
    pattern:
      /\b(?:test|it|describe|suite)(?:\.(?:only|skip|todo)\b|\s*\(\s*,\s*\{[^}]*\b(?:only|skip|todo)\s*:)/g,
    view: 'bare',
    message: 'a test that is singled out or left out proves nothing',
    appliesTo: isTest,
  },
  {
    pattern: /\bexport\s+default\b/g,
    view: 'bare',
    message: 'default export: name it',
    appliesTo: () => true,
  },
  {
    pattern: /\bprocess\s*\.\s*env\b/g,
    view: 'bare',
    message: 'reads the environment: only packages/server/src/config/env.ts does',
    appliesTo: (path) =>
      path.startsWith('packages/') && !isTest(path) && !readsEnvironment.has(path),
  },
  {
    pattern:
      /\bDate\s*\.\s*now\b|\bnew\s+Date\s*\(\s*\)|\bMath\s*\.\s*random\b|\bset(?:Timeout|Interval|Immediate)\b|\bperformance\s*\.\s*now\b|\bTemporal\s*\.\s*Now\b|\bprocess\s*\./g,
    view: 'bare',
    message: 'core is given time and randomness as arguments',
    appliesTo: (path) => path.startsWith('packages/core/') && !isTest(path),
  },
];

export function checkHouseRules(tree: Tree): readonly Finding[] {
  const found: Finding[] = [];
  for (const [path, text] of tree.texts) {
    if (!isSource(path)) continue;
    const add = (line: number, message: string, level: Finding['level'] = 'error') =>
      found.push({ path, line, message, level });

    if (!isTest(path) && !/^(?:#![^\n]*\n)?\s*\/\*\*/.test(text)) {
      add(1, 'no header comment that says what this file guarantees');
    }
    const emptyName = path.split('/').find((part) => emptyNames.has(part.replace(/\..*$/, '')));
    if (emptyName !== undefined) add(1, `"${emptyName}" says nothing: name it after what it does`);

    const lines = text.split('\n').length - 1;
    const linesMax = isTest(path) ? testFileLinesMax : fileLinesMax;
    if (lines > linesMax) add(linesMax, `${lines} lines, more than ${linesMax}`);
    else if (lines > fileLinesLarge) {
      add(fileLinesLarge, `${lines} lines: split it by responsibility, or be sure`, 'warning');
    }
    const source = readSource(text);
    for (const { pattern, view, message, appliesTo } of bans) {
      if (!appliesTo(path)) continue;
      for (const match of source[view].matchAll(pattern)) {
        add(lineAt(text, match.index), `${match[0].trim()}: ${message}`);
      }
    }
  }
  return found;
}
