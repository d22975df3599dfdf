/**
 * `npm run rules`: how much of the interface and the design is proven by passed tests. Reads the record of the latest
 * whole `npm test`, or makes one with `--run`.
 *
 *   --require OBJ,HTTP-02,now   exits with 1 while one of these areas or ids is open
 *   --json                      prints every rule with its state, step and tests
 */

import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { coverageOf, requiredRules } from './rules/coverage.ts';
import { openLine, printedCoverage } from './rules/report.ts';
import { designRulesPath, parseRules, rulesPath } from './rules/rule-list.ts';
import { stepsOf } from './rules/rule-steps.ts';
import { stepNow, stepOfRules, stepTitles } from './rules-waiting.ts';
import { readTestRecords, resultsPath } from './test-results.ts';

const root = join(import.meta.dirname, '..');
const { values } = parseArgs({
  options: {
    require: { type: 'string', multiple: true, default: [] },
    json: { type: 'boolean', default: false },
    run: { type: 'boolean', default: false },
  },
});

if (values.run) {
  spawnSync(process.execPath, [join(root, 'tools/test.ts')], {
    stdio: ['ignore', values.json ? 2 : 'inherit', 'inherit'],
  });
}
const records = readTestRecords(join(root, resultsPath));
if (records === null) {
  console.error('There is no record of a test run: run "npm test" first, or pass --run.');
  process.exit(2);
}
const rules = [rulesPath, designRulesPath].flatMap(
  (path) => parseRules(readFileSync(join(root, path), 'utf8')).rules,
);
const coverage = coverageOf(rules, stepsOf(rules, stepOfRules), stepNow, records);
const required = requiredRules(
  coverage,
  values.require.flatMap((names) => names.split(',')).map((name) => name.trim()),
  stepNow,
);
const open = required.rules.filter(({ state }) => state === 'open');

if (values.json) {
  console.log(JSON.stringify({ stepNow, ...coverage }, null, 2));
} else {
  process.stdout.write(printedCoverage(coverage, stepTitles));
  if (isOlderThanSources()) {
    console.log('\nSources changed since that test run: "npm run rules -- --run" makes a new one.');
  }
}
for (const name of required.unknown) console.error(`--require: there is no rule or area ${name}`);
if (open.length > 0) {
  console.error(`\nRequired, but open (${open.length}):\n${open.map(openLine).join('\n')}`);
}
const isBad = open.length + required.unknown.length + coverage.unknown.length > 0;
process.exitCode = isBad ? 1 : 0;

function isOlderThanSources(): boolean {
  const recordedMs = statSync(join(root, resultsPath)).mtimeMs;
  return globSync('{packages,tests,bench,simulation,tools}/**/*.ts', {
    cwd: root,
    exclude: (name) => name === 'node_modules',
  }).some((path) => statSync(join(root, path)).mtimeMs > recordedMs);
}
