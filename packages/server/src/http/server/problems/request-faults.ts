/** All faults of a request at once: body and query by their schemas, and the route's own checks; each field once. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { FieldFault } from '@tapeloom/protocol/problem';
import type { FastifyRequest } from 'fastify';
import type { TObject } from 'typebox';
import { closedObject } from '../../contract/schema.ts';
import type { Route } from '../route.ts';
import { fieldFaults } from './problem-document.ts';

export const NO_FIELDS = closedObject({});

/** The framework has validated before, but stops at the first part with a fault. */
export function requestFaults(
  route: Route,
  request: FastifyRequest,
  now: EpochNs,
): readonly FieldFault[] {
  const own = route.faults?.(request.body, now) ?? [];
  if (request.validationError === undefined) return own;
  if (route.body !== undefined && request.body === undefined) return [missingBody(route.body)];
  const isBodyLeftOut = route.body === undefined && request.body === undefined;
  const all = [
    ...(isBodyLeftOut ? [] : schemaFaults(request, 'body', request.body)),
    ...schemaFaults(request, 'querystring', request.query),
    ...own,
  ];
  return [...new Map(all.toReversed().map((fault) => [fault.path, fault])).values()].toReversed();
}

function missingBody(body: TObject): FieldFault {
  const required: readonly string[] = body.required ?? [];
  const message = `The body is missing: a JSON object with ${required.join(', ')} is expected.`;
  return { path: '', message };
}

function schemaFaults(
  request: FastifyRequest,
  part: 'body' | 'querystring',
  value: unknown,
): readonly FieldFault[] {
  // The route has no schema for a part that its method does not have.
  const validate = request.getValidationFunction(part);
  if (validate === undefined || validate(value)) return [];
  return fieldFaults(validate.errors ?? []);
}
