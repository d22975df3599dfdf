/** Opens a port; one that cannot be opened refuses the start with the variables that chose it. */

import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MisconfiguredError, StartRefusedError } from '../operations/start/start-refused-error.ts';

/** Starting again does not help. */
const MISCONFIGURED: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'no address is known for that name',
  EACCES: 'this user may not open that port',
};

/** What chose where to listen; an option has no host beside it. */
export interface DoorVariables {
  readonly host?: string;
  readonly port: string;
}

/** The address that was opened: `http://127.0.0.1:8080`. */
export async function listen(
  server: Server,
  host: string,
  port: number,
  variables: DoorVariables,
): Promise<string> {
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    throw refusal(error as NodeJS.ErrnoException, `${host}:${port}`, variables);
  }
  const { port: actual, family, address } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`;
}

function refusal(
  cause: NodeJS.ErrnoException,
  where: string,
  { host, port }: DoorVariables,
): StartRefusedError {
  const code = cause.code ?? '';
  if (code === 'EADDRINUSE') {
    return new StartRefusedError(`cannot listen on ${where} (${port}): the port is in use`, {
      cause,
    });
  }
  const names = host === undefined ? port : `${host}, ${port}`;
  const known = Object.hasOwn(MISCONFIGURED, code) ? MISCONFIGURED[code]! : null;
  const Refusal = known === null ? StartRefusedError : MisconfiguredError;
  return new Refusal(`cannot listen on ${where} (${names}): ${known ?? String(cause)}`, { cause });
}
