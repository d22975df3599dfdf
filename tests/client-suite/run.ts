/**
 * `npm run test:client` runs the client's tests on every platform of its customers; `--older`
 * leaves out Node 26. Node 22 and 24 come with `npm ci --prefix tools/nodes` and run no test that
 * contains the service. Node 26, ours, runs all tests. Chromium runs the tests that need nothing of
 * Node.
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { chromiumMissing } from '../headless-chromium.ts';
import { olderNodes, olderNodesMissing } from '../older-nodes.ts';
import { WAIT_LIMIT_MS } from '../running-service.ts';
import { type CompiledTest, compileSuite } from './compiled-suite.ts';
import { runInChromium, runsInPage } from './in-chromium.ts';

const cache = join(import.meta.dirname, '../../node_modules/.cache');
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, 'client-suite-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const tests = await compileSuite(folder);
if (olderNodesMissing !== false) console.error(olderNodesMissing);
else {
  const files = tests.filter(({ hasService }) => !hasService);
  for (const node of olderNodes.values()) runOn(node, files);
}
// `npm test` already runs all of them on this Node.
if (!process.argv.includes('--older')) runOn(process.execPath, tests);
if (chromiumMissing !== false) console.error(chromiumMissing);
else await runInPage(tests.filter(runsInPage));
// A missing platform fails the run.
if (olderNodesMissing !== false || chromiumMissing !== false) process.exitCode = 1;

function runOn(node: string, files: readonly CompiledTest[]): void {
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
  console.log(`${files.length} files of tests on Node ${version}`);
  const options = ['--test', `--test-timeout=${WAIT_LIMIT_MS}`, '--test-reporter=dot'];
  // This variable of an outer test run would make the inner run skip its files.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const args = [...options, ...files.map(({ file }) => file)];
  const { status } = spawnSync(node, args, { stdio: 'inherit', env });
  if (status !== 0) process.exitCode = 1;
}

async function runInPage(files: readonly CompiledTest[]): Promise<void> {
  const results = await runInChromium(files);
  console.log(`${files.length} files with ${results.length} tests in Chromium`);
  for (const { name, error } of results) {
    if (error === null) continue;
    console.error(`✖ ${name}\n${error}`);
    process.exitCode = 1;
  }
}
