/** A subscription over a raw socket that records each update's arrival and its trade's time. */

import { serverFrames } from '../../packages/server/testing/stream/server-frames.ts';
import { LightSocket } from '../shared/stream-sockets.ts';

/** Every trade is an update of its own and gives the update its time. */
const EVERY_TRADE = {
  t: 'subscribe',
  sub: 's',
  instrument: 'BTC.c.0',
  indicator: 'bars',
  params: { bar: 'tick', size: 1 },
} as const;

/** The server closes a connection that is silent for half a minute. */
const PING_MS = 10_000;

export interface Update {
  /** By this machine's clock, which also stamps the trade. */
  readonly receivedMs: number;
  readonly tradedMs: number;
}

export class UpdateReader implements Disposable {
  readonly updates: Update[] = [];
  readonly #begun = Promise.withResolvers<void>();
  #socket: LightSocket | null = null;
  #pinging: NodeJS.Timeout | null = null;
  #rest: Buffer = Buffer.alloc(0);

  /** Resolves when the snapshot has arrived. */
  static async open(
    { host, port }: { readonly host: string; readonly port: number },
    key: string,
    subscribe: object = EVERY_TRADE,
  ): Promise<UpdateReader> {
    const reader = new UpdateReader();
    reader.#socket = await LightSocket.open({ host, port, key }, (chunk) => reader.#take(chunk));
    reader.#socket.send(subscribe);
    reader.#pinging = setInterval(() => reader.#socket?.ping(), PING_MS);
    await reader.#begun.promise;
    return reader;
  }

  [Symbol.dispose](): void {
    if (this.#pinging !== null) clearInterval(this.#pinging);
    this.#socket?.destroy();
  }

  #take(chunk: Buffer): void {
    const receivedMs = performance.timeOrigin + performance.now();
    const { frames, rest } = serverFrames(Buffer.concat([this.#rest, chunk]));
    this.#rest = rest;
    for (const { payload } of frames) {
      const text = payload.toString();
      if (text.startsWith('{"t":"snapshot"')) this.#begun.resolve();
      if (!text.startsWith('{"t":"upsert"')) continue;
      const { ts } = JSON.parse(text) as { ts: string };
      this.updates.push({ receivedMs, tradedMs: Number(BigInt(ts) / 1_000n) / 1_000 });
    }
  }
}
