import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkImports, checkTable, checkTestHomes } from './module-imports.ts';
import { treeWith } from './sample-tree.ts';

/** The findings of tidy when this file imports that one. */
function saidOf(path: string, statement: string, others: Readonly<Record<string, string>> = {}) {
  const tree = treeWith({ ...others, [path]: `/** It. */\n${statement}\n` });
  return checkImports(tree).map(({ line, message }) => `${line}: ${message}`);
}

test('a sound tree has no finding', () => {
  assert.deepEqual(checkImports(treeWith()), []);
});

test('core imports nothing of the house, of Node or of others', () => {
  const path = 'packages/core/src/study.ts';
  assert.match(
    saidOf(path, "import { t } from '@tapeloom/protocol/message';")[0]!,
    /^2: core may not import protocol \(allowed: nothing\)/,
  );
  assert.match(saidOf(path, "import 'node:fs';")[0]!, /core runs anywhere .* "node:fs"/);
  assert.match(saidOf(path, "import { a } from 'ws';")[0]!, /core runs anywhere .* "ws"/);
  assert.deepEqual(saidOf(path, "import { tick } from './price.ts';"), []);
});

test('of the client, the part for Node may import from Node, and nothing foreign', () => {
  const said = (name: string, specifier: string) =>
    saidOf(`packages/client/src/${name}`, `import '${specifier}';`).length;
  assert.deepEqual([said('node.ts', 'node:fs'), said('node/save.ts', 'node:fs')], [0, 0]);
  assert.deepEqual([said('nodes.ts', 'node:fs'), said('node.ts', 'ws')], [1, 1]);
});

test('a test, and what only tests use, may import what the rest may not', () => {
  const path = 'packages/core/src/random-tape.ts';
  const statement = "import 'fast-check';";
  assert.deepEqual(saidOf('packages/core/src/study.test.ts', "import 'node:test';"), []);
  const byTest = { 'packages/core/src/study.test.ts': "import './random-tape.ts';\n" };
  assert.deepEqual(saidOf(path, statement, byTest), []);
  const byBoth = {
    ...byTest,
    'packages/core/src/study.ts': "/** It. */\nimport './random-tape.ts';\n",
  };
  assert.equal(saidOf(path, statement, byBoth).length, 1);
});

test('protocol imports nothing of the house, no types either', () => {
  const [said] = saidOf(
    'packages/protocol/src/frame.ts',
    "import type { Tick } from '@tapeloom/core/price';",
  );
  assert.match(said!, /protocol may not import core \(allowed: nothing\)/);
});

test('the command line reaches only the named modules of the server', () => {
  const path = 'packages/cli/src/commands/tape-ls.ts';
  const gateway = { 'packages/server/src/gateway/door.ts': '/** It. */\n' };
  assert.deepEqual(saidOf(path, "import '@tapeloom/server/tape/log';"), []);
  assert.match(
    saidOf(path, "import '@tapeloom/server/gateway/door';", gateway)[0]!,
    /cli may not import server\/gateway/,
  );
});

test('modules of the server import down only', () => {
  const others = {
    'packages/server/src/engine/pool.ts': '/** It. */\n',
    'packages/server/src/config/config.ts': '/** It. */\n',
  };
  const statement = "import '../engine/pool.ts';";
  const tape = 'packages/server/src/tape/seal.ts';
  assert.match(saidOf(tape, statement, others)[0]!, /module tape may not import module engine/);
  assert.deepEqual(saidOf('packages/server/src/http/status.ts', statement, others), []);
  const markets = 'packages/server/src/markets/market.ts';
  assert.deepEqual(saidOf(markets, "import '../config/config.ts';", others), []);
  assert.match(
    saidOf('packages/server/src/platform/clock.ts', "import '../config/config.ts';", others)[0]!,
    /module platform may not import module config/,
  );
});

test('a module that the table does not know is found', () => {
  assert.match(
    saidOf('packages/server/src/cellar/wine.ts', "import '../tape/log.ts';")[0]!,
    /module "cellar" is not in the import table/,
  );
});

test('an adapter of another module is named by the composition only', () => {
  const statement = "import { disk } from '../platform/disk/node-disk.ts';";
  assert.match(saidOf('packages/server/src/tape/seal.ts', statement)[0]!, /is an adapter/);
  assert.deepEqual(saidOf('packages/server/src/tape/ingest-worker.ts', statement), []);
});

test('the folder of one adapter is imported only by the files that choose it', () => {
  const others = { 'packages/server/src/markets/sim/fill.ts': '/** It. */\n' };
  const said = (path: string, specifier: string) =>
    saidOf(`packages/server/src/${path}`, `import '${specifier}';`, others);
  const [first] = said('process/service.ts', '../markets/sim/fill.ts');
  assert.match(first!, /markets\/sim\/ is the folder of one adapter: import its port/);
  assert.deepEqual(said('markets/open-market.ts', './sim/fill.ts'), []);
});

test('only the entry of the server imports what composes the process', () => {
  const [room] = saidOf('packages/server/src/tape/seal.ts', "import '../process/main.ts';");
  assert.match(room!, /composes the process/);
  const [cli] = saidOf('packages/cli/src/serve.ts', "import '@tapeloom/server/process/main';");
  assert.match(cli!, /cli may not import server\/process/);
  assert.deepEqual(saidOf('packages/server/src/serve.ts', "import './process/main.ts';"), []);
  const entry = { 'packages/server/src/serve.ts': '/** It. */\n' };
  assert.deepEqual(saidOf('packages/cli/src/x.ts', "import '@tapeloom/server/serve';", entry), []);
});

test('an entry of the table that no import needs is found, also one that only a test or a thread needs', () => {
  const unused = (changes: Readonly<Record<string, string>>) =>
    checkTable(treeWith(changes)).filter(({ message }) => message.startsWith('tape → platform:'));
  const statement = "/** It. */\nimport '../platform/disk/node-disk.ts';\n";
  assert.equal(unused({}).length, 1);
  assert.equal(unused({ 'packages/server/src/tape/seal.test.ts': statement }).length, 1);
  assert.equal(unused({ 'packages/server/src/tape/seal-worker.ts': statement }).length, 1);
  assert.equal(unused({ 'packages/server/src/tape/seal.ts': statement }).length, 0);
});

test('packages are named, never reached by path, and a package does not name itself', () => {
  assert.match(
    saidOf('packages/server/src/tape/seal.ts', "import '../../../core/src/price.ts';")[0]!,
    /by its name, not by the path/,
  );
  assert.match(
    saidOf('packages/server/src/tape/seal.ts', "import '@tapeloom/server/tape/log';")[0]!,
    /by relative path/,
  );
});

test('an import of a file that is not there is found', () => {
  assert.match(
    saidOf('packages/server/src/tape/seal.ts', "export { a } from './gone.ts';")[0]!,
    /which does not exist/,
  );
});

test('worker addresses and dynamic imports count like imports', () => {
  const others = { 'packages/server/src/engine/pool.ts': '/** It. */\n' };
  for (const statement of [
    "new Worker(new URL('../engine/pool.ts', import.meta.url));",
    "await import('../engine/pool.ts');",
  ]) {
    assert.match(
      saidOf('packages/server/src/tape/seal.ts', statement, others)[0]!,
      /tape may not import module engine/,
    );
  }
});

test('tools stand alone', () => {
  assert.match(
    saidOf('tools/x.ts', "import '@tapeloom/core/price';")[0]!,
    /tools stand alone and may not import packages\/core\/src\/price\.ts/,
  );
});

test('doubles, rigs and tests of whole processes import downwards only', () => {
  const double = 'simulation/clock/manual-clock.ts';
  const rig = 'packages/server/testing/rest/rest-service.ts';
  const run = 'tests/running-service.ts';
  const others = { [double]: '/** It. */\n', [rig]: '/** It. */\n', [run]: '/** It. */\n' };
  const said = (path: string, specifier: string) =>
    checkTestHomes(treeWith({ ...others, [path]: `/** It. */\nimport '${specifier}';\n` })).map(
      ({ line, message }) => `${line}: ${message}`,
    );
  assert.deepEqual(said(run, '../simulation/clock/manual-clock.ts'), []);
  assert.deepEqual(said(run, '../packages/server/testing/rest/rest-service.ts'), []);
  assert.deepEqual(said(rig, '../../../../simulation/clock/manual-clock.ts'), []);
  assert.match(said(rig, '../../../../tests/running-service.ts')[0]!, /^2: tests\/running-/);
  const upwards = said(double, '../../packages/server/testing/rest/rest-service.ts');
  assert.match(upwards[0]!, /^2: packages\/server\/testing\/.* lies above/);
  assert.equal(said('simulation/disk/sim-disk.ts', '../../tests/running-service.ts').length, 1);
});
