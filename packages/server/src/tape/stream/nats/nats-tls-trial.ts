/**
 * Why a server breaks an encrypted line off. With TLS 1.3 it says so after the handshake, when our client no longer listens, and all
 * that is left of it is that nobody answers. So the line is tried once more, without the client.
 */

import { createConnection, type Socket } from 'node:net';
import { type ConnectionOptions, connect } from 'node:tls';

const GREETING_MS_MAX = 2_000;
const REFUSAL_MS_MAX = 2_000;
const PORT = 4_222;

/** The line is there, and nobody says a word on it. */
export class NatsSilentError extends Error {}

/** What the server says against us; null where it says nothing. */
export async function tryNatsTls(
  server: string,
  options: Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'checkServerIdentity'>,
): Promise<Error | null> {
  const { hostname, port } = new URL(server);
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = createConnection({ host, port: port === '' ? PORT : Number(port) });
  try {
    const greeted = await heard(socket, GREETING_MS_MAX);
    if (greeted === 'nothing') {
      return socket.connecting ? null : new NatsSilentError('it sends no greeting');
    }
    if (greeted instanceof Error) return greeted;
    const answer = await heard(connect({ ...options, socket, host }), REFUSAL_MS_MAX);
    return answer instanceof Error ? answer : null;
  } finally {
    socket.destroy();
  }
}

function heard(line: Socket, withinMs: number): Promise<Error | 'something' | 'nothing'> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve('nothing'), withinMs);
    const over = (what: Error | 'something' | 'nothing') => {
      clearTimeout(timer);
      resolve(what);
    };
    line.on('error', over);
    line.once('close', () => over('nothing'));
    line.once('data', () => over('something'));
  });
}
