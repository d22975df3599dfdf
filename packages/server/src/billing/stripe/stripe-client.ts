/**
 * Stripe's SDK with limits: every call ends well before its caller gives up, and when its signal aborts. Any fault is
 * an `UpstreamError` without secrets. The SDK repeats a call once at most; each changing call has an idempotency key,
 * so a repetition finds the first one's effect.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import Stripe from 'stripe';
import { UpstreamError } from '../payment-provider.ts';
import { untilAborted } from '../until-aborted.ts';

/** Two calls and the pause between them fit into the port's limit. */
const CALL_MS_MAX = 4_500;
const RETRIES = 1;
const MESSAGE_LENGTH_MAX = 300;
const MAIL_ADDRESS = /[^\s@'"<>]+@[^\s@'"<>]+/g;
const KEY_LIKE = /\b[sr]k_(?:live|test)_[\w*]+/g;
const LIVE_KEY = /^[a-z]{2}_live_/;

export interface StripeClientOptions {
  readonly key: string;
  /** The origin of the API. */
  readonly url: string;
  /** Sends requests; the platform's `fetch` by default. */
  readonly request?: typeof fetch;
}

export class StripeClient {
  readonly api: Stripe;
  /** Whether the key moves money. */
  readonly isLive: boolean;
  /** The SDK takes no signals; its requests find the signal of their call here. */
  readonly #signals = new AsyncLocalStorage<AbortSignal>();

  constructor({ key, url, request = fetch }: StripeClientOptions) {
    const { protocol, hostname, port } = new URL(url);
    const isPlain = protocol === 'http:';
    this.isLive = LIVE_KEY.test(key);
    this.api = new Stripe(key, {
      host: hostname,
      port: port === '' ? (isPlain ? 80 : 443) : Number(port),
      protocol: isPlain ? 'http' : 'https',
      timeout: CALL_MS_MAX,
      maxNetworkRetries: RETRIES,
      telemetry: false,
      appInfo: { name: 'Tapeloom' },
      httpClient: Stripe.createFetchHttpClient((input, init) => {
        const signals = [init?.signal, this.#signals.getStore()].filter((one) => one != null);
        return request(input, { ...init, redirect: 'error', signal: AbortSignal.any(signals) });
      }),
    });
  }

  /** One call of the port, with any number of requests. */
  async ask<Answer>(signal: AbortSignal, work: (api: Stripe) => Promise<Answer>): Promise<Answer> {
    signal.throwIfAborted();
    try {
      const answered = this.#signals.run(signal, () => work(this.api));
      return await untilAborted(answered, signal);
    } catch (error) {
      if (signal.aborted || error instanceof UpstreamError) throw error;
      throw upstreamError(error);
    }
  }
}

/** For calls that must be done once, whichever machine repeats them; at most 255 characters for any parts. */
export function idempotencyKey(action: string, ...parts: readonly string[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return `tapeloom:${action}:${digest}`;
}

/** Null if Stripe does not have the object, or has it for another account. */
export async function orNull<Answer>(asked: Promise<Answer>): Promise<Answer | null> {
  try {
    return await asked;
  } catch (error) {
    // A list filtered by a missing object reports this with another status.
    const isAbsent =
      error instanceof Stripe.errors.StripeError &&
      (error.statusCode === 404 || error.code === 'resource_missing');
    if (isAbsent) return null;
    throw error;
  }
}

/** Whether Stripe understood the request and rejected it. */
export function isRefusal(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeInvalidRequestError;
}

export function isIdempotencyMismatch(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeIdempotencyError;
}

function upstreamError(error: unknown): UpstreamError {
  if (!(error instanceof Stripe.errors.StripeError)) {
    return new UpstreamError('stripe answered what cannot be read', { cause: error });
  }
  // Only the connection's detail: the error's text quotes the request, including keys and addresses.
  const cause = error instanceof Stripe.errors.StripeConnectionError ? error.detail : undefined;
  return new UpstreamError(`stripe ${stripeFault(error)}`, { cause });
}

/** A text for the operator, without keys or personal data. */
export function stripeFault(error: InstanceType<typeof Stripe.errors.StripeError>): string {
  const { statusCode, code, param, requestId, message } = error;
  if (error instanceof Stripe.errors.StripeConnectionError) return `was not reached: ${message}`;
  const said = [
    statusCode === undefined ? null : `${statusCode}`,
    code ?? error.type,
    param === undefined ? null : `(${param})`,
    requestId === undefined ? null : `in request ${requestId}`,
  ];
  const what = said.filter((part) => part !== null).join(' ');
  // The message about a rejected key quotes part of it.
  const isAboutKey = error instanceof Stripe.errors.StripeAuthenticationError;
  return isAboutKey ? `refused the key: ${what}` : `said ${what}: ${shortened(message)}`;
}

function shortened(message: string): string {
  const said = message.replace(MAIL_ADDRESS, '[address]').replace(KEY_LIKE, '[key]');
  return said.length <= MESSAGE_LENGTH_MAX ? said : `${said.slice(0, MESSAGE_LENGTH_MAX)}…`;
}
