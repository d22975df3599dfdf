/**
 * Whether a request comes from the portal's own pages. Browsers say where a page that changes something is from, and
 * no page can say otherwise; who says nothing is refused. On this machine its names are one host.
 */

import { ProblemError } from '../problem-error.ts';

const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

export function requireOwnOrigin(sent: string | undefined, own: string): void {
  if (sent === own || (sent !== undefined && isSameLoopback(sent, own))) return;
  throw new ProblemError(
    'FORBIDDEN',
    `Only the portal's own pages may ask for this: the header Origin must be ${own}.`,
  );
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
