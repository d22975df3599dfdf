/**
 * A route as a record: from it come the handler, the validation, the rights check and its page in
 * `contract/openapi.json`, so none of them can disagree. Query and body schemas are closed.
 */

import type { ErrorCode } from '@tapeloom/protocol/error-codes';
import type { Static, TObject, TSchema } from 'typebox';
import type { Principal } from '../accounts/authenticator.ts';

export interface RouteDefinition<
  Query extends TObject,
  Body extends TObject,
  Answer extends TSchema,
> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below `/v1/`, with `:name` for a variable part. */
  readonly path: `/v1/${string}`;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  /** `public`: no key is looked at. `key`: any valid key. */
  readonly access: 'public' | 'key';
  readonly query?: Query;
  readonly body?: Body;
  readonly answer: Answer;
  /** What it may refuse with, beyond what every route may. */
  readonly errors?: readonly ErrorCode[];
  handle(
    request: RouteRequest<Static<Query>, Static<Body>>,
  ): Promise<Static<Answer>> | Static<Answer>;
}

export interface RouteRequest<Query, Body> {
  readonly query: Query;
  readonly body: Body;
  /** Null on a public route. */
  readonly principal: Principal | null;
}

export type Route = RouteDefinition<TObject, TObject, TSchema>;

/** Checks the definition's types against its schemas and forgets them, so that routes make a list. */
export function defineRoute<Query extends TObject, Body extends TObject, Answer extends TSchema>(
  definition: RouteDefinition<Query, Body, Answer>,
): Route {
  return definition as unknown as Route;
}
