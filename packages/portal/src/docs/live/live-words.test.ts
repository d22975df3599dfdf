import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TapeloomError } from '@tapeloom/client/stream';
import { PLANS } from '@tapeloom/core/entitlement/plan';
import { PortalError } from '../../api/portal-error.ts';
import { costText, delayText, failureText } from './live-words.ts';

test('what a live part takes of a plan, and how late it is, follows from the plan', () => {
  assert.equal(
    costText({ plan: 'sandbox', subscriptions: 2, isCustom: true }),
    'An open stream uses 1 of 1 connection, 2 of 2 subscriptions, 1 of 1 custom configuration of your plan. It costs no compute units.',
  );
  assert.deepEqual(PLANS.map(delayText), ['10 minutes late', null, '10 minutes late', null]);
});

test('limits, a session that is over and anything else are told in words', () => {
  const said = (code: string) => failureText(new TapeloomError(code, 'as the service says'));
  assert.match(said('TOO_MANY_CONNECTIONS'), /All connections of your plan are in use/);
  assert.match(said('QUOTA_EXCEEDED'), /Other programs use all/);
  assert.match(said('UNAUTHORIZED'), /signed out/);
  assert.equal(said('CAPACITY'), 'as the service says');
  const over = new PortalError('UNAUTHORIZED', 'no session', { status: 401 });
  assert.match(failureText(over), /signed out/);
  assert.equal(failureText(new PortalError('CAPACITY', 'Too much to do.')), 'Too much to do.');
  assert.equal(failureText('odd'), 'odd');
});
