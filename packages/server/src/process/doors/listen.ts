/**
 * Opens a port. If that fails, the start fails and the error names the variables that chose the port. The event loop
 * accepts one connection per listening socket in each iteration. Under a flood of connections an iteration takes
 * milliseconds, and each client would wait behind hundreds of others. A public port therefore has several sockets
 * (SO_REUSEPORT).
 */

import { once } from 'node:events';
import type { Server } from 'node:http';
import {
  type AddressInfo,
  createServer,
  type ListenOptions,
  type Server as NetServer,
} from 'node:net';
import { listenFault } from '../../operations/start/listen-faults.ts';
import {
  MisconfiguredError,
  StartRefusedError,
} from '../../operations/start/start-refused-error.ts';

const PUBLIC_SOCKETS = 16;
/** Whether the kernel distributes connections among the sockets of a port. */
const HAS_SHARED_PORTS = process.platform === 'linux';

/** The variables that chose the address; a command-line option has no host. */
export interface DoorVariables {
  readonly host?: string;
  readonly port: string;
}

/** Resolves to the opened address: `http://127.0.0.1:8080`. */
export async function listen(
  server: Server,
  host: string,
  port: number,
  variables: DoorVariables,
): Promise<string> {
  try {
    return urlOf(await opened(server, { host, port }));
  } catch (error) {
    throw refusal(error as NodeJS.ErrnoException, `${host}:${port}`, variables);
  }
}

export interface PublicPort extends Disposable {
  readonly address: string;
}

/** Listens with several sockets. Dispose of the result before closing the server: one socket then remains. */
export async function listenPublicly(
  server: Server,
  host: string,
  port: number,
  variables: DoorVariables,
): Promise<PublicPort> {
  if (!HAS_SHARED_PORTS) {
    return { address: await listen(server, host, port, variables), [Symbol.dispose]: () => {} };
  }
  const more: NetServer[] = [];
  try {
    // SO_REUSEPORT also shares a port with other processes of this user, so first check that the port is free.
    const first = createServer();
    const place = await opened(first, { host, port });
    first.close();
    await once(first, 'close');
    const shared = { host: place.address, port: place.port, reusePort: true };
    while (more.length < PUBLIC_SOCKETS - 1) {
      const next = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
        server.emit('connection', socket),
      );
      next.maxConnections = server.maxConnections;
      more.push(next);
      await opened(next, shared);
    }
    const address = urlOf(await opened(server, shared));
    return { address, [Symbol.dispose]: () => closeAll(more) };
  } catch (error) {
    closeAll(more);
    throw refusal(error as NodeJS.ErrnoException, `${host}:${port}`, variables);
  }
}

async function opened(server: NetServer, where: ListenOptions): Promise<AddressInfo> {
  server.listen(where);
  await once(server, 'listening');
  return server.address() as AddressInfo;
}

function closeAll(servers: readonly NetServer[]): void {
  for (const server of servers) server.close();
}

function urlOf({ port, family, address }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

function refusal(
  cause: NodeJS.ErrnoException,
  where: string,
  { host, port }: DoorVariables,
): StartRefusedError {
  if (cause.code === 'EADDRINUSE') {
    return new StartRefusedError(`cannot listen on ${where} (${port}): the port is in use`, {
      cause,
    });
  }
  const names = host === undefined ? port : `${host}, ${port}`;
  const known = listenFault(cause);
  const Refusal = known === null ? StartRefusedError : MisconfiguredError;
  return new Refusal(`cannot listen on ${where} (${names}): ${known ?? String(cause)}`, { cause });
}
