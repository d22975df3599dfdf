/** A connection to a stream that records every frame as text, with the clock's time. */

import { setImmediate as turn } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { KEY } from '../../server/testing/stream/in-process-stream.ts';

export class FrameReader {
  readonly socket: WebSocket;
  readonly lines: string[] = [];
  readonly #heard = new Map<string, number>();
  #changed = Promise.withResolvers<void>();
  #pings = 0;

  constructor(url: string, nowMs: () => number) {
    this.socket = new WebSocket(url, { headers: { authorization: `Bearer ${KEY}` } });
    this.socket.on('message', (data) => {
      const text = String(data);
      const { t } = JSON.parse(text) as { readonly t: string };
      this.#heard.set(t, (this.#heard.get(t) ?? 0) + 1);
      // Pings are the recorder's own, to detect that no frame is in flight.
      if (t !== 'pong') this.lines.push(`${Math.round(nowMs())} ${text}`);
      this.#changed.resolve();
      this.#changed = Promise.withResolvers();
    });
  }

  send(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  async heard(t: string, times: number): Promise<void> {
    while ((this.#heard.get(t) ?? 0) < times) await this.#changed.promise;
  }

  /** Resolves when every frame caused by the last commit has arrived: the engine has run, and a ping came back. */
  async settled(): Promise<void> {
    for (let i = 0; i < 8; i += 1) await turn();
    this.send({ t: 'ping' });
    this.#pings += 1;
    await this.heard('pong', this.#pings);
  }
}
