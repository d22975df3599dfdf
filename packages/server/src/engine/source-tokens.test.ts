import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { sourceTokens, UnreadableSourceError } from './source-tokens.ts';

const flat = (source: string) => sourceTokens(source).map((token) => token.trim());

test('comments and layout vanish, strings, templates and regular expressions stay whole', () => {
  assert.deepEqual(flat('a /* b */ + // c\n d'), ['a', '+', 'd']);
  assert.deepEqual(flat(`x = 'a // b' + "/* c */";`), [
    'x',
    '=',
    "'a // b'",
    '+',
    '"/* c */"',
    ';',
  ]);
  assert.deepEqual(flat('`a // ${/* x */ b + `c${{ d: 1 }.d}`} // e`'), [
    '`a // ${',
    'b',
    '+',
    '`c${',
    '{',
    'd',
    ':',
    '1',
    '}',
    '.',
    'd',
    '}`',
    '} // e`',
  ]);
  assert.deepEqual(flat('a = /[/*"]\\/\'/g.test(b) / c / d'), [
    'a',
    '=',
    '/[/*"]\\/\'/g',
    '.',
    'test',
    '(',
    'b',
    ')',
    '/',
    'c',
    '/',
    'd',
  ]);
  assert.deepEqual(flat("return /x'/; a++ / 2"), ['return', "/x'/", ';', 'a', '++', '/', '2']);
});

test('tokens that would join by accident stay apart, and line breaks are kept', () => {
  assert.notDeepEqual(sourceTokens('a + +b'), sourceTokens('a ++b'));
  assert.notDeepEqual(sourceTokens('return\nx'), sourceTokens('return x'));
  assert.deepEqual(sourceTokens('f(\n  // why\n  x)'), sourceTokens('f(\n\n\n  x)'));
});

test('what is no source is refused instead of being read as something else', () => {
  for (const source of ["'open", '`open', '"a\nb"']) {
    assert.throws(() => sourceTokens(source), UnreadableSourceError, source);
  }
});

test('every module of core is still the same program when put together from its tokens', () => {
  const root = join(import.meta.dirname, '../../..');
  const files = globSync('core/src/**/*.ts', { cwd: root });
  assert.ok(files.length > 20);
  for (const file of files) {
    const source = readFileSync(join(root, file), 'utf8');
    const tokens = sourceTokens(source);
    const again = tokens.map((token) => `${token} `).join('');
    assert.deepEqual(sourceTokens(again), tokens, file);
    const plain = (code: string) => flat(stripTypeScriptTypes(code));
    assert.deepEqual(plain(again), plain(source), file);
  }
});
