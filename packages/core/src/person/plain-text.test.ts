import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownText, typedTextFault } from './plain-text.ts';

test('what people type on one line is taken as it is, markup included', () => {
  for (const text of [
    '',
    'Ada',
    'Ада Лавлейс',
    '<b>bold</b> & "quoted"',
    'नमस्ते',
    'می‌خواهم',
    '👩‍💻 at work ❤️',
    "O'Neill, Ltd.",
  ]) {
    assert.equal(typedTextFault(text), null, JSON.stringify(text));
  }
});

test('line breaks, controls, invisible and direction marks are refused wherever they stand', () => {
  const hidden = [
    '\n',
    '\r',
    '\r\nBcc: all@example.com',
    '\0',
    '\t',
    '\x1b[31m',
    '\x7f',
    '\x85',
    '\u2028',
    '\u2029',
    '\u202a',
    '\u202e',
    '\u2066',
    '\u2069',
    '\u200e',
    '\u200f',
    '\u061c',
    '\u200b',
    '\u2060',
    '\u00ad',
    '\ufeff',
    '\ud800',
    '\u{e0041}',
    '\u3164',
  ];
  for (const mark of hidden) {
    for (const text of [mark, `a${mark}b`, `${mark}b`, `b${mark}`]) {
      assert.match(typedTextFault(text) ?? '', /^must have no /, JSON.stringify(text));
    }
  }
});

test('what nobody judged is shown on one line, with a mark for what is hidden in it', () => {
  for (const text of ['', 'Ada', '<b>', '👩‍💻 at work ❤️', 'می‌خواهم'])
    assert.equal(shownText(text), text);
  assert.equal(shownText('a\r\nBcc: b'), 'a\ufffdBcc: b');
  assert.equal(shownText('a\u202eb\u2028c\0'), 'a\ufffdb\ufffdc\ufffd');
  assert.equal(shownText('\u200b\u200b'), '\ufffd\ufffd');
  assert.equal(shownText('\ud800x'), '\ufffdx');
  assert.equal(typedTextFault(shownText('\x1b[31m\u202e\u2066\n')), null);
});
