import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { EMAIL_BYTES_MAX, normalEmail } from './email-address.ts';

const keyOf = (text: string) => normalEmail(text)?.key ?? null;

test('an address is shown as it was typed and compared without regard to case', () => {
  assert.deepEqual(normalEmail('Ada.Lovelace+tape@Example.COM'), {
    email: 'Ada.Lovelace+tape@example.com',
    key: 'ada.lovelace+tape@example.com',
  });
  assert.deepEqual(normalEmail('  ada@example.com '), {
    email: 'ada@example.com',
    key: 'ada@example.com',
  });
});

test('a domain is one however it is spelt', () => {
  const key = 'ada@xn--mnchen-3ya.de';
  for (const domain of ['münchen.de', 'MÜNCHEN.de', 'mu\u0308nchen.de', 'xn--mnchen-3ya.de']) {
    assert.equal(keyOf(`ada@${domain}`), key, domain);
  }
  assert.equal(keyOf('ada@ｅｘａｍｐｌｅ．ｃｏｍ'), 'ada@example.com');
  assert.equal(normalEmail('ada@MÜNCHEN.de')?.email, 'ada@münchen.de');
});

test('whoever looks like another is another', () => {
  const latin = keyOf('cocoa@example.com');
  const cyrillic = keyOf('сосоа@example.com');
  assert.ok(latin !== null && cyrillic !== null && latin !== cyrillic);
  assert.notEqual(keyOf('ada@cocoa.com'), keyOf('ada@сосоа.com'));
  assert.notEqual(keyOf('adaı@example.com'), keyOf('adai@example.com'));
  for (const mixed of ['pаypal@example.com', 'ada@gоogle.com', 'ada@αpple.com', 'jοhn@a.example']) {
    assert.equal(normalEmail(mixed), null, mixed);
  }
  assert.notEqual(normalEmail('ada@пример.com'), null);
});

test('shapes of letters do not let two spellings meet in one mailbox', () => {
  for (const local of ['ﬁn', 'ａda', 'ad𝐚', 'x²']) {
    assert.equal(normalEmail(`${local}@example.com`), null, local);
  }
  // Unicode normalizes the Kelvin sign to K, in the address too.
  assert.equal(normalEmail('\u212aim@example.com')?.email, 'Kim@example.com');
});

test('what could break a header, a page or a mail server is no address', () => {
  const refused = [
    '',
    '@',
    'ada',
    'ada@',
    '@example.com',
    'ada@localhost',
    'ada@[127.0.0.1]',
    'ada@127.0.0.1',
    'ada@2130706433',
    'ada@0x7f.1',
    'ada@example.com.',
    'ada@.example.com',
    'ada@exa..mple.com',
    'ada@-example.com',
    'ada@example-.com',
    'ada@exa_mple.com',
    'ada@example.c',
    'ada@example.com:25',
    'ada@example.com/x',
    'ada@example.com?x',
    'ada@example.com#x',
    'ada@user@example.com',
    'ada@℀.com',
    '.ada@example.com',
    'ada.@example.com',
    'a..da@example.com',
    '"ada lovelace"@example.com',
    'ada lovelace@example.com',
    'Ada <ada@example.com>',
    'ada@example.com, eve@example.com',
    'ada@example.com;eve@example.com',
    'ada(comment)@example.com',
    '<script>@example.com',
    'ada\n@example.com',
    'ada@example.com\n',
    'ada@example.com\r\nBcc: eve@example.com',
    'ada\0@example.com',
    '\tada@example.com',
    'ada@exam\u202eple.com',
    'a\u200fda@example.com',
    'ada@exam\u00adple.com',
    'ada@exam\ufe0fple.com',
    'ada\u200d@example.com\u200d',
    `${'a'.repeat(65)}@example.com`,
    `${'ä'.repeat(33)}@example.com`,
    `ada@${'a'.repeat(64)}.com`,
    `ada@${'a.'.repeat(126)}com`,
    `ada@${'ü.'.repeat(60)}com`,
  ];
  for (const text of refused) assert.equal(normalEmail(text), null, JSON.stringify(text));
});

test('the longest address is accepted, one character more is not', () => {
  const local = 'a'.repeat(64);
  const domain = `${'b'.repeat(62)}.${'c'.repeat(62)}.${'d'.repeat(58)}.com`;
  assert.equal(local.length + 1 + domain.length, EMAIL_BYTES_MAX - 1);
  assert.notEqual(normalEmail(`${local}@e${domain}`), null);
  assert.equal(normalEmail(`${local}@ee${domain}`), null);
});

test('whatever is accepted is one line of one address, and stays the same read again', () => {
  const part = fc.string({ unit: 'grapheme', maxLength: 12 });
  const like = fc.tuple(part, part).map(([local, domain]) => `${local}@${domain}.com`);
  fc.assert(
    fc.property(fc.oneof(part, like), (text) => {
      const read = normalEmail(text);
      if (read === null) return;
      assert.deepEqual(normalEmail(read.email), read);
      assert.equal(normalEmail(read.key)?.key, read.key);
      assert.ok(!/[\s<>",;:()[\]\\\p{C}]/u.test(read.email), read.email);
      assert.equal(read.email.split('@').length, 2);
    }),
    { numRuns: 300 },
  );
});
