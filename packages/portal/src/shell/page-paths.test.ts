import assert from 'node:assert/strict';
import { test } from 'node:test';
import { APP_PATHS as SERVED_PATHS } from '@tapeloom/server/pages/pages';
import { APP_PATHS, frameOf } from './page-paths.ts';

test('links to the portal’s own pages stay in it, and all others are the browser’s', () => {
  for (const path of ['/keys', '/keys/', '/plans?offer=live', '/account#deletion', '/sign-in']) {
    assert.match(path, APP_PATHS);
  }
  for (const path of [
    '/',
    '/docs',
    '/docs/errors',
    '/keysx',
    '/pay/test/1',
    '/v1/status',
    '//keys',
  ]) {
    assert.doesNotMatch(path, APP_PATHS);
  }
});

test('a page of an account needs a session, and a page nobody knows does not', () => {
  assert.equal(frameOf('/keys'), 'app');
  assert.equal(frameOf('/status'), 'either');
  assert.equal(frameOf('/sign-in'), 'bare');
  assert.equal(frameOf('/nowhere'), 'either');
  assert.equal(frameOf('constructor'), 'either');
});

test('the server answers for exactly the pages that the portal draws', () => {
  const [, drawn] = /^\^\(\?:([^)]+)\)/.exec(APP_PATHS.source)!;
  assert.deepEqual(drawn!.replaceAll('\\', '').split('|').sort(), [...SERVED_PATHS].sort());
});
