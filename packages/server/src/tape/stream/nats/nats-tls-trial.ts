/**
 * Finds out why a server closes a TLS connection. With TLS 1.3 it sends its alert after the handshake, when the client
 * no longer listens and only sees a timeout. So this module tries one connection without the client.
 */

import { createConnection, type Socket } from 'node:net';
import { type ConnectionOptions, connect } from 'node:tls';

const GREETING_MS_MAX = 2_000;
const REFUSAL_MS_MAX = 2_000;
const PORT = 4_222;

/** The connection is open, but the server sends nothing. */
export class NatsSilentError extends Error {}

/** The server's TLS error; null when it sends none. */
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
