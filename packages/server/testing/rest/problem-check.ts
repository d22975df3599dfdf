/**
 * What holds for every REST error: a complete problem document with a code of the table, a status allowed for that
 * code, an anchor that exists in `docs/errors.md`, and a unique request id.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_CODES, type ErrorCode, errorAnchor } from '@tapeloom/protocol/error-codes';
import { PROBLEM_CONTENT_TYPE, type Problem } from '@tapeloom/protocol/problem';

const PAGE = readFileSync(join(import.meta.dirname, '../../../../docs/errors.md'), 'utf8');
/** The anchors of the page's headings. */
const ANCHORS = new Set(
  [...PAGE.matchAll(/^## (.+)$/gm)].map(([, heading]) =>
    heading!.toLowerCase().replaceAll(' ', '-'),
  ),
);
const JSON_POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/;
const FIELDS = ['code', 'detail', 'instance', 'status', 'title', 'type'];

/** Additional members of history rejections, of acts that need a passkey, and of layouts that have changed. */
const MEMBERS: Partial<Record<ErrorCode, readonly string[]>> = {
  NOT_COVERED: ['computeUnits', 'missingDays', 'missingDaysTotal'],
  INVALID_PARAMETERS: ['endsBeforeFrom'],
  FORBIDDEN: ['needsPasskey'],
  CONFLICT: ['state'],
  QUOTA_EXCEEDED: ['computeUnits', 'remainingComputeUnits'],
};

const seenIds = new Set<string>();

export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: unknown;
}

/** Asserts all of this, and the expected error if given; returns the document. */
export function checkProblem(
  { status, headers, body }: ErrorAnswer,
  docsUrl: string,
  expected?: { readonly status: number; readonly code: ErrorCode },
): Problem {
  const problem = body as Problem;
  const about = JSON.stringify(body);
  if (expected !== undefined) {
    assert.deepEqual({ status, code: problem.code }, expected, about);
  }
  assert.equal(headers['content-type'], PROBLEM_CONTENT_TYPE, about);
  assert.equal(problem.status, status, about);
  assert.ok(Object.hasOwn(ERROR_CODES, problem.code), about);
  const statuses: readonly number[] = ERROR_CODES[problem.code].statuses;
  assert.ok(statuses.includes(status), about);
  const anchor = errorAnchor(problem.code);
  assert.equal(problem.type, `${docsUrl}/errors#${anchor}`, about);
  assert.ok(ANCHORS.has(anchor), `docs/errors.md has #${anchor}`);
  for (const text of [problem.title, problem.detail]) {
    assert.ok(typeof text === 'string' && text !== '', about);
  }
  checkInstance(problem, headers);
  checkFaults(problem);
  if (status === 429) assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/, about);
  return problem;
}

function checkInstance({ instance }: Problem, headers: ErrorAnswer['headers']): void {
  assert.match(instance, /^req_[0-9a-f]{32}$/);
  assert.equal(instance, headers['x-request-id']);
  assert.ok(!seenIds.has(instance), 'request ids are unique');
  seenIds.add(instance);
}

function checkFaults(problem: Problem): void {
  const isInvalid = problem.code === 'INVALID_PARAMETERS';
  const fields = isInvalid ? [...FIELDS, 'errors'].sort() : FIELDS;
  const members = MEMBERS[problem.code] ?? [];
  const own = Object.keys(problem).filter((name) => !members.includes(name));
  assert.deepEqual(own.sort(), fields);
  if (!isInvalid) return;
  const faults = problem.errors!;
  assert.ok(Array.isArray(faults) && faults.length > 0);
  for (const fault of faults) {
    assert.deepEqual(Object.keys(fault).sort(), ['message', 'path']);
    assert.match(fault.path, JSON_POINTER);
    assert.ok(typeof fault.message === 'string' && fault.message !== '');
  }
  assert.equal(new Set(faults.map(({ path }) => path)).size, faults.length, 'a field once');
}
