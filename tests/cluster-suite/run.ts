/**
 * `npm run test:cluster [words]`: tests with real servers: accounts in PostgreSQL
 * (`*.postgres.test.ts`), which npm provides; the shared tape (`*.nats.test.ts`), which needs a
 * nats-server; and the whole clusters beside this file. Words select tests by path. Without a
 * nats-server the tests that need one are skipped with a reason.
 */

import { globSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { builtProgram } from '../../tools/build/built-program.ts';
import { memoryDirectory } from '../../tools/memory-directory.ts';

const FILE_MS_MAX = 600_000;
/** The tests wait for elections and heartbeats more than they compute. */
const FILES_AT_ONCE = 2;

const root = join(import.meta.dirname, '../..');
const cache = join(root, 'node_modules/.cache');
const words = process.argv.slice(2);
const files = [...globSync('packages/*/{src,testing}/**/*.{nats,postgres}.test.ts', { cwd: root })]
  .concat(globSync('tests/cluster-suite/*.test.ts', { cwd: root }))
  .filter((path) => words.length === 0 || words.some((word) => path.includes(word)))
  // Whole clusters run first, since they take longest.
  .sort((a, b) => (a < b ? 1 : -1))
  .map((path) => join(root, path));
if (files.length === 0) {
  console.error(`no test of clusters has ${words.join(' or ')} in its path`);
  process.exit(2);
}

mkdirSync(cache, { recursive: true });
process.env.NODE_COMPILE_CACHE ??= join(cache, 'compiled');
const memory = process.env.TMPDIR === undefined ? memoryDirectory() : null;
if (memory !== null) process.env.TMPDIR = memory;
process.env.BUILT_TAPELOOM ??= await builtProgram(join(cache, 'built'));

const skipped = new Set<string>();
const startMs = performance.now();
const events = run({ files, cwd: root, concurrency: FILES_AT_ONCE, timeout: FILE_MS_MAX });
for await (const text of events
  .on('test:pass', ({ skip }) => {
    if (typeof skip === 'string') skipped.add(skip);
  })
  .on('test:fail', () => {
    process.exitCode = 1;
  })
  .compose(new spec())) {
  process.stdout.write(text);
}
for (const reason of skipped) console.log(`skipped: ${reason}`);
const seconds = ((performance.now() - startMs) / 1_000).toFixed(0);
console.log(`${files.length} files of tests of clusters in ${seconds} s`);
