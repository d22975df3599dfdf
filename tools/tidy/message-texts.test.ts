import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkMessageTexts } from './message-texts.ts';
import { treeWith } from './sample-tree.ts';
import { readTree } from './tree.ts';

const found = (path: string, text: string) =>
  checkMessageTexts(treeWith({ [path]: text })).map(({ line }) => line);

test('no client of ours, and no test that proves a rule, depends on the text of a message [VER-04]', () => {
  assert.deepEqual(checkMessageTexts(readTree(join(import.meta.dirname, '../..'))), []);
});

test('a client that decides by words is found', () => {
  const path = 'packages/client/src/x.ts';
  for (const line of [
    "if (error.message === 'Too many') retry();",
    "if (problem.detail.startsWith('The key')) stop();",
    'if (/expired/.test(error.message)) stop();',
    'return errors.some(({ message }) => /before/.test(message));',
    'switch (problem.detail) {',
    "return error.message.includes('soon');",
  ]) {
    assert.deepEqual(found(path, `\n${line}\n`), [2], line);
  }
  for (const line of [
    "if (error.code === 'WARMING') retry();",
    "const words = error.message !== '' ? error.message : 'nothing';",
    'console.error(error.message);',
  ]) {
    assert.deepEqual(found(path, line), [], line);
  }
  assert.deepEqual(found('packages/server/src/x.ts', "error.message === 'x'"), []);
});

test('a test that proves a rule by words is found, one of the words themselves is not', () => {
  const path = 'packages/server/src/http/x.test.ts';
  const proof = (line: string) => `test('a thing [ERR-01]', () => {\n  ${line}\n});\n`;
  for (const line of [
    'assert.match(problem.detail, /suspended/);',
    'assert.match(checkProblem(answer, URL, CODE).detail, /used/);',
    "assert.equal(error.message, 'Look at it.');",
    'assert.ok(problem.detail.includes(scope));',
  ]) {
    assert.deepEqual(found(path, proof(line)), [2], line);
    assert.deepEqual(found(path, proof(line).replace(' [ERR-01]', '')), [], line);
  }
  for (const line of [
    "assert.equal(problem.detail, 'API key expired');",
    'assert.ok(problem.detail.startsWith(`${criterion}: `));',
    'assert.ok(!error.message.includes(KEY));',
    'assert.equal(error.message, sent);',
    "assert.equal(problem.code, 'FORBIDDEN');",
  ]) {
    assert.deepEqual(found(path, proof(line)), [], line);
  }
});
