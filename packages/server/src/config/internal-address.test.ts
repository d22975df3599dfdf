import assert from 'node:assert/strict';
import { test } from 'node:test';
import { announcedAddress, internalUrlSetting } from './internal-address.ts';

test('an address for others is an origin that leads somewhere', () => {
  for (const good of [
    'http://10.0.0.12:9464',
    'https://node-1.internal',
    'http://[fd00::1]:9464',
  ]) {
    assert.equal(internalUrlSetting.read(good), good);
  }
  const bad = ['http://0.0.0.0:9464', 'http://[::]:9464', 'http://a/', '10.0.0.12:9464', 'ftp://a'];
  for (const one of bad) assert.equal(internalUrlSetting.read(one), undefined, one);
});

test('without one the open port is named, unless it is open on all addresses', () => {
  assert.equal(announcedAddress(null, 'http://10.0.0.12:9464'), 'http://10.0.0.12:9464');
  assert.equal(announcedAddress(null, 'http://0.0.0.0:9464'), null);
  assert.equal(announcedAddress(null, 'http://[::]:9464'), null);
  const configured = 'https://node-1.internal';
  assert.equal(announcedAddress(configured, 'http://0.0.0.0:9464'), configured);
});
