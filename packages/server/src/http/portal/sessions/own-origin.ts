/**
 * Requires that a request comes from the portal's own pages. Browsers send the origin of a page that changes something,
 * and no page can forge it; a request without one is rejected. All loopback names count as one host.
 */

import type { IncomingHttpHeaders } from 'node:http';
import { ProblemError } from '../../server/problems/problem-error.ts';

const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

export function requireOwnOrigin(sent: string | undefined, own: string): void {
  if (sent === own || (sent !== undefined && isSameLoopback(sent, own))) return;
  throw new ProblemError(
    'FORBIDDEN',
    `Only the portal's own pages may request this: the header Origin must be ${own}.`,
  );
}

/**
 * For requests that change nothing but cost something. On a plain GET, browsers omit the origin and send
 * `Sec-Fetch-Site`. Old browsers, and all of them without TLS, send only the page (`Referer`).
 */
export function requireOwnPage(headers: IncomingHttpHeaders, own: string): void {
  const { origin, referer, 'sec-fetch-site': site } = headers;
  if (origin === undefined && site !== undefined) {
    if (site === 'same-origin') return;
    throw new ProblemError('FORBIDDEN', "Only the portal's own pages may request this.");
  }
  requireOwnOrigin(origin ?? URL.parse(referer ?? '')?.origin, own);
}

function isSameLoopback(sent: string, own: string): boolean {
  const [theirs, ours] = [URL.parse(sent), URL.parse(own)];
  return (
    theirs !== null &&
    ours !== null &&
    theirs.origin === sent &&
    theirs.protocol === ours.protocol &&
    theirs.port === ours.port &&
    [theirs, ours].every(({ hostname }) => LOOPBACK_NAMES.includes(hostname))
  );
}
