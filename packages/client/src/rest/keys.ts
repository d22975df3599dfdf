/** The keys of the account. Needs a key with the scope `keys`. */

import { nsOf, type Time } from '../times.ts';
import type { KeyEnvironment, KeyRecord, KeyScope, NewKey, RotatedKey } from './answers.ts';
import type { CallOptions, ServiceHttp } from './service-http.ts';

export interface NewKeyRequest {
  /** 1 to 64 characters. */
  readonly name: string;
  readonly environment: KeyEnvironment;
  readonly scopes: readonly KeyScope[];
  /** Symbols and aliases. Default: all. */
  readonly instruments?: readonly string[];
  /** Addresses and CIDR ranges. Default: any. */
  readonly allowedIps?: readonly string[];
  readonly expiresAt?: Time;
}

export interface RotateRequest {
  /** How long the old key stays valid, in seconds: 0 to 604,800. */
  readonly gracePeriodSeconds: number;
}

/**
 * A request that makes a key carries a unique text, so that the service executes it once even if it is sent again.
 * Provide the text yourself if you want to repeat a request whose response was lost.
 */
export interface OnceOptions extends CallOptions {
  readonly idempotencyKey?: string;
}

/** Lists, creates, rotates and revokes the keys of your account. */
export class Keys {
  readonly #http: ServiceHttp;

  constructor(http: ServiceHttp) {
    this.#http = http;
  }

  /** Valid keys, and those that ended in the last 30 days. */
  async list(call: CallOptions = {}): Promise<readonly KeyRecord[]> {
    const { keys } = await this.#http.json<{ readonly keys: readonly KeyRecord[] }>({
      path: '/v1/keys',
      ...call,
    });
    return keys;
  }

  /** Only this response contains the secret, `key`. */
  create(request: NewKeyRequest, call: OnceOptions = {}): Promise<NewKey> {
    const { expiresAt, ...rest } = request;
    const expiry = expiresAt === undefined ? {} : { expiresAt: String(nsOf(expiresAt)) };
    return this.#once('/v1/keys', { ...rest, ...expiry }, call);
  }

  /** Makes a new key with the same rights. The old one ends after the grace period. */
  rotate(id: string, request: RotateRequest, call: OnceOptions = {}): Promise<RotatedKey> {
    return this.#once(`${pathOf(id)}/rotate`, request, call);
  }

  revoke(id: string, call: CallOptions = {}): Promise<KeyRecord> {
    return this.#http.json({ method: 'DELETE', path: pathOf(id), ...call });
  }

  #once<T>(path: string, body: unknown, call: OnceOptions): Promise<T> {
    const { idempotencyKey = onceText() } = call;
    return this.#http.json({ method: 'POST', path, body, signal: call.signal, idempotencyKey });
  }
}

function pathOf(id: string): string {
  return `/v1/keys/${encodeURIComponent(id)}`;
}

/** 128 random bits. */
export function onceText(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
