/**
 * Follows `docs/guides/add-an-indicator.md` in a copy of the tree: one file, one entry, nothing
 * else. The indicator has a long id and a list parameter. At the end the copy passes `npm run
 * check`.
 */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { addDays, utcDay } from '@tapeloom/core/utc-day';
import { runFill } from '@tapeloom/server/markets/sim/fill';

const root = join(import.meta.dirname, '../..');
const tree = mkdtempSync(join(tmpdir(), 'add-an-indicator-'));
const guide = readFileSync(join(root, 'docs/guides/add-an-indicator.md'), 'utf8');
const id = 'trades-at-or-above-chosen-sizes';
const file = `packages/core/src/studies/${id}.ts`;
/** Not part of a checkout, or linked. */
const LEFT = new Set(['.git', '.test-results', 'data', 'dist', 'node_modules']);
const list = 'packages/core/src/studies/catalogue.ts';

before(() => {
  for (const name of readdirSync(root)) {
    if (LEFT.has(name)) continue;
    const filter = (path: string) => !LEFT.has(basename(path));
    cpSync(join(root, name), join(tree, name), { recursive: true, filter });
  }
  linkPackages();
  writeFileSync(join(tree, file), /```ts\b.*\n([\s\S]+?)```/.exec(guide)![1]!);
  const added = [...guide.matchAll(/^\+(.+)$/gm)].map(([, line]) => line!);
  assert.equal(added.length, 2);
  const [importLine, entry] = added as [string, string];
  const lines = readFileSync(join(tree, list), 'utf8')
    .replace('\n];', `\n${entry}\n];`)
    .split('\n');
  const next = lines.findIndex((line) => pathOf(line) > pathOf(importLine));
  writeFileSync(join(tree, list), lines.toSpliced(next, 0, importLine).join('\n'));
});
after(() => rmSync(tree, { recursive: true }));

/** The path of an import line; the formatter sorts imports by it. */
function pathOf(line: string): string {
  return /^import .* from '(.+)';$/.exec(line)?.[1] ?? '';
}

/** Links third-party packages from here and our own from the copy. */
function linkPackages(): void {
  mkdirSync(join(tree, 'node_modules/@tapeloom'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name === '@tapeloom' || (name.startsWith('.') && name !== '.bin')) continue;
    symlinkSync(join(root, 'node_modules', name), join(tree, 'node_modules', name));
  }
  for (const name of readdirSync(join(tree, 'packages'))) {
    symlinkSync(join(tree, 'packages', name), join(tree, 'node_modules/@tapeloom', name));
    const own = join('packages', name, 'node_modules');
    if (existsSync(join(root, own))) symlinkSync(join(root, own), join(tree, own));
  }
}

function node(...args: readonly string[]): string {
  return run(process.execPath, ...args);
}

function run(command: string, ...args: readonly string[]): string {
  // This variable of the outer test run would make an inner run skip its files.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return execFileSync(command, args, { cwd: tree, env, encoding: 'utf8', stdio: 'pipe' });
}

function read(name: string): string {
  return readFileSync(join(tree, name), 'utf8');
}

test('the catalogue and the client’s types come from the one entry', () => {
  node('packages/server/src/process/generate-contract.ts');
  const { indicators } = JSON.parse(read('contract/catalogue.json')) as {
    indicators: { id: string; paramsSchema: { properties: object } }[];
  };
  const added = indicators.at(-1)!;
  assert.equal(added.id, id);
  const names = ['bar', 'size', 'sizes', 'session', 'depth'];
  assert.deepEqual(Object.keys(added.paramsSchema.properties), names);
  const { indicators: digests } = JSON.parse(read('contract/study-digests.json')) as {
    indicators: Record<string, { version: number; cases: object }>;
  };
  assert.equal(digests[id]?.version, 1);
  const cases = Object.keys(digests[id]!.cases);
  assert.ok(cases.length > 20);
  for (const sizes of ['[1]', '[1,2,3,4,5,6,7,8]', '[500,1000]']) {
    assert.ok(
      cases.some((name) => name.includes(`"sizes":${sizes}`)),
      sizes,
    );
  }
  const types = read('packages/protocol/src/indicators.ts');
  assert.match(types, /export interface TradesAtOrAboveChosenSizesParams\n? /);
  assert.match(types, /^ {2}readonly sizes\?: readonly number\[\];$/m);
  assert.match(types, /^ {2}readonly atLeast: readonly number\[\];$/m);
  assert.match(types, new RegExp(`^ {2}readonly '${id}': TypesOf<$`, 'm'));
});

test('the documentation gets a page, a section and a chart', () => {
  node('packages/docs/src/draw-charts.ts');
  node('packages/docs/src/write-semantics.ts');
  assert.match(read(`docs/charts/${id}.svg`), /^<svg [\s\S]*Trades at or above chosen sizes/);
  assert.ok(read('docs/semantics.md').includes(`\n\n<!-- begin ${id} -->`));
  const page = read(`docs/indicators/${id}.md`);
  assert.match(page, /^# Trades at or above chosen sizes\n[\s\S]*\| `atLeast` \| array /);
  const bounds = '1 to 8 different whole numbers, each 1 to 1,000,000 lots';
  assert.ok(page.includes(`| \`sizes\` | integers | ${bounds} | \`10, 50, 100\` |`), page);
});

test('it runs over a tape, and its parameters are checked', async () => {
  const sim = { seed: 7, printsScale: 0.01 };
  const items = [0, 1].map((days) => ({ symbol: 'ESH6', day: addDays(utcDay(20260222), days) }));
  const setting = { tapeRoot: join(tree, 'data/tape'), sim, today: utcDay(20260301) };
  await runFill(setting, items, () => {}, new AbortController().signal);
  const words = ['packages/cli/src/main.ts', 'study', '--tape', 'ESH6'];
  const range = ['--from', '2026-02-23T14:30:00Z', '--to', '2026-02-23T15:30:00Z'];
  const dataOf = (indicator: string, params: object) =>
    node(...words, ...range, '--params', JSON.stringify(params), indicator)
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { data: { trades: number; atLeast: number[] } }).data);
  const counted = dataOf(id, { size: 1_800, sizes: [1_000_000, 1] });
  const bars = dataOf('bars', { size: 1_800 });
  assert.equal(counted.length, 2);
  assert.deepEqual(
    counted,
    bars.map(({ trades }) => ({ trades, atLeast: [trades, 0] })),
  );
  const wrong = (params: string) => () => node(...words, ...range, id, '--params', params);
  assert.throws(wrong('{"size":0}'), /\/size {2}Must be a whole number/);
  assert.throws(wrong('{"sizes":[5,0]}'), /\/sizes\/1 {2}Must be a whole number from 1 to 1000000/);
});

/** Prints how each entry point of the copy parses a list parameter of the new indicator. */
const WAYS = `
import { createResolver } from './packages/server/src/gateway/delivery/stream-request.ts';
import { topicKey } from './packages/server/src/topics/topic.ts';
import { readHistoryFields } from './packages/server/src/history/history-fields.ts';
import { queryInput } from './packages/cli/src/mcp/query-input.ts';
import { computingParams, paramsText } from './packages/cli/src/cache/params-text.ts';
import { formFields, readForm } from './packages/portal/src/components/parameter-form.ts';
import { indicatorNamed } from './packages/core/src/studies/catalogue.ts';

const indicator = '${id}';
const fields = (params) =>
  readHistoryFields({ instrument: 'ES.c.0', indicator, from: '2026-11-13', params }, 'history');
const contract = { symbol: 'ESZ6', tickSizeNanos: 250_000_000 };
const book = { resolve: () => contract, alias: () => null, meansSince: () => 0, nextRoll: () => null };
const resolve = createResolver({ book: () => book, isStreamed: () => true });
const entitlements = { allowsInstrument: () => true, limits: { delaySeconds: 0 } };
const stream = (params) =>
  resolve({ t: 'subscribe', sub: 'a', instrument: 'ES.c.0', indicator, params }, { entitlements });
const topic = (params) => topicKey(stream(params).spec);
const definition = indicatorNamed(indicator);
console.log(JSON.stringify({
  rest: fields('{"sizes":[50,10]}').fields.params.sizes,
  restFaults: fields('{"sizes":[50,10,50]}').faults,
  topics: [topic({ sizes: [50, 10] }), topic({ sizes: [10, 50], depth: 7 })],
  custom: [stream({ sizes: [100, 10, 50] }).configuration, stream({ sizes: [5] }).configuration],
  streamFaults: stream({ sizes: [] }).errors,
  assistant: queryInput.params.parse({ sizes: [50, 10] }).sizes,
  cache: paramsText(indicator, computingParams(definition, fields('{"sizes":[50,10]}').fields.params)),
  placeholder: formFields(definition, {}).find(({ name }) => name === 'sizes').placeholder,
  form: readForm(definition, { sizes: '50, 10' }).given,
}));
`;

test('a list comes in by every way: REST, stream, assistant and form, in one canonical form', () => {
  const said = JSON.parse(node('--input-type=module', '--eval', WAYS)) as Record<string, unknown>;
  const list = 'Must be a list of 1 to 8 different whole numbers from 1 to 1000000 (lots).';
  const topic = `ESZ6/${id}?bar=time&session=full&size=60&sizes=10,50`;
  assert.deepEqual(said, {
    rest: [10, 50],
    restFaults: [{ path: '/params/sizes/2', message: 'Must not be in the list twice.' }],
    topics: [topic, topic],
    custom: [null, JSON.stringify(['ESZ6', id, 'time', 60, [5], 'full', 500])],
    streamFaults: [{ path: '/params/sizes', message: list }],
    assistant: [50, 10],
    cache: 'sizes=10,50',
    placeholder: '10, 50, 100',
    form: { sizes: [10, 50] },
  });
});

test('every test of the definitions takes it in', () => {
  writeFileSync(
    join(tree, `contract/vectors/${id}.v1.jsonl`),
    `${JSON.stringify({ log: Array.from({ length: 11 }, () => ({ data: { trades: 1, atLeast: [0] } })) })}\n`,
  );
  const said = node('--test', 'packages/core/src/studies/catalogue.test.ts');
  assert.ok(said.includes(`${id}: defaults and presets are accepted`));
});

test('the gate names what is written by hand, and nothing that was generated', () => {
  const gate = `
    import { missingPlaces } from './tests/every-indicator/missing-places.ts';
    import { THIS_HOUSE } from './tests/every-indicator/this-house.ts';
    import { INDICATORS } from './packages/core/src/studies/catalogue.ts';
    console.log(missingPlaces(INDICATORS, THIS_HOUSE).join('\\n'));
  `;
  const files = node('--input-type=module', '--eval', gate)
    .trimEnd()
    .split('\n')
    .map((line) => / is missing in (\S+): /.exec(line)![1]);
  assert.deepEqual(files, [
    'packages/core/testing/twins/indicator-twins.ts',
    'packages/docs/src/indicator-texts.ts',
    'packages/portal/src/pages/landing/indicator-cards.ts',
    'packages/portal/recording/recorded-indicators.ts',
    `packages/portal/recording/indicators/${id}.gz`,
    'tests/golden-day/digests.json',
  ]);
});

test('`npm run check` finds nothing', () => {
  run('npm', 'run', '-s', 'check');
});
