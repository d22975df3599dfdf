import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Authentication, Authenticator } from './authenticator.ts';
import { CountedAuthenticator } from './counted-authenticator.ts';

function answering(...results: readonly Authentication[]): Authenticator {
  const answers = [...results];
  const answer = () => Promise.resolve(answers.shift()!);
  return {
    authenticate: answer,
    consumeToken: answer,
    watch: () => ({ [Symbol.dispose]: () => {} }),
    refresh: () => Promise.resolve(null),
    onRightsChange: () => ({ [Symbol.dispose]: () => {} }),
  };
}

test('verdicts pass unchanged and are counted', async () => {
  const counted = new CountedAuthenticator(
    answering({ verdict: 'unknown' }, { verdict: 'expired' }, { verdict: 'unknown' }),
  );
  assert.deepEqual(await counted.authenticate('x'), { verdict: 'unknown' });
  assert.deepEqual(await counted.authenticate('x'), { verdict: 'expired' });
  assert.deepEqual(await counted.consumeToken('x'), { verdict: 'unknown' });
  const { unknown, expired, accepted } = counted.verdicts;
  assert.deepEqual([unknown, expired, accepted], [2, 1, 0]);
});

test('once the accounts are lost nobody is recognised, not even from memory', async () => {
  const counted = new CountedAuthenticator(answering({ verdict: 'missing' }));
  const cause = new Error('gone');
  counted.refuseAll(cause);
  await assert.rejects(counted.authenticate('Bearer known'), cause);
  await assert.rejects(counted.consumeToken('token'), cause);
});
