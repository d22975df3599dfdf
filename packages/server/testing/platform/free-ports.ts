/**
 * Ports of 127.0.0.1 for servers that need a fixed one, or keep theirs over a restart. They are below Linux's ephemeral
 * ports, which a client of another test could take before the server starts or while it is down.
 */

import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

const PORT_MIN = 16_000;
const PORT_MAX = 32_000;

export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port!;
}

export async function freePorts(count: number): Promise<readonly number[]> {
  const held = new Map<number, Server>();
  while (held.size < count) {
    const port = randomInt(PORT_MIN, PORT_MAX);
    const server = createServer();
    if (await isFree(server.listen(port, '127.0.0.1'))) held.set(port, server);
  }
  for (const server of held.values()) {
    server.close();
    await once(server, 'close');
  }
  return [...held.keys()];
}

async function isFree(listening: Server): Promise<boolean> {
  try {
    await once(listening, 'listening');
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
}
