/** Limits of requests, history and exports. A digit in this file would be a number that nothing enforces: a test refuses it. */

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
import { SESSION_REQUESTS_PER_MINUTE } from '@tapeloom/server/http/server/admission';
import {
  BYTES_PER_SECOND_MIN,
  WAITING_MAX,
  WINDOW_MS,
} from '@tapeloom/server/http/server/answer-line';
import {
  BODY_BYTES_MAX,
  HEADER_BYTES_MAX,
  HEADERS_MAX,
} from '@tapeloom/server/http/server/http-server';
import { IDEMPOTENCY_KEY_LENGTH_MAX } from '@tapeloom/server/http/server/idempotency';
import { DEPTH_MAX } from '@tapeloom/server/http/server/json-body';
import { RATE_WINDOW_SECONDS } from '@tapeloom/server/http/server/rate-headers';
import { UNREAD_LIMITS } from '@tapeloom/server/http/server/unread-answers';
import { UNREAD_BYTES_MAX, UNREAD_MS_MAX } from '@tapeloom/server/http/server/unread-body';
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
  lead: 'An allowance refills all the time; `RateLimit-Reset` says when it is full again.',
  rows: [
    [
      'requests with a key, of all keys together',
      `by plan, within ${spanOfSeconds(RATE_WINDOW_SECONDS)}`,
      refused('RATE_LIMITED'),
    ],
    [
      'requests of the portal, of all who are signed in to the account',
      `${count(SESSION_REQUESTS_PER_MINUTE.limit!)} a minute`,
      refused('RATE_LIMITED'),
    ],
    [
      'requests without a key to public routes, of one address',
      `${count(PUBLIC_REQUESTS_PER_MINUTE)} a minute`,
      refused('RATE_LIMITED'),
    ],
    [
      'requests for pages such as this one, of one address',
      `${count(PAGE_REQUESTS_PER_MINUTE)} a minute`,
      refused('RATE_LIMITED'),
    ],
    [
      'failed keys and tokens, of one address, over REST and the stream',
      `${count(FAILURES_PER_MINUTE)} a minute`,
      `${refused('RATE_LIMITED')}; a valid key still passes`,
    ],
    ['a body', size(BODY_BYTES_MAX), bodyTooLarge()],
    ['levels of objects and lists in a body', count(DEPTH_MAX), refused('INVALID_PARAMETERS')],
    [
      'all headers together',
      `${size(HEADER_BYTES_MAX)}, ${count(HEADERS_MAX)} of them`,
      refused('INVALID_PARAMETERS'),
    ],
    [
      'what is read and thrown away of a body that was refused',
      `${size(UNREAD_BYTES_MAX)}, ${span(UNREAD_MS_MAX)}`,
      'the connection is cut',
    ],
    [
      'requests sent ahead on one connection',
      count(WAITING_MAX),
      'the answer that says `Connection: close` is the last',
    ],
    [
      'how slowly an answer may be read',
      `${size(BYTES_PER_SECOND_MIN)} a second over ${span(WINDOW_MS)}`,
      'the connection is cut',
    ],
    [
      'answers that the account, or without a key the address, has not read',
      size(UNREAD_LIMITS.eachMax),
      refused('CAPACITY'),
    ],
    [
      '`Idempotency-Key`',
      `${count(IDEMPOTENCY_KEY_LENGTH_MAX)} characters, remembered for ${spanOfNs(REMEMBERED_NS)}, of a page of history for ${spanOfNs(PAGE_REMEMBERED_NS)}`,
      refused('INVALID_PARAMETERS'),
    ],
    [
      'requests with one that are remembered for the account, pages of history not counted',
      count(REMEMBERED_MAX),
      refused('RATE_LIMITED'),
    ],
  ],
};

export const HISTORY: LimitSection = {
  title: 'History',
  lead: 'What a query costs: [costs](concepts/costs.md).',
  rows: [
    [
      'results of a page',
      `${count(LIMIT_DEFAULT)} unless you ask, ${count(LIMIT_MAX)} at most`,
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
      'the page ends, perhaps empty; `next` leads on',
    ],
    [
      'pages and pieces of exports that are computed for an account at a time',
      `${count(COMPUTE_LIMITS.workingPerAccountAndThread)} for each compute thread, ${count(COMPUTE_LIMITS.workingPerAccount)} at most`,
      'the next ones wait their turn',
    ],
    [
      'requests of an account that wait for their turn',
      `${count(COMPUTE_LIMITS.waitingPerAccount)}, for ${span(COMPUTE_LIMITS.waitMs)} each`,
      refused('CAPACITY'),
    ],
    [
      '`untilCursor` ahead of what history knows',
      `waited for ${span(AHEAD_MS_MAX)}`,
      refused('INVALID_PARAMETERS'),
    ],
    [
      'days that a refusal names in `missingDays`',
      count(DAYS_NAMED_MAX),
      '`missingDaysTotal` says how many they are',
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
      'computed bytes that wait in the exports of an account',
      size(PACE_LIMITS.eachMax),
      'nothing more is computed until some are read',
    ],
    [
      'Parquet and Arrow files that are written for an account at a time',
      count(OPEN_LIMITS.eachMax),
      refused('CAPACITY'),
    ],
  ],
};
