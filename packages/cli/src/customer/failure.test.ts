import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLIENT_ERROR_CODES, TapeloomError } from '@tapeloom/client';
import { ERROR_CODES } from '@tapeloom/protocol/error-codes';
import { runRecorded } from '../../testing/recorded-io.ts';
import type { Command } from '../command.ts';
import { EXIT_CODE_MEANINGS, ExitCode, exitCodeOf } from '../exit-codes.ts';
import { failureOf, NotSignedInError } from './failure.ts';

test('every code of the service and of the client has the exit code that scripts decide by', () => {
  const byExit = Map.groupBy([...Object.keys(ERROR_CODES), ...CLIENT_ERROR_CODES], exitCodeOf);
  assert.deepEqual(Object.fromEntries(byExit), {
    1: [
      'CONFLICT',
      'WITHDRAWAL_WAIVER_REQUIRED',
      'CLOSED',
      'INVALID_RESPONSE',
      'PROTOCOL_ERROR',
      'BINARY_NOT_SUPPORTED',
      'INVALID_UTF8',
      'MESSAGE_TOO_BIG',
    ],
    2: ['INVALID_PARAMETERS', 'CONFIGURATION'],
    3: ['UNAUTHORIZED', 'FORBIDDEN', 'KEY_REVOKED', 'ENTITLEMENTS_CHANGED'],
    4: ['UNKNOWN_INDICATOR', 'UNKNOWN_INSTRUMENT', 'NOT_FOUND'],
    5: ['QUOTA_EXCEEDED', 'RATE_LIMITED', 'TOO_MANY_CONNECTIONS'],
    6: ['NETWORK'],
    7: ['WARMING', 'CAPACITY', 'SOURCE_DOWN', 'UPSTREAM_ERROR', 'INTERNAL'],
    8: ['NOT_COVERED', 'CURSOR_EXPIRED'],
  });
  assert.deepEqual(
    [502, 401, 403, 404, 429, 418].map((status) => exitCodeOf(`HTTP_${status}`)),
    [7, 3, 3, 4, 5, 1],
  );
});

test('every exit code has its meaning in the help', () => {
  const told = EXIT_CODE_MEANINGS.map(([code]) => code);
  assert.deepEqual(told, Object.values(ExitCode));
});

test('a failure is one sentence with fields, limits, what to do, the code and the request', () => {
  const fields = new TapeloomError('INVALID_PARAMETERS', 'A field is wrong', {
    status: 400,
    requestId: 'r1',
    errors: [{ path: '/params/size', message: 'must be a whole number' }],
  });
  assert.deepEqual(failureOf(fields), {
    sentence:
      'A field is wrong. /params/size: must be a whole number. (INVALID_PARAMETERS, request r1)',
    exitCode: ExitCode.usage,
  });
  const quota = new TapeloomError('QUOTA_EXCEEDED', 'The budget is used up.', {
    computeUnits: 5_000,
    remainingComputeUnits: 12,
    retryAfterSeconds: 1_209_600,
  });
  assert.deepEqual(failureOf(quota), {
    sentence:
      'The budget is used up. The request costs 5,000 compute units, but only 12 are left this month. ' +
      'Try again in 14 days. tapeloom usage shows what is left. (QUOTA_EXCEEDED)',
    exitCode: ExitCode.limit,
  });
  assert.equal(failureOf(new NotSignedInError('sign in'))?.exitCode, ExitCode.refused);
  assert.equal(failureOf(new Error('disk is full')), null);
});

test('whatever an error quotes, no secret is printed', async () => {
  const secret = `svc_live_${'s'.repeat(33)}`;
  const thrown = [
    new Error(`bad header: Bearer ${secret}`, { cause: new Error(secret) }),
    new TapeloomError('NETWORK', `cannot send ${secret}`),
  ];
  for (const error of thrown) {
    const command: Command = {
      path: ['x'],
      summary: '',
      usage: '',
      run: () => Promise.reject(error),
    };
    const { err } = await runRecorded([command], ['x'], { env: { TAPELOOM_DEBUG: '1' } });
    assert.ok(err.includes('svc_live_…') && !err.includes(secret), err);
  }
});
