/**
 * The fault of a request's `Host`: HTTP/1.1 requires exactly one, with a host name and an optional port (RFC 9112,
 * 3.2). Request smuggling relies on two readers that take different values for the host.
 */

import type { IncomingMessage } from 'node:http';
import { invalidParameters, type ProblemError } from './problem-error.ts';

/** A name, an IPv4 address or an IPv6 one in brackets; a port. */
const HOST = /^(?:[-\w.~!$&'()*+,;=%]*|\[[0-9a-fA-F:.]+\])(?::\d*)?$/;

export function hostFault(request: IncomingMessage): ProblemError | null {
  const { host } = request.headers;
  const why =
    host === undefined
      ? request.httpVersion === '1.0'
        ? null
        : 'The header Host is missing.'
      : !HOST.test(host)
        ? 'The header Host does not name a host.'
        : hasSeveral(request)
          ? 'The header Host must be sent once.'
          : null;
  return why === null ? null : invalidParameters([{ path: '', message: why }]);
}

/** The framework keeps only the first of several. */
function hasSeveral({ rawHeaders }: IncomingMessage): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count > 1;
}
