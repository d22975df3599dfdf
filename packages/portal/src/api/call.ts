/**
 * One request to our own origin. Cookies go along by themselves, nothing is kept by the browser, and whatever is not a
 * success is a `PortalError`. A session that has ended is told to whoever listens, once per answer.
 */

import { PortalError, portalErrorOf } from './portal-error.ts';
import type { PasskeyAssertion } from './portal-shapes.ts';

const ANSWER_MS_MAX = 30_000;

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** What a passkey signed for this very act. */
  readonly passkey?: PasskeyAssertion;
}

type Method = 'GET' | 'POST' | 'DELETE';

const endListeners = new Set<() => void>();

/** Hears of answers that say the session is over. Returns how to stop. */
export function onSessionEnded(listener: () => void): () => void {
  endListeners.add(listener);
  return () => endListeners.delete(listener);
}

/** A call that needs the session. */
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

/** A question that needs the session. */
export function ask<Answer>(path: string, options?: CallOptions): Promise<Answer> {
  return call<Answer>('GET', path, undefined, options);
}

/** A question anybody may ask. */
export function publicAsk<Answer>(path: string, options?: CallOptions): Promise<Answer> {
  return publicCall<Answer>('GET', path, undefined, options);
}

/** A call anybody may make; its 401 is about what was sent, not about the session. */
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
