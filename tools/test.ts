/**
 * Runs every `*.test.ts` of the house, in batches that have a process each. People read the spec output; the
 * same events become one JSON line per test in `.test-results/`, which `npm run rules` reads. That file
 * always holds exactly one run: it is written beside its place and moved there when the run has ended.
 *
 * `npm test` runs everything, `npm test -- packages/core tests/restart.test.ts` only those paths, and
 * `npm test -- --name 'regular expression'` only tests of that name. A partial run is not recorded.
 * `--seed N` lets the property tests draw other values than usual; `--seed random` draws the seed and prints it, so that
 * the same run can be had again.
 *
 * `--validated` holds every REST response of the tests, and of the services they start, against the contract
 * (`tools/validated/`), and fails where one does not fit.
 *
 * Every process finds what others before it have compiled, temporary files are in memory, whole services are started
 * as they are built, and what takes long begins first, so that nothing is waited for alone at the end.
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
/** Without `examples`: those that npm alone can run are in `tests`, Python's is run by `.ci/run`. */
const testRoots = ['packages', 'tools', 'tests', 'bench', 'simulation'];
/** What takes longest, in the order in which it begins. */
const turns = ['tests/', 'packages/cli/', 'packages/server/'];
/** What takes long and seldom fails: run only when it is named, as `.ci/long` does. */
const longPath = 'tests/long';
/** What speaks to servers of others, a nats-server or PostgreSQL: `npm run test:cluster` runs it. */
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
];
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

if (files.some(isWhole)) process.env.BUILT_TAPELOOM ??= await builtProgram(join(root, builtPath));

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
/** Tests that were not run, by the reason they give. */
const skipped = new Map<string, number>();
const fileMs = new Map<string, number>();
const events = run({
  files: modules,
  cwd: root,
  // More than there are cores: most tests wait for files and sockets now and then.
  concurrency: availableParallelism() + 3,
  timeout: batchMsMax,
  execArgv: preloads.flatMap((path) => ['--import', path]),
  ...(values.name === undefined ? {} : { testNamePatterns: values.name }),
});

/** For who waits, and for who asks where a run got stuck. */
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

/** What did not fit the contract; that nothing was judged is a fault too. */
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

/** Batches that take long begin early: at the end short ones keep all cores busy. */
function turnOf(file: string): number {
  const turn = turns.findIndex((path) => file.startsWith(join(root, path)));
  return turn < 0 ? turns.length : turn;
}

function needsServers(file: string): boolean {
  return serverEnding.test(file) || file.startsWith(join(root, clusterPath));
}

function isWhole(path: string): boolean {
  return path.startsWith(join(root, 'tests/'));
}

/** The batches that used most processor time, with their wall time, and what the whole run used. */
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
