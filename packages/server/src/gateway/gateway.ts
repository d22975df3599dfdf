/**
 * The WebSocket door at `/v1` of the HTTP server. It computes nothing and parses no frame it sends: it
 * knows who is connected, hands each socket to its connection, and ends all of them within two seconds
 * when the server stops. Cookies are never looked at.
 */

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { MESSAGE_BYTES_MAX } from '@tapeloom/protocol/client-messages';
import { CloseCode } from '@tapeloom/protocol/close-codes';
import { type WebSocket, WebSocketServer } from 'ws';
import { Connection } from './connection.ts';
import { type ConnectionServices, ConnectionSocket } from './connection-socket.ts';
import { GatewayCounters, type GatewayMetrics } from './gateway-metrics.ts';
import type { ResolveStream } from './stream-request.ts';

const STREAM_PATH = '/v1';
const CONNECTIONS_MAX = 10_000;
const SUBSCRIPTIONS_PER_CONNECTION_MAX = 50;
/** Fragments of one message; `ws` closes with 1008 beyond. */
const FRAGMENTS_MAX = 1_024;
/** From our close frame to the end of the socket, whatever the peer does. */
const CLOSE_WITHIN_MS = 1_000;

const SOCKET_SETTINGS = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: MESSAGE_BYTES_MAX,
  maxFragments: FRAGMENTS_MAX,
  skipUTF8Validation: false,
  closeTimeout: CLOSE_WITHIN_MS,
};

export interface GatewayOptions extends Omit<ConnectionServices, 'counters' | 'releaseSoon'> {
  readonly resolve: ResolveStream;
  readonly connectionsMax?: number;
  readonly subscriptionsMax?: number;
}

export interface Gateway extends AsyncDisposable {
  /** For the HTTP server's `upgrade` event. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Tells every client to come back, closes, and resolves when all connections are gone. */
  drain(): Promise<void>;
  readonly metrics: GatewayMetrics;
}

export function createGateway(options: GatewayOptions): Gateway {
  return new WebSocketGateway(options);
}

class WebSocketGateway implements Gateway {
  readonly metrics: GatewayCounters;
  readonly #options: GatewayOptions;
  readonly #services: ConnectionServices;
  readonly #server: WebSocketServer;
  readonly #connections = new Set<ConnectionSocket>();
  readonly #dayListener: Disposable;
  /** Connections written to in this turn of the event loop. */
  #written: ConnectionSocket[] = [];
  #drained: PromiseWithResolvers<void> | null = null;

  constructor(options: GatewayOptions) {
    this.metrics = new GatewayCounters();
    this.#options = options;
    this.#services = {
      ...options,
      counters: this.metrics,
      releaseSoon: (connection) => this.#releaseSoon(connection),
    };
    this.#server = new WebSocketServer(SOCKET_SETTINGS);
    this.#dayListener = options.hub.onTapeDay((day) => {
      for (const connection of this.#connections) connection.step({ t: 'tape-day', day });
    });
  }

  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (pathOf(request) !== STREAM_PATH) {
      socket.once('error', () => socket.destroy());
      socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      this.#accept(request, socket, webSocket);
    });
  }

  async drain(): Promise<void> {
    this.#drained ??= Promise.withResolvers();
    this.#dayListener[Symbol.dispose]();
    for (const connection of [...this.#connections]) connection.step({ t: 'shutdown' });
    if (this.#connections.size === 0) this.#drained.resolve();
    await this.#drained.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.drain();
  }

  #accept(request: IncomingMessage, socket: Duplex, webSocket: WebSocket): void {
    const { connectionsMax = CONNECTIONS_MAX, resolve } = this.#options;
    const { subscriptionsMax = SUBSCRIPTIONS_PER_CONNECTION_MAX } = this.#options;
    if (this.#drained !== null || this.#connections.size >= connectionsMax) {
      webSocket.on('error', () => socket.destroy());
      webSocket.close(CloseCode.tryAgainLater, 'The server is at its limit');
      this.metrics.countClose(CloseCode.tryAgainLater);
      return;
    }
    const machine = new Connection({ resolve, subscriptionsMax });
    const connection = new ConnectionSocket(machine, socket, webSocket, this.#services);
    this.#connections.add(connection);
    connection.start(request.headers.authorization, () => {
      this.#connections.delete(connection);
      if (this.#connections.size === 0) this.#drained?.resolve();
    });
  }

  #releaseSoon(connection: ConnectionSocket): void {
    this.#written.push(connection);
    if (this.#written.length > 1) return;
    setImmediate(() => {
      const written = this.#written;
      this.#written = [];
      for (const each of written) each.release();
    });
  }
}

function pathOf(request: IncomingMessage): string {
  const url = request.url ?? '';
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}
