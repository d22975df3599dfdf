import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hintOfEmail } from '../account/email-field.ts';
import { browserName } from './browser-name.ts';
import { requireOwnOrigin } from './own-origin.ts';
import { readSessionCookie, sessionCookie } from './session-cookie.ts';

const TLS = 'https://portal.example';
const PLAIN = 'http://127.0.0.1:8080';

test('the cookie is read by its whole name, among others, and what was set is read again', () => {
  const set = sessionCookie(TLS, 'abc').split(';')[0]!;
  assert.equal(readSessionCookie(set, TLS), 'abc');
  assert.equal(readSessionCookie(`a=1; ${set}; b=2`, TLS), 'abc');
  // Behind TLS, a cookie that a neighbouring host's page could have set is ignored.
  for (const other of [
    undefined,
    '',
    'tapeloom_session=abc',
    '__host-tapeloom_session=abc',
    'x__Host-tapeloom_session=abc',
    '__Host-tapeloom_session',
    '=__Host-tapeloom_session=abc',
  ]) {
    assert.equal(readSessionCookie(other, TLS), undefined, other ?? '');
  }
  assert.equal(readSessionCookie('tapeloom_session=abc', PLAIN), 'abc');
  assert.equal(readSessionCookie(set, PLAIN), undefined);
});

test('our own pages are those of the public address; on this machine it has several names', () => {
  const isOwn = (sent: string | undefined, own: string) => {
    try {
      requireOwnOrigin(sent, own);
      return true;
    } catch {
      return false;
    }
  };
  assert.ok(isOwn(TLS, TLS));
  for (const sent of [
    undefined,
    '',
    'null',
    `${TLS}/`,
    `${TLS}:8443`,
    'https://x.portal.example',
  ]) {
    assert.ok(!isOwn(sent, TLS), sent ?? '');
  }
  for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
    assert.ok(isOwn(`http://${host}:8080`, PLAIN), host);
    assert.ok(!isOwn(`http://${host}:8080`, TLS), host);
    assert.ok(!isOwn(`http://${host}`, PLAIN), host);
    assert.ok(!isOwn(`http://${host}:8080/x`, PLAIN), host);
  }
  assert.ok(!isOwn('http://localhost.evil.example:8080', PLAIN));
});

test('browsers are known by plain words, whatever they say', () => {
  const shown = {
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0':
      'Firefox on Windows',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15':
      'Safari on macOS',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 Mobile/15E148 Safari/604.1':
      'Chrome on iPhone',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0':
      'Edge on Windows',
    'curl/8.5.0': 'curl',
    '<script>alert(1)</script>': 'An unknown browser',
    '': 'An unknown browser',
  };
  for (const [said, name] of Object.entries(shown)) assert.equal(browserName(said), name);
  assert.equal(browserName(undefined), 'An unknown browser');
  assert.match(browserName('Firefox/'.repeat(2_000)), /^[\w ]{1,40}$/);
});

test('of an address is shown what its owner knows it by', () => {
  assert.equal(hintOfEmail('you@example.com'), 'y…@example.com');
  assert.equal(hintOfEmail('𝒜a@example.com'), '𝒜…@example.com');
  assert.equal(hintOfEmail('y@example.com'), 'y…@example.com');
});
