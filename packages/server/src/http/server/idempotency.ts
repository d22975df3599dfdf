/**
 * The header `Idempotency-Key`: a request that carries it is done once, however often it is sent within 24 hours. Two
 * requests are equal when method, path, query and body are equal, in any order of fields.
 */

import { createHash } from 'node:crypto';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { FieldFault } from '@tapeloom/protocol/problem';
import type { FastifyRequest } from 'fastify';
import { type OnceRefused, type OnceRequest, REMEMBERED_MAX } from '../../accounts/store/once.ts';
import { invalidParameters, type ProblemError, rateLimited } from './problems/problem-error.ts';
import type { Route } from './route.ts';

export const IDEMPOTENCY_KEY = 'Idempotency-Key';
export const IDEMPOTENT_REPLAYED = 'Idempotent-Replayed';
export const IDEMPOTENCY_KEY_LENGTH_MAX = 255;

const HEADER = IDEMPOTENCY_KEY.toLowerCase();
const AT_HEADER = `/${IDEMPOTENCY_KEY}`;
const PRINTABLE = /^[\x20-\x7e]+$/;

export function idempotencyFaults(route: Route, request: FastifyRequest): readonly FieldFault[] {
  if (route.isIdempotent !== true) return [];
  const values = valuesOf(request);
  const isGood = (value: string) =>
    value.length <= IDEMPOTENCY_KEY_LENGTH_MAX && PRINTABLE.test(value);
  if (values.length === 0 || (values.length === 1 && isGood(values[0]!))) return [];
  const form = `1 to ${IDEMPOTENCY_KEY_LENGTH_MAX} printable ASCII characters`;
  return [{ path: AT_HEADER, message: `is a header that must be sent once, with ${form}` }];
}

/** Null when the request has no idempotency key, or the route does not support them. */
export function onceOf(route: Route, request: FastifyRequest): OnceRequest | null {
  if (route.isIdempotent !== true) return null;
  const [idempotencyKey] = valuesOf(request);
  if (idempotencyKey === undefined) return null;
  const { params, query, body = null } = request;
  const said = canonicalText([route.method, route.path, params, query, body]);
  return { idempotencyKey, request: createHash('sha256').update(said).digest('hex') };
}

/** The error for a request that was not done because of its idempotency key. */
export function onceProblem(
  refused: Exclude<OnceRefused, { readonly refused: 'done-before' }>,
  now: EpochNs,
): ProblemError {
  switch (refused.refused) {
    case 'another-request': {
      const message = 'was already used for a different request; use a new one for each request';
      return invalidParameters([{ path: AT_HEADER, message }]);
    }
    case 'too-many-remembered': {
      const why =
        `The account has sent ${REMEMBERED_MAX} requests with an ${IDEMPOTENCY_KEY} in 24 hours, ` +
        'which is the limit. Requests without the header have no such limit.';
      return rateLimited(why, refused.until, now);
    }
    default:
      return refused satisfies never;
  }
}

/** One value for each time the header was sent: joined, two would read like one. */
function valuesOf({ raw: { rawHeaders } }: FastifyRequest): readonly string[] {
  return rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === HEADER,
  );
}

/** Equal for equal JSON, in whatever order the fields of its objects stand. */
function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
