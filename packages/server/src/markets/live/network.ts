/** The network of live feeds: WebSockets, raw TCP, and requests of past trades. */

import { connect, type Socket } from 'node:net';
import { MIB } from '@tapeloom/core/units';
import type { FeedMessage, PageAnswer, PageRequest } from './feed.ts';

const REQUEST_MS_MAX = 15_000;
/** A page is smaller; a longer answer is not one. */
const ANSWER_CHARS_MAX = 16 * 1_024 * 1_024;
const TCP_PROTOCOL = 'tcp:';
/** More than a subscription to all contracts of a venue takes. What waits longer finds a peer that does not read. */
const UNSENT_BYTES_MAX = 4 * MIB;
/** The system notices a peer that is gone, besides the silence that a venue's adapter notices. */
const KEEP_ALIVE_MS = 10_000;

export interface ConnectionHandlers {
  opened(): void;
  message(message: FeedMessage): void;
  /** Called once, also after `close`. */
  closed(why: string): void;
}

export interface FeedSocket {
  send(message: FeedMessage): void;
  close(): void;
  /** While paused it reads nothing, so that the venue must wait. Absent: it cannot. */
  pause?(isPaused: boolean): void;
}

export interface Network {
  /** `wss://host/path`, or `tcp://host:port`, whose messages are bytes in pieces of any length. */
  connect(address: string, handlers: ConnectionHandlers): FeedSocket;
  /** Rejects when there is no answer. */
  request(request: PageRequest, signal: AbortSignal): Promise<PageAnswer>;
}

/** The network of this machine. */
export const webNetwork: Network = {
  connect(address, handlers) {
    if (address.startsWith(TCP_PROTOCOL)) return connectTcp(address, handlers);
    const socket = new WebSocket(address);
    socket.binaryType = 'arraybuffer';
    let why = 'could not connect';
    socket.addEventListener('open', () => {
      why = 'closed by the venue';
      handlers.opened();
    });
    socket.addEventListener('message', ({ data }) =>
      handlers.message(typeof data === 'string' ? data : new Uint8Array(data as ArrayBuffer)),
    );
    socket.addEventListener('error', (event) => {
      const { message } = event as ErrorEvent;
      if (message) why = message;
    });
    socket.addEventListener('close', ({ code, reason }) =>
      handlers.closed(`${why} (${code}${reason === '' ? '' : ` ${reason}`})`),
    );
    return {
      send: (message) => socket.send(typeof message === 'string' ? message : message.slice()),
      close: () => socket.close(),
    };
  },

  async request({ url, headers = {} }, signal) {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS_MAX)]);
    const response = await fetch(url, { headers, signal: limit });
    const body = await response.text();
    if (body.length > ANSWER_CHARS_MAX) throw new Error(`an answer of ${body.length} characters`);
    return { status: response.status, headers: Object.fromEntries(response.headers), body };
  },
};

/** Throws for an address without host or port. */
function connectTcp(address: string, handlers: ConnectionHandlers): FeedSocket {
  const { protocol, hostname, port } = new URL(address);
  if (protocol !== TCP_PROTOCOL || hostname === '' || port === '') {
    throw new Error(`${address} is no address as tcp://host:port`);
  }
  let why = 'could not connect';
  const end = (reason: string) => {
    why = reason;
    socket.destroy();
  };
  const socket: Socket = connect({
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port),
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MS,
  });
  socket.on('connect', () => {
    why = 'closed by the venue';
    handlers.opened();
  });
  socket.on('data', ({ buffer, byteOffset, byteLength }: Buffer) =>
    handlers.message(new Uint8Array(buffer, byteOffset, byteLength)),
  );
  socket.on('error', ({ message }) => {
    why = `${why}: ${message}`;
  });
  socket.on('close', () => handlers.closed(why));
  return {
    send(message: FeedMessage) {
      if (socket.destroyed) return;
      socket.write(message);
      if (socket.writableLength > UNSENT_BYTES_MAX) end('the venue does not read');
    },
    close: () => end('closed'),
    pause(isPaused) {
      if (isPaused) socket.pause();
      else socket.resume();
    },
  };
}
