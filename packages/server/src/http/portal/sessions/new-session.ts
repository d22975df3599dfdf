/** A session about to begin in the requesting browser; its previous session ends. */

import { randomBytes } from 'node:crypto';
import { neighbourhood } from '../../../accounts/auth/address-throttle.ts';
import { digestOf, isSoundSession, newSessionText } from '../../../accounts/auth/secret.ts';
import type { NewSession } from '../../../accounts/people/people-store.ts';
import { browserName } from './browser-name.ts';
import { readSessionCookie } from './session-cookie.ts';

export interface SessionToBegin {
  /** For the cookie. */
  readonly text: string;
  readonly session: NewSession;
}

export function newSession(
  origin: string,
  { address, header }: { readonly address: string; header(name: string): string | undefined },
): SessionToBegin {
  const text = newSessionText(randomBytes);
  const before = readSessionCookie(header('cookie'), origin);
  const session = {
    hash: digestOf(text).hash,
    browser: browserName(header('user-agent')),
    replaces: before !== undefined && isSoundSession(before) ? digestOf(before).hash : null,
    askedFrom: neighbourhood(address),
  };
  return { text, session };
}
