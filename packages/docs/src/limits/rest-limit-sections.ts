/** Limits of requests, history and exports. Numbers come from the enforcing code: a test fails on a digit here. */

import { LOOK_BACK_PARAMETER } from '@tapeloom/core/studies/look-back-parameter';
import { LOOK_BACK_SESSIONS_MAX } from '@tapeloom/core/studies/size-threshold';
import {
  FAILURES_PER_MINUTE,
  PAGE_REQUESTS_PER_MINUTE,
  PUBLIC_REQUESTS_PER_MINUTE,
} from '@tapeloom/server/accounts/auth/address-throttle';
import {
  PAGE_REMEMBERED_NS,
  REMEMBERED_MAX,
  REMEMBERED_NS,
} from '@tapeloom/server/accounts/store/once';
import { COMPUTE_LIMITS } from '@tapeloom/server/compute/compute-pool';
import { PACE_LIMITS } from '@tapeloom/server/exports/export-pace';
import { TOKEN_VALID_NS } from '@tapeloom/server/exports/export-token';
import { OPEN_LIMITS } from '@tapeloom/server/exports/table-thread';
import { LIMIT_DEFAULT, LIMIT_MAX } from '@tapeloom/server/history/history-fields';
import { PAGE_BYTES_MAX, PAGE_LIMITS } from '@tapeloom/server/history/history-pages';
import { SESSIONS_MAX } from '@tapeloom/server/http/routes/sessions-route';
import { SESSION_REQUESTS_PER_MINUTE } from '@tapeloom/server/http/server/admission';
import {
  BYTES_PER_SECOND_MIN,
  WAITING_MAX,
  WINDOW_MS,
} from '@tapeloom/server/http/server/answers/answer-line';
import { UNREAD_LIMITS } from '@tapeloom/server/http/server/answers/unread-answers';
import { DEPTH_MAX } from '@tapeloom/server/http/server/bodies/json-body';
import { UNREAD_BYTES_MAX, UNREAD_MS_MAX } from '@tapeloom/server/http/server/bodies/unread-body';
import {
  BODY_BYTES_MAX,
  HEADER_BYTES_MAX,
  HEADERS_MAX,
} from '@tapeloom/server/http/server/http-server';
import { IDEMPOTENCY_KEY_LENGTH_MAX } from '@tapeloom/server/http/server/idempotency';
import { RATE_WINDOW_SECONDS } from '@tapeloom/server/http/server/rate-headers';
import { DAYS_NAMED_MAX } from '@tapeloom/server/platform/refusal-answer';
import { AHEAD_MS_MAX } from '@tapeloom/server/runs/ahead-wait';
import type { LimitSection } from './limit-section.ts';
import {
  bodyTooLarge,
  count,
  refused,
  size,
  span,
  spanOfNs,
  spanOfSeconds,
} from './limit-words.ts';

export const REQUESTS: LimitSection = {
  title: 'Requests',
  lead: 'An allowance refills continuously; `RateLimit-Reset` is the time until it is full again.',
  rows: [
    [
      'requests with a key, of all keys together',
      `by plan, within ${spanOfSeconds(RATE_WINDOW_SECONDS)}`,
      refused('RATE_LIMITED'),
    ],
    [
      'requests of the portal, of all sessions of the account together',
      `${count(SESSION_REQUESTS_PER_MINUTE.limit!)} a minute`,
      refused('RATE_LIMITED'),
    ],
    [
      'requests without a key to public routes, from one address',
      `${count(PUBLIC_REQUESTS_PER_MINUTE)} a minute`,
      refused('RATE_LIMITED'),
    ],
    [
      'requests for pages such as this one, from one address',
      `${count(PAGE_REQUESTS_PER_MINUTE)} a minute`,
      refused('RATE_LIMITED'),
    ],
    [
      'failed keys and tokens, from one address, over REST and the stream',
      `${count(FAILURES_PER_MINUTE)} a minute`,
      `${refused('RATE_LIMITED')}; a valid key still works`,
    ],
    ['a body', size(BODY_BYTES_MAX), bodyTooLarge()],
    ['nesting of objects and lists in a body', count(DEPTH_MAX), refused('INVALID_PARAMETERS')],
    [
      'all headers together',
      `${size(HEADER_BYTES_MAX)}, ${count(HEADERS_MAX)} of them`,
      refused('INVALID_PARAMETERS'),
    ],
    [
      'the part of a rejected body that the service reads and discards',
      `${size(UNREAD_BYTES_MAX)}, ${span(UNREAD_MS_MAX)}`,
      'the service closes the connection',
    ],
    [
      'pipelined requests on one connection',
      count(WAITING_MAX),
      'the response with `Connection: close` is the last',
    ],
    [
      'the slowest you may read a response',
      `${size(BYTES_PER_SECOND_MIN)} a second over ${span(WINDOW_MS)}`,
      'the service closes the connection',
    ],
    [
      'unread responses of the account, or without a key of the address',
      size(UNREAD_LIMITS.eachMax),
      refused('CAPACITY'),
    ],
    [
      '`Idempotency-Key`',
      `${count(IDEMPOTENCY_KEY_LENGTH_MAX)} characters, stored for ${spanOfNs(REMEMBERED_NS)}, for a page of history ${spanOfNs(PAGE_REMEMBERED_NS)}`,
      refused('INVALID_PARAMETERS'),
    ],
    [
      'stored requests with an `Idempotency-Key` of the account, pages of history not counted',
      count(REMEMBERED_MAX),
      refused('RATE_LIMITED'),
    ],
  ],
};

export const HISTORY: LimitSection = {
  title: 'History',
  lead: 'For the cost of a query, see [costs](concepts/costs.md).',
  rows: [
    [
      'results of a page',
      `${count(LIMIT_DEFAULT)} by default, ${count(LIMIT_MAX)} at most`,
      '`next` leads to the rest',
    ],
    ...Object.entries(PAGE_LIMITS.itemsOf).map(
      ([indicator, items]) =>
        [
          `results of a page of \`${indicator}\``,
          count(items),
          '`next` leads to the rest',
        ] as const,
    ),
    ['the size of a page, as text', size(PAGE_BYTES_MAX), '`next` leads to the rest'],
    [
      'trades that one page covers',
      count(PAGE_LIMITS.trades),
      'the page ends, perhaps empty; `next` leads to the rest',
    ],
    [
      'pages and parts of exports that are computed for an account at a time',
      `${count(COMPUTE_LIMITS.workingPerAccountAndThread)} for each compute thread, ${count(COMPUTE_LIMITS.workingPerAccount)} at most`,
      'further ones wait in a queue',
    ],
    [
      'requests of an account in the queue',
      `${count(COMPUTE_LIMITS.waitingPerAccount)}, for ${span(COMPUTE_LIMITS.waitMs)} each`,
      refused('CAPACITY'),
    ],
    [
      '`untilCursor` ahead of history',
      `a wait of ${span(AHEAD_MS_MAX)}`,
      refused('INVALID_PARAMETERS'),
    ],
    [
      'days that an error lists in `missingDays`',
      count(DAYS_NAMED_MAX),
      '`missingDaysTotal` is their number',
    ],
    [
      'sessions that an automatic threshold may look back',
      count(LOOK_BACK_SESSIONS_MAX),
      refused('NOT_COVERED'),
    ],
    [
      '`lookback` of objects that outlive their session',
      `${count(LOOK_BACK_PARAMETER.maximum!)} sessions`,
      refused('INVALID_PARAMETERS'),
    ],
    [
      'trading sessions in a response',
      count(SESSIONS_MAX),
      `${refused('INVALID_PARAMETERS')}; ask for a shorter range`,
    ],
  ],
};

export const EXPORTS: LimitSection = {
  title: 'Exports',
  lead: '',
  rows: [
    [
      'an export can be resumed',
      `${spanOfNs(TOKEN_VALID_NS)} from its start`,
      `${refused('CURSOR_EXPIRED')}; start a new one`,
    ],
    [
      'computed bytes pending in the exports of an account',
      size(PACE_LIMITS.eachMax),
      'the service computes more when you have read some',
    ],
    [
      'Parquet, Arrow and CSV files being written for an account at a time',
      count(OPEN_LIMITS.eachMax),
      refused('CAPACITY'),
    ],
  ],
};
