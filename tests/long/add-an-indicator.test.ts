/** Follows `docs/guides/add-an-indicator.md` in a copy of the tree: one file, one entry, nothing else. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { addDays, utcDay } from '@tapeloom/core/utc-day';
import { runFill } from '@tapeloom/server/markets/sim/fill';

const root = join(import.meta.dirname, '../..');
const tree = mkdtempSync(join(tmpdir(), 'add-an-indicator-'));
const guide = readFileSync(join(root, 'docs/guides/add-an-indicator.md'), 'utf8');
const file = 'packages/core/src/studies/trade-count.ts';
const list = 'packages/core/src/studies/catalogue.ts';

before(() => {
  for (const name of ['packages', 'contract', 'docs', 'package.json', 'tsconfig.json']) {
    cpSync(join(root, name), join(tree, name), {
      recursive: true,
      filter: (path) => !path.includes('node_modules'),
    });
  }
  linkPackages();
  writeFileSync(join(tree, file), /```ts\b.*\n([\s\S]+?)```/.exec(guide)![1]!);
  const added = [...guide.matchAll(/^\+(.+)$/gm)].map(([, line]) => line!);
  assert.equal(added.length, 2);
  const [importLine, entry] = added as [string, string];
  const text = readFileSync(join(tree, list), 'utf8');
  writeFileSync(
    join(tree, list),
    text.replace(/\nimport /, `\n${importLine}\nimport `).replace('\n];', `\n${entry}\n];`),
  );
});
after(() => rmSync(tree, { recursive: true }));

/** Foreign packages as they are, our own from the copy. */
function linkPackages(): void {
  mkdirSync(join(tree, 'node_modules/@tapeloom'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name === '@tapeloom' || name.startsWith('.')) continue;
    symlinkSync(join(root, 'node_modules', name), join(tree, 'node_modules', name));
  }
  for (const name of readdirSync(join(tree, 'packages'))) {
    symlinkSync(join(tree, 'packages', name), join(tree, 'node_modules/@tapeloom', name));
  }
}

function node(...args: readonly string[]): string {
  // Left in place, the variable of this test run would make a run below it skip its files.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return execFileSync(process.execPath, args, { cwd: tree, env, encoding: 'utf8', stdio: 'pipe' });
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
  assert.equal(added.id, 'trade-count');
  assert.deepEqual(Object.keys(added.paramsSchema.properties), ['bar', 'size', 'session', 'depth']);
  const { indicators: digests } = JSON.parse(read('contract/study-digests.json')) as {
    indicators: Record<string, { version: number; cases: object }>;
  };
  assert.equal(digests['trade-count']?.version, 1);
  assert.ok(Object.keys(digests['trade-count']!.cases).length > 20);
  const types = read('packages/protocol/src/indicators.ts');
  assert.match(types, /export interface TradeCountParams \{/);
  assert.match(types, /export interface TradeCountData \{\n.*\n {2}readonly trades: number;\n\}/);
  assert.match(types, /readonly 'trade-count': \{\n {4}readonly params: TradeCountParams;/);
});

test('the documentation gets a page, a section and a chart', () => {
  node('packages/docs/src/draw-charts.ts');
  node('packages/docs/src/write-semantics.ts');
  assert.match(read('docs/charts/trade-count.svg'), /^<svg [\s\S]*Trade count/);
  assert.match(read('docs/semantics.md'), /### Trade count\n\n<!-- begin trade-count -->/);
  assert.match(
    read('docs/indicators/trade-count.md'),
    /^# Trade count\n[\s\S]*\| `trades` \| integer /,
  );
});

test('it runs over a tape, and its parameters are checked', async () => {
  const sim = { seed: 7, printsScale: 0.01 };
  const items = [0, 1].map((days) => ({ symbol: 'ESH6', day: addDays(utcDay(20260222), days) }));
  const setting = { tapeRoot: join(tree, 'data/tape'), sim, today: utcDay(20260301) };
  await runFill(setting, items, () => {}, new AbortController().signal);
  const words = ['packages/cli/src/main.ts', 'study', '--tape', 'ESH6'];
  const range = ['--from', '2026-02-23T14:30:00Z', '--to', '2026-02-23T15:30:00Z'];
  const params = ['--params', '{"size":1800}'];
  const counted = node(...words, ...range, ...params, 'trade-count')
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { data: { trades: number } }).data.trades);
  const bars = node(...words, ...range, ...params, 'bars')
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { data: { trades: number } }).data.trades);
  assert.equal(counted.length, 2);
  assert.deepEqual(counted, bars);
  assert.throws(
    () => node(...words, ...range, 'trade-count', '--params', '{"size":0}'),
    /\/size {2}Must be a whole number/,
  );
});

test('every test of the definitions takes it in', () => {
  writeFileSync(
    join(tree, 'contract/vectors/trade-count.v1.jsonl'),
    `${JSON.stringify({ log: Array.from({ length: 11 }, () => ({ data: { trades: 1 } })) })}\n`,
  );
  const said = node('--test', 'packages/core/src/studies/catalogue.test.ts');
  assert.match(said, /trade-count: defaults and presets are accepted/);
});
