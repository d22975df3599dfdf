import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ERROR_CODES, type ErrorCode, errorAnchor } from './error-codes.ts';

/** The published list. Entries and statuses may be added; none may change or go. */
const PUBLISHED: Readonly<Record<string, readonly number[]>> = {
  INVALID_PARAMETERS: [400, 413, 414, 415],
  UNKNOWN_INDICATOR: [404],
  UNKNOWN_INSTRUMENT: [404],
  NOT_COVERED: [402],
  WARMING: [409],
  QUOTA_EXCEEDED: [429, 409],
  RATE_LIMITED: [429],
  CAPACITY: [503],
  CURSOR_EXPIRED: [410],
  UNAUTHORIZED: [401],
  FORBIDDEN: [403],
  NOT_FOUND: [404, 405],
  CONFLICT: [409],
  WITHDRAWAL_WAIVER_REQUIRED: [400],
  SOURCE_DOWN: [],
  UPSTREAM_ERROR: [502],
  INTERNAL: [500],
};

test('the list of error codes and their statuses is the published one [VER-03]', () => {
  const list = Object.fromEntries(
    Object.entries(ERROR_CODES).map(([code, entry]) => [code, [...entry.statuses]]),
  );
  assert.deepEqual(list, PUBLISHED);
});

test('an anchor is the code in kebab case', () => {
  assert.equal(errorAnchor('INVALID_PARAMETERS'), 'invalid-parameters');
  for (const code of Object.keys(ERROR_CODES) as ErrorCode[]) {
    assert.match(errorAnchor(code), /^[a-z]+(-[a-z]+)*$/);
  }
});
