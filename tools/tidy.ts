/**
 * `npm run tidy`: checks what the compiler and the linter do not. It prints `file:line: message` per finding and exits
 * with 1 if one is an error; people judge the warnings.
 */

import { join } from 'node:path';
import { checkContractDrift } from './tidy/contract-drift.ts';
import { checkDecisions } from './tidy/decisions.ts';
import { checkDependencyReasons } from './tidy/dependency-reasons.ts';
import { checkDocsDrift } from './tidy/docs-drift.ts';
import { checkHouseRules } from './tidy/house-rules.ts';
import { checkLockfile } from './tidy/lockfile.ts';
import { checkMessageTexts } from './tidy/message-texts.ts';
import { checkImports, checkTable, checkTestHomes } from './tidy/module-imports.ts';
import { checkReach } from './tidy/reach.ts';
import { readTree } from './tidy/tree.ts';

const checks = [
  checkHouseRules,
  checkImports,
  checkTable,
  checkTestHomes,
  checkReach,
  checkDocsDrift,
  checkContractDrift,
  checkLockfile,
  checkMessageTexts,
  checkDecisions,
  checkDependencyReasons,
];

const startMs = performance.now();
const tree = readTree(join(import.meta.dirname, '..'));
const findings = checks
  .flatMap((check) => [...check(tree)])
  .sort((a, b) => a.path.localeCompare(b.path) || a.line - b.line);
for (const { path, line, message, level } of findings) {
  console.log(`${path}:${line}: ${level === 'warning' ? 'warning: ' : ''}${message}`);
}
const errors = findings.filter(({ level }) => level === 'error').length;
const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
console.log(
  `tidy: ${tree.texts.size} files, ${errors} errors, ` +
    `${findings.length - errors} warnings, ${seconds} s`,
);
process.exitCode = errors > 0 ? 1 : 0;
