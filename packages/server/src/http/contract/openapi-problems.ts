/** Errors in the contract: their document, and an example of each code with each of its statuses. */

import { ERROR_CODES, type ErrorCode, errorAnchor } from '@tapeloom/protocol/error-codes';
import type { RouteError } from '../server/route.ts';

const ERROR_NAMES = Object.keys(ERROR_CODES) as ErrorCode[];
const DOCS = 'http://127.0.0.1:8080/docs';

export const PROBLEM_SCHEMA = {
  title: 'Problem',
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code', 'instance'],
  properties: {
    type: { type: 'string', format: 'uri', description: 'Documentation of the code.' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What went wrong, for people; the text may change.' },
    code: {
      title: 'ErrorCode',
      enum: ERROR_NAMES.filter((code) => ERROR_CODES[code].statuses.length > 0),
    },
    instance: { type: 'string', description: 'The request id, for support.' },
    errors: {
      type: 'array',
      description: 'Only with INVALID_PARAMETERS: the faulty fields.',
      items: {
        title: 'FieldFault',
        type: 'object',
        required: ['path', 'message'],
        properties: {
          path: { type: 'string', format: 'json-pointer' },
          message: { type: 'string' },
        },
      },
    },
    computeUnits: {
      type: 'integer',
      minimum: 0,
      description: 'With errors of history and exports: the cost of the query, if it is known.',
    },
    remainingComputeUnits: {
      type: 'integer',
      minimum: 0,
      description: 'With QUOTA_EXCEEDED: the compute units that are left this month.',
    },
    missingDays: {
      type: 'array',
      items: { type: 'string', format: 'date' },
      description: 'With NOT_COVERED: the days without data, the first 1,000 of them.',
    },
    missingDaysTotal: {
      type: 'integer',
      minimum: 0,
      description: 'With NOT_COVERED: the number of days without data.',
    },
    endsBeforeFrom: {
      type: 'boolean',
      const: true,
      description: 'With INVALID_PARAMETERS: untilCursor is before from.',
    },
    needsPasskey: {
      type: 'boolean',
      const: true,
      description:
        "With FORBIDDEN, in the portal: one of the account's passkeys must confirm the action.",
    },
    state: {
      type: 'integer',
      minimum: 1,
      description: 'With CONFLICT, in the portal: the number of the newest state of the layout.',
    },
  },
};

/** An example text for each code. */
const DETAILS: Readonly<Record<ErrorCode, string>> = {
  INVALID_PARAMETERS: 'from: must be a time, such as 2026-11-09T14:30:00Z.',
  UNKNOWN_INDICATOR: 'There is no indicator "candles".',
  UNKNOWN_INSTRUMENT: 'There is no instrument "ESX9".',
  NOT_COVERED: 'There is no data for 2026-11-05.',
  WARMING: 'The tape is not known yet; try again in a moment.',
  QUOTA_EXCEEDED: 'The request costs 25900 compute units, but only 1200 are left this month.',
  RATE_LIMITED: 'Too many requests in a minute. Try again in 4 seconds.',
  CAPACITY: 'Too many requests are under way; try again in a moment.',
  CURSOR_EXPIRED: 'The cursor is of an older version of the indicator.',
  UNAUTHORIZED: 'The API key is not known.',
  FORBIDDEN: 'The key needs the scope history.',
  NOT_FOUND: 'There is nothing at this address.',
  CONFLICT: 'The key has already been rotated.',
  WITHDRAWAL_WAIVER_REQUIRED: 'The current version of the waiver was not accepted.',
  SOURCE_DOWN: 'Data of this instrument is temporarily unavailable.',
  UPSTREAM_ERROR: 'The payment provider did not respond as expected.',
  INTERNAL: 'Something went wrong in the service. Give support the request id.',
};

const MEMBERS: Readonly<Partial<Record<ErrorCode, object>>> = {
  INVALID_PARAMETERS: {
    errors: [{ path: '/from', message: 'must be a time, such as 2026-11-09T14:30:00Z' }],
  },
  NOT_COVERED: { computeUnits: 0, missingDays: ['2026-11-05'], missingDaysTotal: 1 },
  QUOTA_EXCEEDED: { computeUnits: 25_900, remainingComputeUnits: 1_200 },
};

export function problemExamples(errors: readonly RouteError[]): object {
  return Object.fromEntries(errors.map((error) => [exampleName(error), problemExample(error)]));
}

export function exampleName({ code, status }: RouteError): string {
  return `${code}.${status}`;
}

function problemExample({ code, status }: RouteError): object {
  const { title } = ERROR_CODES[code];
  return {
    summary: title,
    value: {
      type: `${DOCS}/errors#${errorAnchor(code)}`,
      title,
      status,
      detail: DETAILS[code],
      code,
      instance: 'req_5f0c1d2e3b4a59687786',
      ...MEMBERS[code],
    },
  };
}
