/**
 * A route as a record: from it come the handler, the validation, the rights check and its page in
 * `contract/openapi.json`, so none of them can disagree. Query and body schemas are closed.
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
 * Who is let in. `public`: everybody, and no key is looked at. `optional`: everybody, but a recognised
 * key counts its request. `key`: any valid key. `scope`: a key that has it. `session`: who is signed in to the
 * portal, and no key is looked at; what changes something must come from the portal's own pages, as must
 * everything else below its path. `session-as-key`: likewise, from our own pages whatever it does, and seen as a live
 * key of the account: with its plan's rights, counted and charged.
 */
export type Access =
  | 'public'
  | 'optional'
  | 'key'
  | 'session'
  | 'session-as-key'
  | { readonly scope: Scope };

/** The caller a handler sees, by who is let in. */
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
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below `/v1/`, with `:name` for a variable part. */
  readonly path: `/v1/${string}`;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly access: A;
  readonly query?: Query;
  /** The handler judges the query and tells all its faults at once; the schema only describes it. */
  readonly judgesQuery?: true;
  /** It takes `Idempotency-Key`: with one it is done once, however often it is asked for. */
  readonly isIdempotent?: true;
  /** Of the portal: where the account has passkeys, the header `X-Passkey` confirms it; see `passkey-proof.ts`. */
  readonly asksPasskey?: true;
  /** Of the portal: the owner of a suspended account may have it done as well, though it is a POST. */
  readonly isForSuspended?: true;
  /**
   * The `Cache-Control` of an answer that anybody may read: it has an `ETag`, comes compressed to who
   * accepts that, and pages of any origin may read it. Left out: nobody may keep or share the answer.
   */
  readonly cacheControl?: string;
  /** Some of its answers have an `ETag`, by the handler, which then answers `NOT_MODIFIED` to who has them. */
  readonly isTagged?: true;
  /** Left out: no body is needed, and an empty object is the only one accepted. */
  readonly body?: Body;
  /** The body is taken as it comes, whatever it says it is; only the handler reads it. */
  readonly rawBody?: true;
  /** How large a body may be, where it may be larger than others. */
  readonly bodyBytesMax?: number;
  /**
   * Of a public route: a signature in the request says who sent it. What has a good one counts for nobody; what has
   * none counts for its address, by the handler.
   */
  readonly isSigned?: true;
  /** It is to go: every response says so, and the contract too. */
  readonly deprecated?: Deprecation;
  readonly answer: Answer;
  /** The content types of an answer that is no JSON. */
  readonly answerTypes?: readonly string[];
  /** The status of success: 201 where something was created, 202 where something will be done. */
  readonly status?: 200 | 201 | 202;
  /** What it may refuse with, beyond what every route of its access may. */
  readonly errors?: readonly RouteError[];
  /**
   * Faults of the body that no schema can see. They are reported together with the schema's, so a body
   * of any shape comes here.
   */
  faults?(body: unknown, now: EpochNs): readonly FieldFault[];
  handle(
    request: RouteRequest<Static<Query>, Static<Body>, CallerOf<A>, SessionOf<A>>,
  ): Promise<RouteAnswer<Answer>> | RouteAnswer<Answer>;
  /**
   * Of a GET whose body costs something: what HEAD does in its place. It refuses what GET would refuse before anything is
   * computed or charged, and sets the headers that are known by then.
   */
  head?(
    request: RouteRequest<Static<Query>, Static<Body>, CallerOf<A>, SessionOf<A>>,
  ): Promise<void> | void;
}

/** For what changes only with a new version of the service. */
export const PUBLIC_CACHE_CONTROL = 'public, max-age=60';

/** What is answered, its JSON where it was encoded before, or a body that is no JSON. */
type RouteAnswer<Answer extends TSchema> =
  | Static<Answer>
  | EncodedJson
  | Buffer
  | StreamedAnswer
  | typeof NOT_MODIFIED
  | typeof NO_BODY;

/** Answered where the request names, by `If-None-Match`, the very answer it would get: 304, without a body. */
export const NOT_MODIFIED = Symbol('not modified');

/** Answered to HEAD where the body would have had to be computed: 200, without a length. */
export const NO_BODY = Symbol('no body');

/** JSON that was encoded before; its bytes are made once, however often they are sent. */
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
  /** The body as it came, where the route takes it so; else nothing. */
  readonly bytes: Uint8Array;
  /** The variable parts of the path, by name. */
  readonly params: Readonly<Record<string, string>>;
  readonly caller: C;
  /** Who is signed in. */
  readonly session: S;
  /** Where the request comes from. */
  readonly address: string;
  /** By their names in small letters. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** What the request says in a header of this name, in small letters. */
  header(name: string): string | undefined;
  /** Sent with the answer. */
  setHeader(name: string, value: string): void;
  /** Null: the request has no idempotency key, or the route does not know of them. */
  readonly once: OnceRequest | null;
  /** Marks the answer as one that was given before. */
  markReplayed(): void;
  /** The request id: no other request has it. */
  readonly id: string;
  /** Aborted when the client goes before it has its answer. */
  readonly signal: AbortSignal;
  /** By the clock of accounts, when the whole request had arrived. */
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

/** Checks the definition's types against its schemas and forgets them, so that routes make a list. */
export function defineRoute<
  Query extends TObject,
  Body extends TObject,
  Answer extends TSchema,
  const A extends Access,
>(definition: RouteDefinition<Query, Body, Answer, A>): Route {
  return definition as unknown as Route;
}
