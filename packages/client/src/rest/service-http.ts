/**
 * How every request goes to the service: with the key where one is needed and never anywhere else, asked
 * again when the service says that too many came, and with one class of error for all that can go wrong. A GET whose
 * answer does not come is asked again too: it changes nothing, and what it costs is charged once by its idempotency key.
 */

import type { ClientClock } from '../options.ts';
import { pause } from '../pause.ts';
import { Resumes } from '../resumes.ts';
import { TapeloomError } from '../tapeloom-error.ts';
import type { CatalogueWatch } from './catalogue-watch.ts';
import { errorOf, isJson } from './error-answer.ts';
import { OpenAnswer } from './open-answer.ts';
import type { RestOptions } from './rest-options.ts';

/** Of a request that came too early. */
const RETRIES_MAX = 3;
/** Of a GET that got no answer, where nobody says otherwise. */
const GET_RETRIES_MAX = 2;
const RETRY_AFTER_SECONDS_MAX = 60;
/** Before the first, second and third retry, where the service does not say. */
const RETRY_SECONDS = [1, 2, 4] as const;
/** A page has 16 MiB at most; a larger answer is not one of ours. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/** What every call takes. */
export interface CallOptions {
  /** Ends the call, its waits included; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** What the headers `RateLimit-*` of an answer said. */
export interface RateLimit {
  /** Requests that the plan allows in a minute. */
  readonly limit: number;
  /** How many of them were left. */
  readonly remaining: number;
  /** After so many seconds all of them are there again. */
  readonly resetSeconds: number;
}

export interface ServiceRequest extends CallOptions {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** Undefined ones are left out, lists are repeated. */
  readonly query?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: unknown;
  /** Public routes are asked without the key. */
  readonly isPublic?: boolean;
  readonly idempotencyKey?: string | undefined;
  /** Of a GET: how often it is sent again, where the caller of the client does not say. */
  readonly retriesMax?: number;
}

export class ServiceHttp {
  readonly clock: ClientClock;
  readonly catalogue: CatalogueWatch;
  /** What the caller said. */
  readonly maxRetries: number | undefined;
  readonly #timeoutMs: number;
  readonly #warn: RestOptions['warn'];
  /** Some answer has come. */
  isReached = false;
  /** Of the last answer that had them; null before it. */
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

  /** The answer's JSON. */
  async json<T>(request: ServiceRequest): Promise<T> {
    const { method = 'GET', path, signal, retriesMax = GET_RETRIES_MAX } = request;
    const max = method === 'GET' ? (this.maxRetries ?? retriesMax) : 0;
    const resumes = new Resumes({ clock: this.clock, signal, max });
    for (;;) {
      try {
        return await this.#json(request);
      } catch (error) {
        // Nobody was ever there: the address is wrong rather than the moment.
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

  /** An answer that is no error, its body unread: the caller reads it to its end, or disposes of it. */
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
        // A redirect would carry the key to whoever is pointed at; cookies are none of the service's.
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
