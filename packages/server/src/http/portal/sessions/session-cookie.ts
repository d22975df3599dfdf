/**
 * The cookie of a session. No script can read it, no request from another site carries it, and behind TLS no other host
 * and no plain connection can set it.
 */

import { SECOND_NS_BIG } from '@tapeloom/core/units';
import { SESSION_VALID_NS } from '../../../accounts/people/people-store.ts';

const NAME = 'tapeloom_session';
const MAX_AGE_SECONDS = Number(SESSION_VALID_NS / SECOND_NS_BIG);

/** The name depends on the public origin. */
function sessionCookieName(origin: string): string {
  return isSecure(origin) ? `__Host-${NAME}` : NAME;
}

export function sessionCookie(origin: string, text: string): string {
  return cookie(origin, text, MAX_AGE_SECONDS);
}

/** Makes a browser delete it. */
export function endedSessionCookie(origin: string): string {
  return cookie(origin, '', 0);
}

/** Its value in the header `Cookie`; undefined without one. */
export function readSessionCookie(header: string | undefined, origin: string): string | undefined {
  const name = sessionCookieName(origin);
  for (const pair of header?.split(';') ?? []) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

function cookie(origin: string, text: string, maxAge: number): string {
  const attributes = `Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax`;
  return `${sessionCookieName(origin)}=${text}; ${attributes}${isSecure(origin) ? '; Secure' : ''}`;
}

function isSecure(origin: string): boolean {
  return origin.startsWith('https:');
}
