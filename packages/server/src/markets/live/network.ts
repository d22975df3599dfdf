/** The network of live feeds: WebSockets and requests of past trades. */

import type { FeedMessage, PageAnswer, PageRequest } from './feed.ts';

const REQUEST_MS_MAX = 15_000;
/** A page is smaller; a longer answer is not one. */
const ANSWER_CHARS_MAX = 16 * 1_024 * 1_024;

export interface ConnectionHandlers {
  opened(): void;
  message(message: FeedMessage): void;
  /** Called once, also after `close`. */
  closed(why: string): void;
}

export interface FeedSocket {
  send(message: FeedMessage): void;
  close(): void;
}

export interface Network {
  connect(address: string, handlers: ConnectionHandlers): FeedSocket;
  /** Rejects when there is no answer. */
  request(request: PageRequest, signal: AbortSignal): Promise<PageAnswer>;
}

/** The network of this machine. */
export const webNetwork: Network = {
  connect(address, handlers) {
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
