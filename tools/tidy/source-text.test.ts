import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSource } from './source-text.ts';

test('all views keep length and line ends', () => {
  const text = "a; // b\n/* c\nd */ e('f');\n";
  for (const view of Object.values(readSource(text))) {
    assert.equal(view.length, text.length);
    assert.equal(view.split('\n').length, text.split('\n').length);
  }
});

test('code has no comments, bare no strings, comments nothing else', () => {
  const source = readSource("f('x'); // y");
  assert.equal(source.code, "f('x');     ");
  assert.equal(source.bare, 'f(   );     ');
  assert.equal(source.comments, '        // y');
});

test('what looks like a comment inside a string is none', () => {
  assert.equal(readSource("a('http://b') + c;").code, "a('http://b') + c;");
});

test('the program inside a template is program, also when it nests', () => {
  const { bare } = readSource('a(`b ${c({ d: `e ${f} g` })} h`, i);');
  assert.equal(bare, 'a(     c({ d:      f     })    , i);');
});

test('a regular expression is a literal and a division is not', () => {
  const quoted = readSource('x.replace(/[\'"`/]/g, y); // z');
  assert.match(quoted.bare, /^x\.replace\( +, y\); +$/);
  assert.equal(readSource("a / b / c + 'd'").bare, 'a / b / c +    ');
});
