/**
 * The WebSocket endpoint at `/v1` of the HTTP server. It hands each socket to its connection. A drain closes all
 * connections, at once or spread over a time; each socket is gone within a second of its close. The gateway computes
 * nothing and parses no frame that it sends. Cookies are ignored.
 */

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { IpRange } from '@tapeloom/core/entitlement/ip-range';
import { PLAN_LIMITS, PLANS } from '@tapeloom/core/entitlement/plan';
import { CloseCode } from '@tapeloom/protocol/close-codes';
import { type Server, WebSocketServer } from 'ws';
import { neighbourhood } from '../../accounts/auth/address-throttle.ts';
import { type RightsChange, sentAuthorization } from '../../accounts/auth/authenticator.ts';
import type { Caller } from '../../accounts/auth/caller.ts';
import { ColdOpens } from '../../accounts/limits/cold-opens.ts';
import { type HeldLease, RENEW_EVERY_SECONDS } from '../../accounts/limits/leases.ts';
import type { AnsweredRequest } from '../../platform/log/access-log.ts';
import { clientAddress } from '../../platform/network/client-address.ts';
import type { DoorSockets } from '../../platform/network/door-sockets.ts';
import { newRequestId } from '../../platform/request-id.ts';
import { SerialQueues } from '../../platform/waiting/serial-queue.ts';
import { sleep } from '../../platform/waiting/sleep.ts';
import type { ResolveStream } from '../delivery/stream-request.ts';
import { createReleaseSoon } from '../wire/socket-writer.ts';
import { beyondLimits } from './account-limits.ts';
import { Connection } from './connection.ts';
import type { ConnectionLimits, ConnectionServices } from './connection-services.ts';
import { ConnectionSocket } from './connection-socket.ts';
import { GatewayCounters, type GatewayMetrics } from './gateway-metrics.ts';
import { MESSAGE_RATE } from './message-rate.ts';
import { momentOf } from './moment.ts';
import { PartingSockets } from './parting-sockets.ts';
import { SILENCE_MS_MAX } from './silence.ts';
import { limitGoodbye, SOCKET_SETTINGS, type StreamWebSocket } from './socket-settings.ts';

const STREAM_PATH = '/v1';
const CONNECTION_LIMITS: ConnectionLimits = {
  silenceMs: SILENCE_MS_MAX,
  messageRate: MESSAGE_RATE,
};
/** Time between two batches of clients that a drain sends away. */
const AWAY_EVERY_MS = 50;
/** Every delay a plan can have: midnight comes at another time for each of them. */
const DELAYS_SECONDS = [...new Set(PLANS.map((plan) => PLAN_LIMITS[plan].delaySeconds))];

export interface GatewayOptions
  extends Omit<
    ConnectionServices,
    'counters' | 'releaseSoon' | 'coldOpens' | 'limits' | 'partingSockets'
  > {
  readonly resolve: ResolveStream;
  /** Proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: () => readonly IpRange[];
  /** The slots of the public port's connections, shared with the HTTP server. */
  readonly sockets: DoorSockets;
  readonly partingMax?: number;
  readonly limits?: Partial<ConnectionLimits>;
  /** Called at the end of a connection, with the request id of its handshake. */
  readonly onEnded?: (stream: AnsweredRequest) => void;
}

export interface Gateway extends AsyncDisposable {
  /** For the HTTP server's `upgrade` event. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Names may mean other contracts now: subscriptions move to those. */
  lookAtNames(): void;
  /**
   * Asks every client to reconnect, closes all connections and resolves when they are gone. The closes are spread over
   * a time, so that the clients do not all reach other nodes at once. New connections are rejected meanwhile.
   */
  drain(spreadMs?: number): Promise<void>;
  /** Whether every client has taken everything that exists for it at this moment. */
  readonly hasSentAll: boolean;
  readonly metrics: GatewayMetrics;
}

export function createGateway(options: GatewayOptions): Gateway {
  return new WebSocketGateway(options);
}

class WebSocketGateway implements Gateway {
  readonly metrics: GatewayCounters;
  readonly #options: GatewayOptions;
  readonly #services: ConnectionServices;
  readonly #server: Server<typeof StreamWebSocket>;
  readonly #connections = new Set<ConnectionSocket>();
  /** The request ids of accepted handshakes. */
  readonly #requestIds = new WeakMap<IncomingMessage, string>();
  readonly #parting: PartingSockets;
  readonly #resources = new DisposableStack();
  /** Rights changes being applied; those of one account run one after the other. */
  readonly #changing = new SerialQueues();
  #lastNumber = 0;
  #drained: PromiseWithResolvers<void> | null = null;

  constructor(options: GatewayOptions) {
    this.metrics = new GatewayCounters();
    this.#options = options;
    const { hub, authenticator, timers } = options;
    this.#parting = new PartingSockets(timers, this.metrics, options.partingMax);
    this.#services = {
      ...options,
      limits: { ...CONNECTION_LIMITS, ...options.limits },
      coldOpens: new ColdOpens(timers),
      counters: this.metrics,
      partingSockets: this.#parting,
      releaseSoon: createReleaseSoon(),
    };
    this.#server = new WebSocketServer(SOCKET_SETTINGS);
    this.#server.on('headers', (lines, request) => {
      const id = newRequestId();
      this.#requestIds.set(request, id);
      lines.push(`X-Request-Id: ${id}`);
    });
    for (const delaySeconds of DELAYS_SECONDS) {
      this.#resources.use(hub.onTapeDay(() => this.#roll(delaySeconds), delaySeconds));
    }
    this.#resources.use(options.leases.onLost((lost) => this.#loseLease(lost)));
    this.#resources.use(authenticator.onRightsChange((change) => this.#rightsChanged(change)));
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

  lookAtNames(): void {
    for (const delaySeconds of DELAYS_SECONDS) this.#roll(delaySeconds);
  }

  get hasSentAll(): boolean {
    return this.#connections.values().every((connection) => connection.hasSentAll);
  }

  async drain(spreadMs = 0): Promise<void> {
    this.#drained ??= Promise.withResolvers();
    if (spreadMs > 0) await this.#sendAwaySlowly(spreadMs);
    this.#parting.cutAll();
    for (const connection of [...this.#connections]) connection.step({ t: 'shutdown' });
    if (this.#connections.size === 0) this.#drained.resolve();
    await this.#drained.promise;
    this.#resources.dispose();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.drain();
  }

  /** Sends away equal batches, as long as connections are left. */
  async #sendAwaySlowly(spreadMs: number): Promise<void> {
    const leaving = [...this.#connections];
    const each = Math.ceil((leaving.length * AWAY_EVERY_MS) / spreadMs);
    for (let from = 0; from < leaving.length && this.#connections.size > 0; from += each) {
      for (const connection of leaving.slice(from, from + each)) connection.step({ t: 'shutdown' });
      await sleep(this.#options.timers, AWAY_EVERY_MS);
    }
  }

  /** A subscription's lease is named by its connection's id, a dot and its number. */
  #loseLease({ kind, holder }: HeldLease): void {
    const [id, number] = holder.split('.');
    const connection = this.#connections.values().find((it) => it.id === id);
    connection?.loseLease(kind, Number(number));
  }

  #accept(request: IncomingMessage, socket: Duplex, webSocket: StreamWebSocket): void {
    const { sockets, resolve } = this.#options;
    limitGoodbye(socket);
    const ended = this.#endOf(request);
    const address = this.#addressOf(request);
    const giveWay = () => connection.giveWay();
    const slot =
      this.#drained === null ? sockets.stream(socket, neighbourhood(address), giveWay) : null;
    if (slot === null) {
      webSocket.on('error', () => socket.destroy());
      webSocket.close(CloseCode.tryAgainLater, 'The server is at its limit');
      this.metrics.countClose(CloseCode.tryAgainLater);
      ended(CloseCode.tryAgainLater, null);
      return;
    }
    const machine = new Connection({ resolve, nextNumber: () => ++this.#lastNumber });
    const connection = new ConnectionSocket(machine, socket, webSocket, this.#services);
    this.#connections.add(connection);
    connection.start(sentAuthorization(request), address, {
      proven: () => slot.proven(),
      gone: (code) => {
        ended(code, connection.caller);
        this.#connections.delete(connection);
        if (this.#connections.size === 0) this.#drained?.resolve();
      },
    });
  }

  /** Returns the function that reports the end of this handshake's connection. */
  #endOf(request: IncomingMessage): (close: number, caller: Caller | null) => void {
    const { timers, onEnded } = this.#options;
    const id = this.#requestIds.get(request)!;
    const from = timers.now();
    return (close, caller) =>
      onEnded?.({
        ...{ id, method: 'GET', path: STREAM_PATH, status: 101 },
        ms: Math.round(Number(timers.now() - from) / 1e6),
        account: caller?.accountId ?? null,
        key: caller?.keyId ?? null,
        close,
      });
  }

  #addressOf({ socket, headers }: IncomingMessage): string {
    const forwarded = headers['x-forwarded-for'];
    const forwardedFor = Array.isArray(forwarded) ? forwarded.join(',') : forwarded;
    return clientAddress(socket.remoteAddress, forwardedFor, this.#options.trustedProxies());
  }

  #roll(delaySeconds: number): void {
    const { hub, clock } = this.#options;
    const rolling = [...this.#connections];
    const moment = momentOf(hub, clock);
    for (const connection of rolling) connection.step({ t: 'tape-day', delaySeconds, ...moment });
    void this.#moveOn(rolling);
  }

  /** All connections release their old leases before one of them takes a new one. */
  async #moveOn(moving: readonly ConnectionSocket[]): Promise<void> {
    await Promise.all(moving.map((connection) => connection.leasesSettled()));
    for (const connection of moving) connection.step({ t: 'move-on' });
  }

  #rightsChanged(change: RightsChange): void {
    if (change.t === 'key-ended') {
      for (const connection of this.#connections) {
        if (connection.caller?.keyId === change.keyId) connection.endKey();
      }
      return;
    }
    const { accountId } = change;
    this.#changing.run(accountId, () => this.#applyRights(accountId)).catch(this.#options.onFault);
  }

  /**
   * First every connection of the account gets its new rights. Then connections and subscriptions beyond them end, the
   * youngest first. Then the remaining ones are judged again and move to where the rights now put them.
   */
  async #applyRights(accountId: string): Promise<void> {
    const { hub, clock } = this.#options;
    const ofAccount = [...this.#connections].filter((it) => it.caller?.accountId === accountId);
    await Promise.all(ofAccount.map((connection) => connection.refresh()));
    const holders = ofAccount.map(({ holder }) => holder).filter((holder) => holder !== null);
    const { connections, subscriptions: beyond } = beyondLimits(holders);
    for (const connection of ofAccount) {
      if (connections.has(connection.number)) connection.step({ t: 'connection-beyond' });
      else if (beyond.size > 0) connection.step({ t: 'subscriptions-beyond', beyond });
    }
    const moment = momentOf(hub, clock);
    for (const connection of ofAccount) {
      connection.endUncovered();
      connection.step({ t: 'judge-again', ...moment });
    }
    await this.#moveOn(ofAccount);
  }

  #renewLeases(): void {
    const { leases, timers, onFault } = this.#options;
    leases.renew(timers.now()).catch(onFault);
  }
}

function pathOf(request: IncomingMessage): string {
  const url = request.url ?? '';
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}
