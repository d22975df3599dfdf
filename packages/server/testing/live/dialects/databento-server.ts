/** A Databento gateway on a TCP port of this machine, which speaks the dialect of the tests. */

import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { FeedMessage } from '../../../src/markets/live/feed.ts';
import type { SimTrade } from '../dialect.ts';
import { type GatewayOptions, GatewaySession } from './databento-dialect.ts';

interface Client {
  readonly socket: Socket;
  readonly session: GatewaySession;
  readonly symbols: Set<string>;
}

export class DatabentoServer implements AsyncDisposable {
  readonly #server = createServer((socket) => this.#accept(socket));
  readonly #clients = new Set<Client>();
  readonly #trades = new Map<string, SimTrade[]>();
  readonly #options: GatewayOptions;
  readonly #nowMs: () => number;
  /** What a client did that a gateway would not accept. */
  readonly faults: unknown[] = [];
  sessions = 0;

  constructor(nowMs: () => number, options: GatewayOptions = {}) {
    this.#nowMs = nowMs;
    this.#options = options;
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `tcp://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  trade(venueSymbol: string, ...rows: readonly SimTrade[]): void {
    this.#trades.getOrInsertComputed(venueSymbol, () => []).push(...rows);
    for (const { socket, session, symbols } of this.#clients) {
      if (symbols.has(venueSymbol)) write(socket, session.trades(venueSymbol, rows));
    }
  }

  cut(): void {
    for (const { socket } of this.#clients) socket.resetAndDestroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(socket: Socket): void {
    this.sessions += 1;
    const session = new GatewaySession(this.sessions, this.#options);
    const client: Client = { socket, session, symbols: new Set() };
    this.#clients.add(client);
    let text = '';
    socket.on('error', () => undefined);
    socket.on('close', () => this.#clients.delete(client));
    socket.on('data', (data) => {
      text += String(data);
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
        const line = text.slice(0, end + 1);
        text = text.slice(end + 1);
        this.#received(client, line);
      }
    });
    write(socket, session.opened());
  }

  #received({ socket, session, symbols }: Client, line: string): void {
    const known = (symbol: string) => this.#trades.get(symbol) ?? [];
    try {
      const {
        replies,
        subscribed = [],
        fromMs,
        isEnd,
      } = session.received(line, known, this.#nowMs());
      write(socket, replies);
      if (isEnd === true) socket.end();
      for (const symbol of subscribed) {
        symbols.add(symbol);
        const rows = fromMs === undefined ? [] : known(symbol).filter(({ ms }) => ms >= fromMs);
        if (rows.length > 0) write(socket, session.trades(symbol, rows));
      }
    } catch (error) {
      this.faults.push(error);
      socket.destroy();
    }
  }
}

function write(socket: Socket, messages: readonly FeedMessage[]): void {
  for (const message of messages) socket.write(message);
}
