/**
 * Sends every request to the service. The key goes to no other server, and only to routes that need it. Rate-limited
 * requests are repeated. So is a GET without a response: it changes nothing, and its idempotency key charges it once.
 * All failures are a `TapeloomError`.
 */

import type { ClientClock } from '../options.ts';
import { pause } from '../pause.ts';
import { Resumes } from '../resumes.ts';
import { TapeloomError } from '../tapeloom-error.ts';
import type { CatalogueWatch } from './catalogue-watch.ts';
import { errorOf, isJson } from './error-answer.ts';
import { OpenAnswer } from './open-answer.ts';
import type { RestOptions } from './rest-options.ts';

/** After a rate limit. */
const RETRIES_MAX = 3;
/** Of a GET without a response, unless the request or the caller sets another number. */
const GET_RETRIES_MAX = 2;
const RETRY_AFTER_SECONDS_MAX = 60;
/** Before the first, second and third retry, if the service names no time. */
const RETRY_SECONDS = [1, 2, 4] as const;
/** A page has 16 MiB at most; a larger response is not one of ours. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/** The options of every call. */
export interface CallOptions {
  /** Aborting it ends the call and its waits. The call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The headers `RateLimit-*` of a response. */
export interface RateLimit {
  /** Requests per minute of the plan. */
  readonly limit: number;
  /** How many of them were left. */
  readonly remaining: number;
  /** Seconds until all of them are available again. */
  readonly resetSeconds: number;
}

export interface ServiceRequest extends CallOptions {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** Undefined values are left out, lists are repeated. */
  readonly query?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: unknown;
  /** Public routes are requested without the key. */
  readonly isPublic?: boolean;
  readonly idempotencyKey?: string | undefined;
  /** For a GET: its retries, unless the option `maxRetries` is set. */
  readonly retriesMax?: number;
}

export class ServiceHttp {
  readonly clock: ClientClock;
  readonly catalogue: CatalogueWatch;
  readonly maxRetries: number | undefined;
  readonly #timeoutMs: number;
  readonly #warn: RestOptions['warn'];
  isReached = false;
  /** From the last response with the headers; null before. */
  rateLimit: RateLimit | null = null;
  readonly #base: string;
  readonly #key: string | undefined;
  readonly #hasOwnFetch: boolean;
  readonly #fetch: typeof fetch;

  constructor(options: RestOptions) {
    this.clock = options.clock;
    this.catalogue = options.catalogue;
    this.maxRetries = options.maxRetries;
    this.#timeoutMs = options.timeoutMs;
    this.#warn = options.warn;
    this.#base = options.base;
    this.#key = options.key;
    this.#hasOwnFetch = options.hasOwnFetch;
    this.#fetch = options.fetch;
  }

  async json<T>(request: ServiceRequest): Promise<T> {
    const { method = 'GET', path, signal, retriesMax = GET_RETRIES_MAX } = request;
    const max = method === 'GET' ? (this.maxRetries ?? retriesMax) : 0;
    const resumes = new Resumes({ clock: this.clock, signal, max });
    for (;;) {
      try {
        return await this.#json(request);
      } catch (error) {
        // Without a first response the address is probably wrong, so a retry would not help.
        if (this.maxRetries === undefined && !this.isReached) throw error;
        await resumes.recover(error, ({ message }, delayMs) => this.#tell(path, message, delayMs));
      }
    }
  }

  #tell(path: string, why: string, delayMs: number): void {
    const what = why.startsWith('GET ') ? why : `GET ${path}: ${why}`;
    const message = `${what.replace(/\.$/, '')}; it is sent again in ${delayMs / 1_000} s.`;
    this.#warn({ code: 'REQUEST_RETRIED', message });
  }

  async #json<T>(request: ServiceRequest): Promise<T> {
    const answer = await this.open(request);
    const { name } = answer;
    if (!isJson(answer.headers)) {
      answer.dispose();
      const type = answer.headers.get('content-type') ?? 'no content type';
      throw invalidResponse(answer, `${name}: answered with ${type.slice(0, 100)}, not with JSON.`);
    }
    const bytes = await answer.whole(ANSWER_BYTES_MAX);
    if (bytes === null) throw invalidResponse(answer, `${name}: the answer does not end.`);
    let value: unknown;
    try {
      value = JSON.parse(new TextDecoder().decode(bytes));
    } catch (error) {
      throw invalidResponse(answer, `${name}: the answer is not JSON.`, error);
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw invalidResponse(answer, `${name}: the answer is not a JSON object.`);
    }
    this.catalogue.look(value);
    return value as T;
  }

  /** A successful response with an unread body. The caller must read it to its end, or dispose of it. */
  async open(request: ServiceRequest): Promise<OpenAnswer> {
    for (let retries = 0; ; retries += 1) {
      const answer = await this.#ask(request);
      if (answer.status >= 200 && answer.status < 300) return answer;
      const error = await errorOf(answer);
      const isRetried = error.status === 429 && error.code === 'RATE_LIMITED';
      if (!isRetried || retries === RETRIES_MAX) throw error;
      const seconds = error.retryAfterSeconds ?? RETRY_SECONDS[retries]!;
      await pause(this.clock, Math.min(seconds, RETRY_AFTER_SECONDS_MAX) * 1_000, request.signal);
    }
  }

  async #ask(request: ServiceRequest): Promise<OpenAnswer> {
    const { method = 'GET', path, query = {}, body, idempotencyKey, signal } = request;
    const given = Object.entries(query).flatMap(([name, value = []]) =>
      (typeof value === 'string' ? [value] : value).map((one) => [name, one]),
    );
    const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
    const answer = await OpenAnswer.of({
      fetch: this.#fetch,
      clock: this.clock,
      timeoutMs: this.#timeoutMs,
      url: `${this.#base}${path}${search}`,
      name: `${method} ${path}`,
      signal,
      init: {
        method,
        headers: {
          accept: 'application/json, application/problem+json, */*;q=0.1',
          ...(request.isPublic === true ? {} : this.#authorization(path)),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // A redirect could carry the key to another server. The service uses no cookies here.
        redirect: 'manual',
        credentials: 'omit',
      },
    });
    this.isReached = true;
    this.rateLimit = rateLimitOf(answer.headers) ?? this.rateLimit;
    return answer;
  }

  #authorization(path: string): Readonly<Record<string, string>> {
    if (this.#key !== undefined) return { authorization: `Bearer ${this.#key}` };
    if (this.#hasOwnFetch) return {};
    const message = `${path} needs an API key: give the option "key", or a "fetch" that adds it.`;
    throw new TapeloomError('CONFIGURATION', message);
  }
}

function rateLimitOf(headers: Headers): RateLimit | null {
  const [limit, remaining, resetSeconds] = ['limit', 'remaining', 'reset'].map((name) => {
    const text = headers.get(`ratelimit-${name}`) ?? '';
    return /^\d{1,9}$/.test(text) ? Number(text) : null;
  });
  if (limit == null || remaining == null || resetSeconds == null) return null;
  return { limit, remaining, resetSeconds };
}

function invalidResponse({ status, headers }: OpenAnswer, message: string, cause?: unknown) {
  const requestId = headers.get('x-request-id');
  const because = cause === undefined ? {} : { cause };
  return new TapeloomError('INVALID_RESPONSE', message, { status, requestId, ...because });
}
