/**
 * The relying party of passkeys: the host of the configured public address, whatever a request claims. Browsers make
 * none for a bare IP address: a loopback becomes `localhost`, and any other address without a name has none.
 */

import { isIP } from 'node:net';
import { ProblemError } from '../../server/problems/problem-error.ts';

const LOOPBACKS: readonly string[] = ['127.0.0.1', '[::1]'];

export interface PasskeyParty {
  readonly id: string;
  /** The one origin whose pages may use its passkeys. */
  readonly origin: string;
}

/** Throws where passkeys are impossible. */
export function passkeyParty(publicOrigin: string): PasskeyParty {
  const url = new URL(publicOrigin);
  if (LOOPBACKS.includes(url.hostname)) url.hostname = 'localhost';
  const { hostname: id, origin } = url;
  if (isIP(id) === 0 && !id.startsWith('[')) return { id, origin };
  throw new ProblemError('CONFLICT', 'Passkeys need a service that is reached by a host name.');
}
