/**
 * Whether a request comes from the portal's own pages. Browsers say where a page that changes something is from, and
 * no page can say otherwise; who says nothing is refused. On this machine its names are one host.
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
 * For what changes nothing but costs something. Of a plain GET browsers leave the origin out and tell for which site it was
 * made; old ones, and all of them where there is no TLS, tell only the page.
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
