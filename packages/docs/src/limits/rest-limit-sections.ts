/** Limits of requests, history and exports. A digit in this file would be a number that nothing enforces: a test refuses it. */

import { LOOK_BACK_PARAMETER } from '@tapeloom/core/studies/look-back-parameter';
import { LOOK_BACK_SESSIONS_MAX } from '@tapeloom/core/studies/size-threshold';
import {
  FAILURES_PER_MINUTE,
  PAGE_REQUESTS_PER_MINUTE,
  PUBLIC_REQUESTS_PER_MINUTE,
} from '@tapeloom/server/accounts/auth/address-throttle';
import { REMEMBERED_MAX, REMEMBERED_NS } from '@tapeloom/server/accounts/store/once';
import { COMPUTE_LIMITS } from '@tapeloom/server/compute/compute-pool';
import { PACE_LIMITS } from '@tapeloom/server/exports/export-pace';
import { TOKEN_VALID_NS } from '@tapeloom/server/exports/export-token';
import { OPEN_LIMITS } from '@tapeloom/server/exports/table-thread';
import { AHEAD_MS_MAX } from '@tapeloom/server/history/awaited-cursors';
import { LIMIT_DEFAULT, LIMIT_MAX } from '@tapeloom/server/history/history-fields';
import { PAGE_BYTES_MAX, PAGE_LIMITS } from '@tapeloom/server/history/history-pages';
import { DAYS_NAMED_MAX } from '@tapeloom/server/history/refusal-answer';
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
    {
      what: 'requests with a key, of all keys together',
      limit: `by plan, within ${spanOfSeconds(RATE_WINDOW_SECONDS)}`,
      beyond: refused('RATE_LIMITED'),
    },
    {
      what: 'requests of the portal, of all who are signed in to the account',
      limit: `${count(SESSION_REQUESTS_PER_MINUTE.limit!)} a minute`,
      beyond: refused('RATE_LIMITED'),
    },
    {
      what: 'requests without a key to public routes, of one address',
      limit: `${count(PUBLIC_REQUESTS_PER_MINUTE)} a minute`,
      beyond: refused('RATE_LIMITED'),
    },
    {
      what: 'requests for pages such as this one, of one address',
      limit: `${count(PAGE_REQUESTS_PER_MINUTE)} a minute`,
      beyond: refused('RATE_LIMITED'),
    },
    {
      what: 'failed keys and tokens, of one address, over REST and the stream',
      limit: `${count(FAILURES_PER_MINUTE)} a minute`,
      beyond: `${refused('RATE_LIMITED')}; a valid key still passes`,
    },
    { what: 'a body', limit: size(BODY_BYTES_MAX), beyond: bodyTooLarge() },
    {
      what: 'levels of objects and lists in a body',
      limit: count(DEPTH_MAX),
      beyond: refused('INVALID_PARAMETERS'),
    },
    {
      what: 'all headers together',
      limit: `${size(HEADER_BYTES_MAX)}, ${count(HEADERS_MAX)} of them`,
      beyond: refused('INVALID_PARAMETERS'),
    },
    {
      what: 'what is read and thrown away of a body that was refused',
      limit: `${size(UNREAD_BYTES_MAX)}, ${span(UNREAD_MS_MAX)}`,
      beyond: 'the connection is cut',
    },
    {
      what: 'requests sent ahead on one connection',
      limit: count(WAITING_MAX),
      beyond: 'the answer that says `Connection: close` is the last',
    },
    {
      what: 'how slowly an answer may be read',
      limit: `${size(BYTES_PER_SECOND_MIN)} a second over ${span(WINDOW_MS)}`,
      beyond: 'the connection is cut',
    },
    {
      what: 'answers that the account, or without a key the address, has not read',
      limit: size(UNREAD_LIMITS.eachMax),
      beyond: refused('CAPACITY'),
    },
    {
      what: '`Idempotency-Key`',
      limit: `${count(IDEMPOTENCY_KEY_LENGTH_MAX)} characters, remembered for ${spanOfNs(REMEMBERED_NS)}`,
      beyond: refused('INVALID_PARAMETERS'),
    },
    {
      what: 'requests with one that are remembered for the account',
      limit: count(REMEMBERED_MAX),
      beyond: refused('RATE_LIMITED'),
    },
  ],
};

export const HISTORY: LimitSection = {
  title: 'History',
  lead: 'What a query costs: [costs](concepts/costs.md).',
  rows: [
    {
      what: 'results of a page',
      limit: `${count(LIMIT_DEFAULT)} unless you ask, ${count(LIMIT_MAX)} at most`,
      beyond: '`next` leads to the rest',
    },
    ...Object.entries(PAGE_LIMITS.itemsOf).map(([indicator, items]) => ({
      what: `results of a page of \`${indicator}\``,
      limit: count(items),
      beyond: '`next` leads to the rest',
    })),
    {
      what: 'the size of a page, as text',
      limit: size(PAGE_BYTES_MAX),
      beyond: '`next` leads to the rest',
    },
    {
      what: 'trades that one page covers',
      limit: count(PAGE_LIMITS.trades),
      beyond: 'the page ends, perhaps empty; `next` leads on',
    },
    {
      what: 'pages and pieces of exports that are computed for an account at a time',
      limit: count(COMPUTE_LIMITS.workingPerAccount),
      beyond: 'the next ones wait their turn',
    },
    {
      what: 'requests of an account that wait for their turn',
      limit: `${count(COMPUTE_LIMITS.waitingPerAccount)}, for ${span(COMPUTE_LIMITS.waitMs)} each`,
      beyond: refused('CAPACITY'),
    },
    {
      what: '`untilCursor` ahead of what history knows',
      limit: `waited for ${span(AHEAD_MS_MAX)}`,
      beyond: refused('INVALID_PARAMETERS'),
    },
    {
      what: 'days that a refusal names in `missingDays`',
      limit: count(DAYS_NAMED_MAX),
      beyond: '`missingDaysTotal` says how many they are',
    },
    {
      what: 'sessions that an automatic threshold may look back',
      limit: count(LOOK_BACK_SESSIONS_MAX),
      beyond: refused('NOT_COVERED'),
    },
    {
      what: '`lookback` of objects that outlive their session',
      limit: `${count(LOOK_BACK_PARAMETER.maximum!)} sessions`,
      beyond: refused('INVALID_PARAMETERS'),
    },
  ],
};

export const EXPORTS: LimitSection = {
  title: 'Exports',
  lead: '',
  rows: [
    {
      what: 'an export can be resumed',
      limit: `${spanOfNs(TOKEN_VALID_NS)} from its start`,
      beyond: `${refused('CURSOR_EXPIRED')}; start a new one`,
    },
    {
      what: 'computed bytes that wait in the exports of an account',
      limit: size(PACE_LIMITS.eachMax),
      beyond: 'nothing more is computed until some are read',
    },
    {
      what: 'Parquet and Arrow files that are written for an account at a time',
      limit: count(OPEN_LIMITS.eachMax),
      beyond: refused('CAPACITY'),
    },
  ],
};
