/**
 * Paddle's API through its own SDK. Every call ends when its signal aborts or its time is over. Any fault of Paddle is
 * an `UpstreamError` with our call and Paddle's error code, never its text, which may quote an address, nor the key.
 * The SDK takes no signal, so an abandoned call continues; a repeated call finds its effect at Paddle.
 */

import { ApiError, type Environment, LogLevel, Paddle } from '@paddle/paddle-node-sdk';
import type { EpochNs } from '@tapeloom/core/numbers';
import { SECOND_NS_BIG } from '@tapeloom/core/units';
import type { Clock } from '../../platform/clock.ts';
import { UpstreamError } from '../payment-provider.ts';
import { untilAborted } from '../until-aborted.ts';

/** Shorter than the limit of `AskedProvider`, so that the error names the call. */
export const CALL_MS_MAX = 8_000;
/** The API version that this adapter was written for. */
const VERSION = '1';
/** Paddle's rate limits are per minute. */
const QUIET_S_MAX = 60;

export interface PaddleApiOptions {
  readonly key: string;
  readonly url: string;
  readonly clock: Clock;
}

/** A list at Paddle; each page is one request. */
export interface Pages<Item> {
  readonly hasMore: boolean;
  next(): Promise<Item[]>;
}

/** Paddle understood the request and rejected it. */
export class PaddleRefusal extends UpstreamError {
  readonly code: string;
  /** The fields named in the error. */
  readonly fields: readonly string[];
  /** The ids named in the error: for a conflict, the existing object. */
  readonly ids: readonly string[];

  constructor(what: string, error: ApiError) {
    const fields = (error.errors ?? []).map(({ field }) => String(field));
    const about = fields.length === 0 ? '' : ` (${fields.join(', ')})`;
    super(`paddle refused to ${what}: ${error.code}${about}`);
    this.code = error.code;
    this.fields = fields;
    this.ids = String(error.detail).match(/\b[a-z]{3}_[a-z\d]{26}\b/g) ?? [];
  }
}

export class PaddleApi {
  readonly #paddle: Paddle;
  readonly #clock: Clock;
  /** Paddle's rate limit forbids requests until then. */
  #quietUntil = 0n;

  constructor({ key, url, clock }: PaddleApiOptions) {
    this.#clock = clock;
    this.#paddle = new Paddle(key, {
      // The SDK uses any text that is no environment name as the address itself.
      environment: url.replace(/\/+$/, '') as Environment,
      logLevel: LogLevel.none,
      customHeaders: { 'Paddle-Version': VERSION },
    });
  }

  /** `what` completes "paddle refused to …". */
  async ask<Answer>(
    what: string,
    signal: AbortSignal,
    question: (paddle: Paddle) => Promise<Answer>,
  ): Promise<Answer> {
    signal.throwIfAborted();
    if (this.#clock.now() < this.#quietUntil) {
      throw new UpstreamError(
        `paddle's request limit was reached, so the service did not ${what}; it sends requests again within a minute`,
      );
    }
    const answered = question(this.#paddle);
    try {
      return await this.#inTime(answered, what, signal);
    } catch (error) {
      if (signal.aborted || error instanceof UpstreamError) throw error;
      throw this.#faultOf(what, error);
    }
  }

  /** Null: Paddle has no such object. */
  async find<Answer>(
    what: string,
    signal: AbortSignal,
    question: (paddle: Paddle) => Promise<Answer>,
  ): Promise<Answer | null> {
    try {
      return await this.ask(what, signal, question);
    } catch (error) {
      if (error instanceof PaddleRefusal && error.code === 'not_found') return null;
      throw error;
    }
  }

  list<Item>(
    what: string,
    signal: AbortSignal,
    max: number,
    list: (paddle: Paddle) => Pages<Item>,
  ): Promise<readonly Item[]> {
    return this.listWhile({ what, signal, max }, list, () => true);
  }

  /** A list up to the first item that is not wanted. */
  async listWhile<Item>(
    { what, signal, max }: { readonly what: string; signal: AbortSignal; readonly max: number },
    list: (paddle: Paddle) => Pages<Item>,
    isWanted: (item: Item) => boolean,
  ): Promise<readonly Item[]> {
    const pages = list(this.#paddle);
    const items: Item[] = [];
    while (items.length < max && pages.hasMore) {
      const page = await this.ask(what, signal, () => pages.next());
      const wanted = page.filter(isWanted);
      items.push(...wanted);
      if (page.length === 0 || wanted.length < page.length) break;
    }
    return items.slice(0, max);
  }

  async #inTime<Answer>(answered: Promise<Answer>, what: string, signal: AbortSignal) {
    const late = new AbortController();
    using _ = this.#clock.after(CALL_MS_MAX, () =>
      late.abort(new UpstreamError(`paddle was asked to ${what} and did not answer`)),
    );
    return await untilAborted(answered, AbortSignal.any([signal, late.signal]));
  }

  #faultOf(what: string, error: unknown): UpstreamError {
    if (error instanceof ApiError) {
      if (error.code === 'too_many_requests') this.#beQuiet(error.retryAfter);
      return new PaddleRefusal(what, error);
    }
    // The SDK read members of a missing response, or parsed a response that is no JSON.
    if (error instanceof SyntaxError || (error instanceof TypeError && error.cause === undefined)) {
      const message = `paddle was asked to ${what} and answered something else`;
      return new UpstreamError(message, { cause: error });
    }
    return new UpstreamError(`paddle could not be reached to ${what}`, { cause: error });
  }

  #beQuiet(retryAfterS: number | null): void {
    const waitS = Math.min(Math.max(retryAfterS ?? QUIET_S_MAX, 1), QUIET_S_MAX);
    this.#quietUntil = (this.#clock.now() + BigInt(waitS) * SECOND_NS_BIG) as EpochNs;
  }
}
