/** Opens a port; one that cannot be opened refuses the start with the variable that chose it. */

import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StartRefusedError } from './start-refused-error.ts';

/** The address that was opened: `http://127.0.0.1:8080`. */
export async function listen(
  server: Server,
  host: string,
  port: number,
  variable: string,
): Promise<string> {
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    const why =
      (error as NodeJS.ErrnoException).code === 'EADDRINUSE' ? 'the port is in use' : String(error);
    throw new StartRefusedError(`cannot listen on ${host}:${port} (${variable}): ${why}`, {
      cause: error,
    });
  }
  const { port: actual, family, address } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`;
}
