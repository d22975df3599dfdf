/** Why an address cannot be listened on, in words: starting again does not help, and no other program is to blame. */

import { once } from 'node:events';
import { createServer } from 'node:net';

const FAULTS: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'no address is known for that name',
  EACCES: 'this user may not open that port',
};

/** Null: it is nothing that the settings could change, or the port is in use. */
export function listenFault({ code = '' }: NodeJS.ErrnoException): string | null {
  return Object.hasOwn(FAULTS, code) ? FAULTS[code]! : null;
}

export interface Hosts {
  readonly host: string;
  readonly internalHost: string;
}

/** Of hosts on which no start could listen, whatever the port. Each is tried with a free one, for an instant. */
export async function hostFaults({ host, internalHost }: Hosts): Promise<readonly string[]> {
  const hosts = { TAPELOOM_HOST: host, TAPELOOM_INTERNAL_HOST: internalHost };
  const faults: string[] = [];
  for (const [name, value] of Object.entries(hosts)) {
    const error = await listenError(value, 0);
    const fault = error === null ? null : listenFault(error);
    if (fault !== null) faults.push(`${name} is ${value}: ${fault}`);
  }
  return faults;
}

/** Null: it can be listened on. */
export async function listenError(
  host: string,
  port: number,
): Promise<NodeJS.ErrnoException | null> {
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
    server.close();
    return null;
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
}
