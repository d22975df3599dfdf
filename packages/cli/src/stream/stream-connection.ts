/**
 * One connection to the service with one subscription: messages go to a listener in order, and the end
 * resolves `ended` exactly once. It keeps itself alive with pings, which also tell the service's time.
 */

import type { ServerMessage } from '@tapeloom/protocol/server-messages';

const PING_MS = 10_000;

export interface ConnectionEnd {
  readonly code: number;
  readonly reason: string;
}

export class StreamConnection implements Disposable {
  readonly ended: Promise<ConnectionEnd>;
  readonly #socket: WebSocket;
  readonly #pinging: NodeJS.Timeout;

  constructor(
    url: string,
    key: string,
    subscribe: object,
    hear: (message: ServerMessage, text: string) => void,
  ) {
    this.#socket = new WebSocket(url, { headers: { authorization: `Bearer ${key}` } });
    this.#socket.addEventListener('open', () => {
      this.#socket.send(JSON.stringify(subscribe));
      this.ping();
    });
    this.#socket.addEventListener('message', ({ data }) => {
      const text = String(data);
      hear(JSON.parse(text) as ServerMessage, text);
    });
    // An error is always followed by a close, which says all there is to say.
    this.#socket.addEventListener('error', () => {});
    this.ended = new Promise((resolve) => {
      this.#socket.addEventListener('close', ({ code, reason }) => resolve({ code, reason }));
    });
    this.#pinging = setInterval(() => this.ping(), PING_MS);
  }

  ping(): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send('{"t":"ping"}');
  }

  [Symbol.dispose](): void {
    clearInterval(this.#pinging);
    this.#socket.close(1000);
  }
}
