import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkDocsDrift } from './docs-drift.ts';
import { treeWith } from './sample-tree.ts';

function saidOf(text: string, others: Readonly<Record<string, string>> = {}, page = 'docs/x.md') {
  return checkDocsDrift(treeWith({ ...others, [page]: text })).map(
    ({ line, message }) => `${line}: ${message}`,
  );
}

const commands = {
  'packages/cli/src/commands/tape-ls.ts': "/** It. */\nconst c = { path: ['tape', 'ls'] };\n",
};

test('a sound tree has no finding', () => {
  assert.deepEqual(checkDocsDrift(treeWith()), []);
});

test('a link that leads nowhere is found, and so is a heading that is not there', () => {
  assert.match(saidOf('# A\n\n[b](gone.md)\n')[0]!, /^3: the link gone\.md leads nowhere/);
  assert.match(saidOf('[b](../README.md#nothing)\n')[0]!, /README\.md has no heading #nothing/);
  assert.deepEqual(saidOf('[b](../README.md#title) [c](https://example.org/d#e)\n'), []);
});

test('equal headings are told apart by number, and an anchor can stand for itself', () => {
  const page = '# A\n# A()\n<a id="b"></a>\n';
  assert.deepEqual(saidOf(`${page}[c](#a) [d](#a-1) [e](#b)\n`), []);
  assert.match(saidOf(`${page}[c](#a-2)\n`)[0]!, /no heading #a-2/);
});

test('a path or a file name that does not exist is found', () => {
  assert.match(saidOf('See `packages/core/src/gone.ts`.\n')[0]!, /does not exist/);
  assert.match(saidOf('See `tape/gone.ts`.\n')[0]!, /no file is called tape\/gone\.ts/);
  assert.deepEqual(
    saidOf('`tape/log.ts`, `packages/server/src/`, `log.ts:12`, `tape/<x>.ts`\n'),
    [],
  );
});

test('a package whose name looks like a file is none', () => {
  const manifest = {
    'packages/core/package.json': '{"devDependencies":{"highlight.js":"11.0.0"}}',
  };
  assert.deepEqual(saidOf('`highlight.js`\n', manifest), []);
});

test('an npm script that is not in package.json is found', () => {
  assert.match(saidOf('npm run fly\n')[0]!, /package\.json has no script "fly"/);
  assert.deepEqual(saidOf('npm test && npm start && npm ci\n'), []);
});

test('a benchmark or torture run without its file is found', () => {
  const manifest = { 'package.json': '{"scripts":{"test":"x","bench":"x","torture":"y"}}' };
  assert.match(saidOf('`npm run bench -- tape`\n', manifest)[0]!, /bench\/tape\/tape\.bench\.ts/);
  assert.match(saidOf('`npm run torture -- tape 9`\n', manifest)[0]!, /tests\/torture\/tape\.ts/);
  const there = { ...manifest, 'bench/tape/tape.bench.ts': '/** It. */\n' };
  assert.deepEqual(saidOf('`npm run bench -- tape`, `npm run bench -- <name>`\n', there), []);
});

test('a command that tapeloom does not have is found', () => {
  assert.match(saidOf('`tapeloom tape rm`\n', commands)[0]!, /no command "tape rm"/);
  assert.deepEqual(saidOf('`tapeloom tape ls --json`, `npx tapeloom tape ls x`\n', commands), []);
});

test('a variable that nothing reads is found', () => {
  assert.match(saidOf('`TAPELOOM_GONE`\n')[0]!, /nothing reads the variable TAPELOOM_GONE/);
  const env = { 'packages/server/src/config/env.ts': "/** It. */\nread('TAPELOOM_PORT');\n" };
  assert.deepEqual(saidOf('`TAPELOOM_PORT`\n', env), []);
});

test('a variable that no page tells of is found', () => {
  const env = { 'packages/server/src/config/env.ts': "/** It. */\nread('TAPELOOM_PORT');\n" };
  assert.match(saidOf('# A\n', env)[0]!, /^2: no page tells of the variable TAPELOOM_PORT/);
});

test('of the change log and of laboratory notes only the links are checked', () => {
  const note = 'bench/notes/0072-imports.md';
  assert.deepEqual(saidOf('`packages/gone.ts`\n', {}, note), []);
  assert.equal(saidOf('[a](gone.md)\n', {}, note).length, 1);
  assert.deepEqual(saidOf('`packages/gone.ts`, `npm run fly`\n', {}, 'CHANGELOG.md'), []);
  assert.equal(saidOf('[a](gone.md)\n', {}, 'CHANGELOG.md').length, 1);
});
