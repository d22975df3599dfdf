/** Why the service cannot listen on an address. These faults do not pass, and no other program causes them. */

import { once } from 'node:events';
import { createServer } from 'node:net';

const FAULTS: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'no address is known for that name',
  EACCES: 'this user may not open that port',
};

/** Null: no fault of the settings, or the port is in use. */
export function listenFault({ code = '' }: NodeJS.ErrnoException): string | null {
  return Object.hasOwn(FAULTS, code) ? FAULTS[code]! : null;
}

export interface Hosts {
  readonly host: string;
  readonly internalHost: string;
}

/** Faults of hosts on which no start could listen, whatever the port. Each is tried for an instant with a free port. */
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

/** Null: listening works. */
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
