import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Authentication, Authenticator } from './authenticator.ts';
import type { Caller } from './caller.ts';
import { CountedAuthenticator } from './counted-authenticator.ts';

function answering(...results: readonly Authentication[]): Authenticator {
  const answers = [...results];
  const answer = () => Promise.resolve(answers.shift()!);
  return {
    recall: () => answers.shift()!,
    authenticate: answer,
    isCurrent: () => true,
    consumeToken: answer,
    watch: () => ({ [Symbol.dispose]: () => {} }),
    refresh: () => Promise.resolve(null),
    onRightsChange: () => ({ [Symbol.dispose]: () => {} }),
  };
}

test('verdicts pass unchanged and are counted', async () => {
  const counted = new CountedAuthenticator(
    answering(
      { verdict: 'unknown' },
      { verdict: 'expired' },
      { verdict: 'unknown' },
      { verdict: 'malformed' },
    ),
  );
  assert.deepEqual(await counted.authenticate('x'), { verdict: 'unknown' });
  assert.deepEqual(await counted.authenticate('x'), { verdict: 'expired' });
  assert.deepEqual(await counted.consumeToken('x'), { verdict: 'unknown' });
  assert.deepEqual(counted.recall('x'), { verdict: 'malformed' });
  const { unknown, expired, malformed, accepted } = counted.verdicts;
  assert.deepEqual([unknown, expired, malformed, accepted], [2, 1, 1, 0]);
});

test('a caller who is still the same counts as accepted', () => {
  const counted = new CountedAuthenticator(answering());
  assert.equal(counted.isCurrent({} as Caller), true);
  assert.equal(counted.verdicts.accepted, 1);
});

test('once the accounts are lost nobody is recognised, not even from memory', async () => {
  const counted = new CountedAuthenticator(answering({ verdict: 'missing' }));
  const cause = new Error('gone');
  counted.refuseAll(cause);
  await assert.rejects(counted.authenticate('Bearer known'), cause);
  await assert.rejects(counted.consumeToken('token'), cause);
  assert.throws(() => counted.recall('Bearer known'), cause);
  assert.equal(counted.isCurrent({} as Caller), false);
});
