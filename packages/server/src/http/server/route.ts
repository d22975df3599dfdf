/**
 * A route as a record. The handler, the validation, the rights check and its page in `contract/openapi.json` all come
 * from it, so they cannot disagree. Query and body schemas are closed.
 */

import type { Deprecation } from '@tapeloom/core/deprecation';
import type { Scope } from '@tapeloom/core/entitlement/key-rights';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { ErrorCode } from '@tapeloom/protocol/error-codes';
import type { FieldFault } from '@tapeloom/protocol/problem';
import type { Static, TObject, TSchema } from 'typebox';
import type { Caller } from '../../accounts/auth/caller.ts';
import type { Session } from '../../accounts/auth/session-keeper.ts';
import type { OnceRequest } from '../../accounts/store/once.ts';
import type { StreamedAnswer } from './answers/streamed-answer.ts';

/**
 * Which callers a route admits.
 * - `public`: all; no key is read. `optional`: all, but a recognised key counts its request.
 * - `key`: any valid key. `scope`: a key that has it.
 * - `session`: a portal session; no key is read. Changes must come from the portal's own pages, as must all other
 *   changes below its path.
 * - `session-as-key`: likewise, but all its requests must come from our own pages. The session acts as a live key of
 *   the account: with its plan's rights, counted and charged.
 */
export type Access =
  | 'public'
  | 'optional'
  | 'key'
  | 'session'
  | 'session-as-key'
  | { readonly scope: Scope };

/** The caller that a handler sees, by access. */
type CallerOf<A extends Access> = A extends 'public' | 'session'
  ? null
  : A extends 'optional'
    ? Caller | null
    : Caller;

type SessionOf<A extends Access> = A extends 'session' ? Session : null;

export interface RouteDefinition<
  Query extends TObject,
  Body extends TObject,
  Answer extends TSchema,
  A extends Access,
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/v1/`, with `:name` for a variable part. */
  readonly path: `/v1/${string}`;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly access: A;
  readonly query?: Query;
  /** The handler checks the query and reports all its faults at once; the schema only describes it. */
  readonly judgesQuery?: true;
  /** It supports `Idempotency-Key`: with one it is done once, however often it is requested. */
  readonly isIdempotent?: true;
  /** Portal only: an account with passkeys must confirm it by the header `X-Passkey`; see `passkey-proof.ts`. */
  readonly asksPasskey?: true;
  /** Portal only: allowed for the owner of a suspended account too, though it is a POST or PUT. */
  readonly isForSuspended?: true;
  /**
   * The `Cache-Control` of a public answer. It has an `ETag`, is compressed when the client accepts it, and pages of
   * any origin may read it. Absent: the answer must not be cached or shared.
   */
  readonly cacheControl?: string;
  /** Its handler sets an `ETag` on some answers, and returns `NOT_MODIFIED` when the client has them already. */
  readonly isTagged?: true;
  /** Absent: no body is needed, and an empty object is the only one accepted. */
  readonly body?: Body;
  /** The body is passed on as it comes, whatever its content type; only the handler reads it. */
  readonly rawBody?: true;
  /** The largest body, where it may be larger than the default. */
  readonly bodyBytesMax?: number;
  /**
   * For a public route: a signature in the request identifies its sender. A request with a good signature is not
   * limited; one without counts for its address, by the handler.
   */
  readonly isSigned?: true;
  /** It will be removed: every response announces it, and so does the contract. */
  readonly deprecated?: Deprecation;
  readonly answer: Answer;
  /** The content types of an answer that is not JSON. */
  readonly answerTypes?: readonly string[];
  /** The status of success: 201 where something was created, 202 where something will be done. */
  readonly status?: 200 | 201 | 202;
  /** Possible errors, beyond those of every route with this access. */
  readonly errors?: readonly RouteError[];
  /** Faults of the body that no schema can express; reported with the schema's, so `body` may have any shape. */
  faults?(body: unknown, now: EpochNs): readonly FieldFault[];
  handle(
    request: RouteRequest<Static<Query>, Static<Body>, CallerOf<A>, SessionOf<A>>,
  ): Promise<RouteAnswer<Answer>> | RouteAnswer<Answer>;
  /**
   * For a GET whose body costs something: the handler of HEAD. It rejects what GET would reject before anything is
   * computed or charged, and sets the headers that are known by then.
   */
  head?(
    request: RouteRequest<Static<Query>, Static<Body>, CallerOf<A>, SessionOf<A>>,
  ): Promise<void> | void;
}

/** For answers that change only with a new version of the service. */
export const PUBLIC_CACHE_CONTROL = 'public, max-age=60';

/** The answer, its JSON encoded before, or a body that is not JSON. */
type RouteAnswer<Answer extends TSchema> =
  | Static<Answer>
  | EncodedJson
  | Buffer
  | StreamedAnswer
  | typeof NOT_MODIFIED
  | typeof NO_BODY;

/** Returned when `If-None-Match` names the answer that the request would get: 304, without a body. */
export const NOT_MODIFIED = Symbol('not modified');

/** Returned to HEAD when the body would have to be computed: 200, without a length. */
export const NO_BODY = Symbol('no body');

/** JSON encoded once; its bytes are made once, however often they are sent. */
export class EncodedJson {
  readonly text: string;
  #bytes: Buffer | null = null;

  constructor(text: string) {
    this.text = text;
  }

  get bytes(): Buffer {
    this.#bytes ??= Buffer.from(this.text);
    return this.#bytes;
  }
}

export interface RouteError {
  readonly code: ErrorCode;
  readonly status: number;
}

export interface RouteRequest<Query, Body, C, S = null> {
  readonly query: Query;
  readonly body: Body;
  /** The raw body of a route with `rawBody`; otherwise empty. */
  readonly bytes: Uint8Array;
  /** The variable parts of the path, by name. */
  readonly params: Readonly<Record<string, string>>;
  readonly caller: C;
  readonly session: S;
  readonly address: string;
  /** By lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The value of the request header with this lower-case name. */
  header(name: string): string | undefined;
  /** Sent with the answer. */
  setHeader(name: string, value: string): void;
  /** Null: the request has no idempotency key, or the route does not support them. */
  readonly once: OnceRequest | null;
  /** Marks the answer as a repeated one. */
  markReplayed(): void;
  /** The unique request id. */
  readonly id: string;
  /** Aborted when the client goes before it has its answer. */
  readonly signal: AbortSignal;
  /** By the clock of accounts, at the arrival of the whole request. */
  readonly now: EpochNs;
}

/** The request of a route with this access, whatever its query and body are. */
export type AccessRequest<A extends Access> = RouteRequest<
  unknown,
  unknown,
  CallerOf<A>,
  SessionOf<A>
>;

export type Route = RouteDefinition<TObject, TObject, TSchema, Access>;

/** Checks the definition's types against its schemas and erases them, so that routes fit in one list. */
export function defineRoute<
  Query extends TObject,
  Body extends TObject,
  Answer extends TSchema,
  const A extends Access,
>(definition: RouteDefinition<Query, Body, Answer, A>): Route {
  return definition as unknown as Route;
}
