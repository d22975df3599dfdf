import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DevKeyAuthenticator } from './dev-key-authenticator.ts';

const KEY = 'svc_live_0123456789abcdefghijklmnopq';
const authenticator = new DevKeyAuthenticator(KEY);
const verdictOf = async (header: string | undefined) =>
  (await authenticator.authenticate(header)).verdict;

test('the key is accepted behind the word Bearer in any case', async () => {
  for (const word of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) {
    assert.equal(await verdictOf(`${word} ${KEY}`), 'accepted');
  }
});

test('a missing header, a malformed one and an unknown key are told apart', async () => {
  assert.equal(await verdictOf(undefined), 'missing');
  for (const header of [
    '',
    KEY,
    'Bearer',
    'Bearer ',
    `Bearer  ${KEY}`,
    `Bearer ${KEY} `,
    `Basic ${KEY}`,
    'Bearer svc_live_short',
    `Bearer ${KEY}!`,
    `Bearer ${KEY}, Bearer ${KEY}`,
  ]) {
    assert.equal(await verdictOf(header), 'malformed', JSON.stringify(header));
  }
  assert.equal(await verdictOf(`Bearer ${KEY}r`), 'unknown');
  assert.equal(await verdictOf(`Bearer ${KEY.replace('live', 'test')}`), 'unknown');
});
