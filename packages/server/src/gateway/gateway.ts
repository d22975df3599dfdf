/**
 * The WebSocket door at `/v1` of the HTTP server. It computes nothing and parses no frame it sends: it
 * knows who is connected, hands each socket to its connection, and ends all of them within two seconds
 * when the server stops. Cookies are never looked at.
 */

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { IpRange } from '@tapeloom/core/entitlement/ip-range';
import { PLAN_LIMITS, PLANS } from '@tapeloom/core/entitlement/plan';
import type { UtcDay } from '@tapeloom/core/numbers';
import { CloseCode } from '@tapeloom/protocol/close-codes';
import { type WebSocket, WebSocketServer } from 'ws';
import { RENEW_EVERY_SECONDS } from '../accounts/leases.ts';
import { clientAddress } from '../platform/client-address.ts';
import { Connection } from './connection.ts';
import { type ConnectionServices, ConnectionSocket } from './connection-socket.ts';
import { GatewayCounters, type GatewayMetrics } from './gateway-metrics.ts';
import { limitGoodbye, SOCKET_SETTINGS } from './socket-settings.ts';
import type { ResolveStream } from './stream-request.ts';

const STREAM_PATH = '/v1';
const CONNECTIONS_MAX = 10_000;
/** Every delay a plan can have: at each of them midnight comes at its own time. */
const DELAYS_SECONDS = [...new Set(PLANS.map((plan) => PLAN_LIMITS[plan].delaySeconds))];

export interface GatewayOptions extends Omit<ConnectionServices, 'counters' | 'releaseSoon'> {
  readonly resolve: ResolveStream;
  /** Proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly IpRange[];
  readonly connectionsMax?: number;
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
  readonly #resources = new DisposableStack();
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
    const { hub, authenticator, timers } = options;
    for (const delaySeconds of DELAYS_SECONDS) {
      this.#resources.use(hub.onTapeDay((day) => this.#roll(day, delaySeconds), delaySeconds));
    }
    this.#resources.use(
      authenticator.onRightsChange((change) => {
        for (const connection of this.#connections) connection.rightsChanged(change);
      }),
    );
    this.#resources.use(timers.every(RENEW_EVERY_SECONDS * 1_000, () => this.#renewLeases()));
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
    for (const connection of [...this.#connections]) connection.step({ t: 'shutdown' });
    if (this.#connections.size === 0) this.#drained.resolve();
    await this.#drained.promise;
    this.#resources.dispose();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.drain();
  }

  #accept(request: IncomingMessage, socket: Duplex, webSocket: WebSocket): void {
    const { connectionsMax = CONNECTIONS_MAX, resolve } = this.#options;
    limitGoodbye(socket);
    if (this.#drained !== null || this.#connections.size >= connectionsMax) {
      webSocket.on('error', () => socket.destroy());
      webSocket.close(CloseCode.tryAgainLater, 'The server is at its limit');
      this.metrics.countClose(CloseCode.tryAgainLater);
      return;
    }
    const machine = new Connection(resolve);
    const connection = new ConnectionSocket(machine, socket, webSocket, this.#services);
    this.#connections.add(connection);
    connection.start(request.headers.authorization, this.#addressOf(request), () => {
      this.#connections.delete(connection);
      if (this.#connections.size === 0) this.#drained?.resolve();
    });
  }

  #addressOf({ socket, headers }: IncomingMessage): string {
    const forwarded = headers['x-forwarded-for'];
    const forwardedFor = Array.isArray(forwarded) ? forwarded.join(',') : forwarded;
    return clientAddress(socket.remoteAddress, forwardedFor, this.#options.trustedProxies);
  }

  /** All connections give back what they leave before one of them takes anything new. */
  #roll(day: UtcDay, delaySeconds: number): void {
    const rolling = [...this.#connections];
    const now = this.#options.clock.now();
    for (const connection of rolling) connection.step({ t: 'tape-day', day, delaySeconds, now });
    void Promise.all(rolling.map((connection) => connection.leasesSettled())).then(() => {
      for (const connection of rolling) connection.step({ t: 'roll-on' });
    });
  }

  #renewLeases(): void {
    const { leases, timers, onFault } = this.#options;
    leases.renew(timers.now()).catch(onFault);
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
