import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { KEY_TEXT, TOKEN_TEXT } from '@tapeloom/protocol/key-text';
import fc from 'fast-check';
import { anyText } from '../../../testing/any-text.ts';
import { digestOf, isSoundText, newKeyText, newTokenText } from './secret.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const bytes20 = fc.uint8Array({ minLength: 20, maxLength: 20 });

function numberIn(digits: string): bigint {
  return [...digits].reduce((sum, digit) => sum * 62n + BigInt(BASE62.indexOf(digit)), 0n);
}

test('all 160 random bits are in the text of a key, which has one width [SEC-01]', () => {
  fc.assert(
    fc.property(bytes20, (bytes) => {
      const text = newKeyText('live', () => bytes);
      assert.match(text, KEY_TEXT);
      assert.equal(text.length, 'svc_live_'.length + 27 + 6);
      const random = text.slice('svc_live_'.length, -6);
      assert.equal(numberIn(random), BigInt(`0x${Buffer.from(bytes).toString('hex')}`));
      assert.ok(isSoundText(text));
    }),
  );
  const widest = newKeyText('test', () => new Uint8Array(20).fill(255));
  const narrowest = newKeyText('test', () => new Uint8Array(20));
  assert.equal(widest.length, narrowest.length);
  assert.match(narrowest, /^svc_test_0{27}/);
});

test('keys and tokens are told apart by their prefix', () => {
  assert.match(newKeyText('live', randomBytes), /^svc_live_/);
  assert.match(newKeyText('test', randomBytes), /^svc_test_/);
  const token = newTokenText(randomBytes);
  assert.match(token, TOKEN_TEXT);
  assert.doesNotMatch(token, KEY_TEXT);
  assert.ok(isSoundText(token));
});

test('a source of randomness that gives fewer bytes than asked for is an error', () => {
  assert.throws(() => newKeyText('live', () => new Uint8Array(19)), RangeError);
});

test('a text with one changed, missing, added or swapped character is not sound [SEC-01]', () => {
  fc.assert(
    fc.property(bytes20, fc.nat(200), fc.nat(61), (bytes, place, digit) => {
      const text = newKeyText('live', () => bytes);
      const at = place % text.length;
      const changed = text.slice(0, at) + BASE62[digit]! + text.slice(at + 1);
      assert.equal(isSoundText(changed), changed === text);
      assert.equal(isSoundText(text.slice(0, at) + text.slice(at + 1)), false);
      assert.equal(isSoundText(text.slice(0, at) + BASE62[digit]! + text.slice(at)), false);
      const next = (at + 1) % text.length;
      const characters = [...text];
      [characters[at], characters[next]] = [characters[next]!, characters[at]!];
      assert.equal(isSoundText(characters.join('')), characters.join('') === text);
    }),
  );
});

test('texts that were never handed out are not sound, whatever they hold', () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      assert.equal(isSoundText(text), false);
      assert.equal(isSoundText(`svc_live_${text}`), false);
    }),
  );
  const key = newKeyText('live', randomBytes);
  assert.equal(isSoundText(key.replace('live', 'test')), false);
  assert.equal(isSoundText(`${key}\n`), false);
  assert.equal(isSoundText(` ${key}`), false);
});

test('only a digest and the last four characters are kept [SEC-01]', () => {
  const key = newKeyText('live', () => new Uint8Array(20).fill(7));
  const digest = digestOf(key);
  assert.match(digest.hash, /^[0-9a-f]{64}$/);
  assert.equal(digest.hint, key.slice(-4));
  assert.ok(!JSON.stringify(digest).includes(key.slice(9, -6)));
  assert.deepEqual(digestOf(key), digest);
  assert.notEqual(digestOf(newKeyText('live', randomBytes)).hash, digest.hash);
});
