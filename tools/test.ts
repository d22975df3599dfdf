/**
 * Runs every `*.test.ts` in batches, each in its own process, the slowest first. `.test-results/`, which
 * `npm run rules` reads, always holds one whole run with a JSON line per test; a partial run is not recorded.
 *
 *   npm test -- packages/core tests/restart.test.ts   only those paths
 *   npm test -- --name 'regular expression'           only matching tests
 *   --seed N | random   other values for property tests; a random seed is printed, so that the run is reproducible
 *   --validated         checks every REST response of the tests and their services against the contract
 *                       (`tools/validated/`)
 */

import { randomInt } from 'node:crypto';
import {
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import { builtProgram } from './build/built-program.ts';
import { memoryDirectory } from './memory-directory.ts';
import type { ProcessorTime } from './processor-time.ts';
import { batchModule, testBatches } from './test-batches.ts';
import { recordOf, resultsPath, type TestRecord } from './test-results.ts';
import { ContractJudge } from './validated/contract-judge.ts';

const root = join(import.meta.dirname, '..');
/** Without `examples`: `tests` runs those of npm, `.ci/run` those of Python. */
const testRoots = ['packages', 'tools', 'tests', 'bench', 'simulation'];
/** The slowest folders first, in order of their start. */
const turns = ['tests/', 'packages/cli/', 'packages/server/'];
/** Slow tests that seldom fail: run only when named, as by `.ci/long`. */
const longPath = 'tests/long';
/** Tests that need a nats-server or PostgreSQL: `npm run test:cluster` runs them. */
const clusterPath = 'tests/cluster-suite';
const serverEnding = /\.(?:nats|postgres)\.test\.ts$/;
const batchMsMax = 900_000;
const batchesPath = `.test-results/batches-${process.pid}`;
const compiledPath = 'node_modules/.cache/compiled';
const builtPath = 'node_modules/.cache/built';
const preloads = [
  import.meta.resolve('./untracked-promises.ts'),
  import.meta.resolve('./property-seed.ts'),
  import.meta.resolve('./processor-time.ts'),
  import.meta.resolve('./stuck-batch.ts'),
  import.meta.resolve('./built-threads.ts'),
];
/** Four times V8's: collecting half as often takes a tenth less processor time. */
const YOUNG_OBJECTS = '--max-semi-space-size=64';
const costliestShown = 15;
const TELL_MS = 30_000;
const usualSeed = '1';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    name: { type: 'string', multiple: true },
    seed: { type: 'string', default: usualSeed },
    validated: { type: 'boolean', default: false },
  },
});
if (!/^(?:\d{1,9}|random)$/.test(values.seed)) {
  console.error(`--seed is a number or "random", got ${values.seed}`);
  process.exit(2);
}
const seed = values.seed === 'random' ? String(randomInt(1_000_000_000)) : values.seed;
const seedText = `properties draw from seed ${seed}; the same values again: npm test -- --seed ${seed}`;
if (seed !== usualSeed) console.log(seedText);
process.env.PROPERTY_SEED = seed;
process.env.NODE_COMPILE_CACHE ??= join(root, compiledPath);
const memory = process.env.TMPDIR === undefined ? memoryDirectory() : null;
if (memory !== null) process.env.TMPDIR = memory;

const isWholeRun = positionals.length === 0 && values.name === undefined;
const files = testFilesUnder(positionals.length === 0 ? testRoots : positionals);
if (files.length === 0) {
  console.error(`no test file under ${positionals.join(', ')}`);
  process.exit(2);
}

if (files.some(startsThreads))
  process.env.BUILT_TAPELOOM ??= await builtProgram(join(root, builtPath));

const batchNames = new Map<string, string>();
mkdirSync(join(root, batchesPath), { recursive: true });
const faultsPath = join(root, batchesPath, 'faults');
const timesPath = join(root, batchesPath, 'processor-times');
writeFileSync(timesPath, '');
process.env.PROCESSOR_TIMES = timesPath;
if (values.validated) {
  const preload = import.meta.resolve('./validated/validate-responses.ts');
  writeFileSync(faultsPath, '');
  writeFileSync(`${faultsPath}.shown`, '');
  process.env.VALIDATED_FAULTS = faultsPath;
  process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --import ${preload}`.trim();
}
process.on('exit', () => rmSync(join(root, batchesPath), { recursive: true, force: true }));
const modules = testBatches(files, root).map((batch, index) => {
  const [only] = batch.files;
  if (batch.files.length === 1) return only!;
  const path = join(root, batchesPath, `${index}.mjs`);
  writeFileSync(path, batchModule(batch));
  batchNames.set(path, batch.name);
  return path;
});

const records: TestRecord[] = [];
const skipped = new Map<string, number>();
const fileMs = new Map<string, number>();
const events = run({
  files: modules,
  cwd: root,
  // More than there are cores, because most tests wait for files and sockets at times.
  concurrency: availableParallelism() + 3,
  timeout: batchMsMax,
  execArgv: [YOUNG_OBJECTS, ...preloads.flatMap((path) => ['--import', path])],
  ...(values.name === undefined ? {} : { testNamePatterns: values.name }),
});

/** Shows progress, and where a run is stuck. */
const startMs = performance.now();
const running = new Map<string, number>();
const telling = setInterval(() => {
  const now = performance.now();
  const seconds = (since: number) => `${Math.round((now - since) / 1_000)} s`;
  const lines = [...running].map(
    ([file, since]) => `${batchNames.get(file) ?? relative(root, file)} ${seconds(since)}`,
  );
  console.log(`… after ${seconds(startMs)}: ${lines.join(', ')}`);
}, TELL_MS);

for await (const text of events
  .on('test:dequeue', ({ nesting, name }) => {
    if (nesting === 0 && modules.includes(name)) running.set(name, performance.now());
  })
  .on('test:complete', ({ nesting, name }) => {
    if (nesting === 0) running.delete(name);
  })
  .on('test:summary', ({ file, duration_ms }) => {
    if (file !== undefined) fileMs.set(file, duration_ms);
  })
  .on('test:pass', (data) => {
    records.push(recordOf(data, true));
    if (typeof data.skip === 'string') skipped.set(data.skip, (skipped.get(data.skip) ?? 0) + 1);
  })
  .on('test:fail', (data) => {
    records.push(recordOf(data, false));
    process.exitCode = 1;
  })
  .compose(new spec())) {
  process.stdout.write(text);
}
clearInterval(telling);

if (values.validated) tellFaults();
if (seed !== usualSeed) console.log(seedText);
for (const [reason, count] of skipped) console.log(`skipped, ${count}: ${reason}`);
console.log(costText());
if (isWholeRun) {
  console.log('not run here: tests with PostgreSQL or a nats-server: npm run test:cluster');
  const path = join(root, resultsPath);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(`${path}.part`, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  renameSync(`${path}.part`, path);
}

/** Reports responses that violate the contract; no checked response at all is a fault too. */
function tellFaults(): void {
  const lines = readFileSync(faultsPath, 'utf8').split('\n').slice(0, -1);
  const told = lines.map((line) => JSON.parse(line) as { judged?: number; fault?: string });
  const judged = told.reduce((sum, one) => sum + (one.judged ?? 0), 0);
  const faults = new Set(told.flatMap(({ fault }) => fault ?? []));
  for (const fault of faults) console.error(`not as documented: ${fault}`);
  const lists = readFileSync(`${faultsPath}.shown`, 'utf8').split('\n').slice(0, -1);
  const shown = new Set(lists.flatMap((line) => JSON.parse(line) as string[]));
  const unseen = new ContractJudge().documented.filter((status) => !shown.has(status));
  for (const status of unseen) console.log(`documented, and answered by no test here: ${status}`);
  console.log(`${judged} responses were held against the contract, ${faults.size} faults`);
  if (judged === 0 || faults.size > 0) process.exitCode = 1;
}

function testFilesUnder(paths: readonly string[]): string[] {
  const found = paths.flatMap((path) => {
    const stat = statSync(join(root, path), { throwIfNoEntry: false });
    if (stat?.isFile()) return [join(root, path)];
    return globSync('**/*.test.ts', {
      cwd: join(root, path),
      exclude: (name) => name === 'node_modules',
    })
      .map((name) => join(root, path, name))
      .filter((file) => !file.startsWith(join(root, longPath)) || path.startsWith(longPath))
      .filter((file) => !needsServers(file));
  });
  return [...new Set(found)].sort((a, b) => turnOf(a) - turnOf(b) || (a < b ? -1 : 1));
}

/** Slow batches start first, so that short ones keep all cores busy at the end. */
function turnOf(file: string): number {
  const turn = turns.findIndex((path) => file.startsWith(join(root, path)));
  return turn < 0 ? turns.length : turn;
}

function needsServers(file: string): boolean {
  return serverEnding.test(file) || file.startsWith(join(root, clusterPath));
}

/** Whether a file may start the program or its threads, which then run as built. */
function startsThreads(path: string): boolean {
  return turns.some((folder) => path.startsWith(join(root, folder)));
}

/** The batches with the most processor time, with their wall time, and the run's total. */
function costText(): string {
  const times = readFileSync(timesPath, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as ProcessorTime);
  const column = (seconds: number) => `${seconds.toFixed(1).padStart(6)} s`;
  const total = (of: (time: ProcessorTime) => number) =>
    times.reduce((sum, time) => sum + of(time), 0);
  const own = total(({ ownSeconds }) => ownSeconds);
  const children = total(({ childSeconds }) => childSeconds);
  const costOf = (time: ProcessorTime) => time.ownSeconds + time.childSeconds;
  const lines = times
    .sort((a, b) => costOf(b) - costOf(a))
    .slice(0, costliestShown)
    .map(({ file, ownSeconds, childSeconds }) => {
      const columns = [ownSeconds, childSeconds, (fileMs.get(file) ?? 0) / 1_000].map(column);
      return `${columns.join('')}  ${batchNames.get(file) ?? relative(root, file)}`;
    });
  return [
    `processor time: ${own.toFixed(0)} s in test processes, ${children.toFixed(0)} s in their children`,
    '    own  children   wall  batches that used most',
    ...lines,
  ].join('\n');
}
