import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkHouseRules } from './house-rules.ts';
import { treeWith } from './sample-tree.ts';

/** What tidy says of one more file, as `line: message`. */
function saidOf(path: string, text: string): readonly string[] {
  return checkHouseRules(treeWith({ [path]: text })).map((finding) => {
    assert.equal(finding.path, path);
    return `${finding.line}: ${finding.level === 'warning' ? 'warning ' : ''}${finding.message}`;
  });
}

const room = 'packages/server/src/tape/seal.ts';
const core = 'packages/core/src/study.ts';

test('a sound tree has no finding', () => {
  assert.deepEqual(checkHouseRules(treeWith()), []);
});

test('a source without a header comment is found; a test needs none', () => {
  assert.match(saidOf(room, 'export const a = 1;\n')[0]!, /^1: no header comment/);
  assert.match(saidOf(room, '// a line comment is no header\nexport const a = 1;\n')[0]!, /^1: no/);
  assert.deepEqual(saidOf('packages/server/src/tape/seal.test.ts', 'export const a = 1;\n'), []);
});

test('the header of a program may follow its interpreter line', () => {
  assert.deepEqual(saidOf('packages/cli/bin/x.js', '#!/usr/bin/env node\n/** It. */\n'), []);
});

test('names that say nothing are found, as a file and as a folder', () => {
  for (const path of ['tools/utils.ts', 'packages/server/src/common/seal.ts', 'tools/types.ts']) {
    assert.match(saidOf(path, '/** It. */\n')[0]!, /says nothing/);
  }
});

test('a file over 400 lines is a warning, one over 600 an error, a test over 800', () => {
  const text = (lines: number) => `/** It. */\n${'const a = 1;\n'.repeat(lines - 1)}`;
  assert.deepEqual(saidOf(room, text(400)), []);
  assert.match(saidOf(room, text(401))[0]!, /warning 401 lines/);
  assert.match(saidOf(room, text(601))[0]!, /^600: 601 lines, more than 600/);
  const ofTest = (lines: number) => saidOf('packages/server/src/tape/seal.test.ts', text(lines));
  assert.match(ofTest(800)[0]!, /warning 800 lines/);
  assert.match(ofTest(801)[0]!, /^800: 801 lines, more than 800/);
});

test('a default export is found, but not one that is quoted', () => {
  assert.match(saidOf(room, '/** It. */\nexport default 1;\n')[0]!, /^2: export default/);
  assert.deepEqual(saidOf(room, "/** It. */\nconst a = 'export default';\n"), []);
});

test('leftover marks are found in comments only', () => {
  const mark = ['TO', 'DO'].join('');
  assert.match(saidOf(room, `/** It. */\n\n// ${mark}: later\n`)[0]!, /^3: .*leftover mark/);
  assert.deepEqual(saidOf(room, `/** It. */\nconst a = '${mark}';\n`), []);
});

test('comments that silence the compiler are found', () => {
  assert.match(saidOf(room, `/** It. */\n// @${'ts-ignore'}\n`)[0]!, /^2: .*silences/);
});

test('tests that are singled out or left out are found', () => {
  const path = 'packages/server/src/tape/seal.test.ts';
  for (const call of ['test.only', 'it.skip', 'describe.todo']) {
    assert.match(saidOf(path, `${call}('x', () => {});\n`)[0]!, /proves nothing/);
  }
  assert.match(saidOf(path, "test('x', { skip: true }, () => {});\n")[0]!, /proves nothing/);
});

test('the environment is read by the configuration only', () => {
  const text = '/** It. */\nexport const home = process.env.HOME;\n';
  assert.match(saidOf(room, text)[0]!, /^2: process\.env: reads the environment/);
  assert.deepEqual(saidOf('packages/server/src/config/env.ts', text), []);
  assert.deepEqual(saidOf('tools/x.ts', text), []);
});

test('core has no clock, no timer and no randomness', () => {
  for (const call of [
    'Date.now()',
    'new Date()',
    'Math.random()',
    'setTimeout(f, 1)',
    'performance.now()',
    'Temporal.Now.instant()',
    'process.hrtime()',
  ]) {
    assert.match(saidOf(core, `/** It. */\nconst a = ${call};\n`)[0]!, /^2: .*as arguments/, call);
    assert.deepEqual(saidOf(room, `/** It. */\nconst a = ${call};\n`), [], call);
  }
  assert.deepEqual(saidOf(core, '/** Never Date.now here. */\nconst a = `${b} Date.now`;\n'), []);
});
