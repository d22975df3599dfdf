/**
 * One request to our own origin. Cookies are sent automatically, a cached response is used only if the service confirms
 * it, and every failure is a `PortalError`. Listeners are called when a response reports that the session has ended.
 */

import { PortalError, portalErrorOf } from './portal-error.ts';
import type { PasskeyAssertion } from './portal-shapes.ts';

const ANSWER_MS_MAX = 30_000;

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly passkey?: PasskeyAssertion;
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

const endListeners = new Set<() => void>();

/** Calls the listener when the session has ended. Returns a function that unsubscribes. */
export function onSessionEnded(listener: () => void): () => void {
  endListeners.add(listener);
  return () => endListeners.delete(listener);
}

/** A request that needs the session. */
export async function call<Answer>(
  method: Method,
  path: string,
  body?: unknown,
  options: CallOptions = {},
): Promise<Answer> {
  try {
    return await publicCall<Answer>(method, path, body, options);
  } catch (error) {
    if (error instanceof PortalError && error.status === 401) {
      for (const listener of endListeners) listener();
    }
    throw error;
  }
}

/** A GET that needs the session. */
export function ask<Answer>(path: string, options?: CallOptions): Promise<Answer> {
  return call<Answer>('GET', path, undefined, options);
}

/** A public GET. */
export function publicAsk<Answer>(path: string, options?: CallOptions): Promise<Answer> {
  return publicCall<Answer>('GET', path, undefined, options);
}

/** A public request: its 401 is about the sent data, not about the session. */
export async function publicCall<Answer>(
  method: Method,
  path: string,
  body?: unknown,
  { signal, passkey }: CallOptions = {},
): Promise<Answer> {
  const timeout = AbortSignal.timeout(ANSWER_MS_MAX);
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      credentials: 'same-origin',
      cache: method === 'GET' ? 'no-cache' : 'no-store',
      redirect: 'error',
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(passkey === undefined ? {} : { 'x-passkey': JSON.stringify(passkey) }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch (cause) {
    if (signal?.aborted === true) throw cause;
    throw new PortalError(
      'UNREACHABLE',
      'The service did not respond. Check your connection and try again.',
      {
        cause,
      },
    );
  }
  if (!response.ok) throw await portalErrorOf(response);
  try {
    return (await response.json()) as Answer;
  } catch (cause) {
    if (signal?.aborted === true) throw cause;
    throw new PortalError('UNREACHABLE', 'The response of the service was incomplete. Try again.', {
      status: response.status,
      cause,
    });
  }
}
