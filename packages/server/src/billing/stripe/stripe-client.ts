/**
 * Stripe's SDK as it is asked: every call has an end well before anybody gives up on it, goes when its signal goes,
 * and whatever goes wrong is an `UpstreamError` without secrets. The SDK repeats a call once at most; each that
 * changes something has an idempotency key, so that a repetition finds what the first one did.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import Stripe from 'stripe';
import { UpstreamError } from '../payment-provider.ts';
import { untilAborted } from '../until-aborted.ts';

/** Two of them and the pause between fit into what the port allows. */
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
  /** How requests are made; the platform's by default. */
  readonly request?: typeof fetch;
}

export class StripeClient {
  readonly api: Stripe;
  /** Whether the key moves money. */
  readonly isLive: boolean;
  /** The SDK takes no signals; its requests find here whose call they belong to. */
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

  /** One call of the port, however many requests it takes. */
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

/** For calls that must be done once, whoever repeats them: at most 255 characters, whatever the parts are. */
export function idempotencyKey(action: string, ...parts: readonly string[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return `tapeloom:${action}:${digest}`;
}

/** Null for what Stripe does not know, or knows of another account. */
export async function orNull<Answer>(asked: Promise<Answer>): Promise<Answer | null> {
  try {
    return await asked;
  } catch (error) {
    // Lists say it with another status when they are asked by something that there is not.
    const isAbsent =
      error instanceof Stripe.errors.StripeError &&
      (error.statusCode === 404 || error.code === 'resource_missing');
    if (isAbsent) return null;
    throw error;
  }
}

/** Whether Stripe understood what was asked, and would not do it. */
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
  // Not the error itself: its words quote what was sent, the key and addresses too.
  const cause = error instanceof Stripe.errors.StripeConnectionError ? error.detail : undefined;
  return new UpstreamError(`stripe ${stripeFault(error)}`, { cause });
}

/** In words, for the operator: nothing of it repeats a key, or whom it is about. */
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
  // What is said of a key that is not accepted quotes part of it.
  const isAboutKey = error instanceof Stripe.errors.StripeAuthenticationError;
  return isAboutKey ? `refused the key: ${what}` : `said ${what}: ${shortened(message)}`;
}

function shortened(message: string): string {
  const said = message.replace(MAIL_ADDRESS, '[address]').replace(KEY_LIKE, '[key]');
  return said.length <= MESSAGE_LENGTH_MAX ? said : `${said.slice(0, MESSAGE_LENGTH_MAX)}…`;
}
