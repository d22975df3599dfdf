/** The network of live feeds: WebSockets, raw TCP, and requests of past trades. */

import { connect, type Socket } from 'node:net';
import { MIB } from '@tapeloom/core/units';
import { WebSocket } from 'ws';
import type { FeedMessage, PageAnswer, PageRequest } from './feed.ts';
import { reasonOf } from './reason-of.ts';
import { retryAfterMs } from './retry-after.ts';

const REQUEST_MS_MAX = 15_000;
/** A page is smaller; a longer answer is not one. */
const ANSWER_CHARS_MAX = 16 * MIB;
const TCP_PROTOCOL = 'tcp:';
/** A message is smaller; a longer one is not one. */
const MESSAGE_BYTES_MAX = 16 * MIB;
/** More than a subscription to all contracts of a venue takes. What waits longer finds a peer that does not read. */
const UNSENT_BYTES_MAX = 4 * MIB;
/** A venue that refuses this machine, and does not say for how long. */
const REFUSED_MS = 30_000;
/** The system notices a peer that is gone, besides the silence that a venue's adapter notices. */
const KEEP_ALIVE_MS = 10_000;

export interface ConnectionHandlers {
  opened(): void;
  message(message: FeedMessage): void;
  /** Called once, also after `close`. `retryAfterMs`: the venue wants no attempt to connect before that. */
  closed(why: string, retryAfterMs?: number | null): void;
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
    return connectWebSocket(address, handlers);
  },

  async request({ url, headers = {} }, signal) {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS_MAX)]);
    const response = await fetch(url, { headers, signal: limit });
    const body = await textOf(response);
    return { status: response.status, headers: Object.fromEntries(response.headers), body };
  },
};

/** An answer that does not end must not fill the memory. */
async function textOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of body ?? []) {
    text += decoder.decode(piece, { stream: true });
    if (text.length > ANSWER_CHARS_MAX) {
      throw new Error(`an answer of more than ${ANSWER_CHARS_MAX} characters`);
    }
  }
  return text + decoder.decode();
}

/** The WebSocket of Node hides why it could not connect. Throws for an address that is none. */
function connectWebSocket(address: string, handlers: ConnectionHandlers): FeedSocket {
  const socket = new WebSocket(address, { maxPayload: MESSAGE_BYTES_MAX });
  let why = 'could not connect';
  let waitMs: number | null = null;
  socket.on('unexpected-response', (request, { statusCode: status = 0, headers }) => {
    waitMs = retryAfterMs(headers['retry-after']) ?? (isRefusal(status) ? REFUSED_MS : null);
    request.destroy(new Error(`the venue answered with the status ${status}`));
  });
  socket.on('open', () => {
    why = 'closed by the venue';
    handlers.opened();
  });
  socket.on('message', (data: Buffer, isBinary) => {
    const { buffer, byteOffset, byteLength } = data;
    handlers.message(isBinary ? new Uint8Array(buffer, byteOffset, byteLength) : String(data));
  });
  socket.on('error', (error) => {
    why = `${why}: ${reasonOf(error)}`;
    // Otherwise it waits half a minute for the venue to agree.
    socket.terminate();
  });
  socket.on('close', (code, reason) =>
    handlers.closed(`${why} (${code}${reason.length === 0 ? '' : ` ${reason}`})`, waitMs),
  );
  return {
    send(message) {
      if (socket.readyState !== WebSocket.OPEN) return;
      socket.send(message);
      if (socket.bufferedAmount <= UNSENT_BYTES_MAX) return;
      why = 'the venue does not read';
      socket.terminate();
    },
    close() {
      socket.close();
      // A venue that does not agree would keep the connection, and a stop, for half a minute.
      socket.terminate();
    },
    pause(isPaused) {
      if (isPaused) socket.pause();
      else socket.resume();
    },
  };
}

/** Another attempt at once would make it worse. */
function isRefusal(status: number): boolean {
  return status >= 400 && status < 500;
}

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
