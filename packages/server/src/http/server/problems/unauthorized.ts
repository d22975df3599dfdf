/**
 * The 401 answers, for keys, sessions and links. `WWW-Authenticate` reports an invalid token only when one was sent.
 */

import type { Authentication } from '../../../accounts/auth/authenticator.ts';
import { ProblemError } from './problem-error.ts';

type Failure = Exclude<Authentication['verdict'], 'accepted'>;

const CHALLENGE = 'Bearer realm=service';

const DETAILS: Readonly<Record<Failure, string>> = {
  missing: 'Send your API key in the header Authorization: Bearer <key>.',
  malformed:
    'Send the Authorization header once, as "Bearer <key>", with the key exactly as it was shown to you.',
  unknown: 'The API key is not known.',
  // These words are part of the interface.
  expired: 'API key expired',
  revoked: 'The API key was revoked.',
};

export function unauthorized(failure: Failure): ProblemError {
  const challenge = failure === 'missing' ? CHALLENGE : `${CHALLENGE}, error=invalid_token`;
  return new ProblemError('UNAUTHORIZED', DETAILS[failure], {
    headers: { 'www-authenticate': challenge },
  });
}

/** For clients without a session, or without a valid link. No key was sent that could be invalid. */
export function notSignedIn(detail: string): ProblemError {
  return new ProblemError('UNAUTHORIZED', detail, { headers: { 'www-authenticate': CHALLENGE } });
}
