/**
 * A local server that speaks a venue's protocol over real sockets: the simulated venue behind WebSockets or plain TCP,
 * and HTTP. It trades in real time until it is stopped.
 */

import { once } from 'node:events';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';
import { WebSocketServer } from 'ws';
import { seededRandom } from '../../../../simulation/clock/seeded-random.ts';
import type { FeedMessage, PageAnswer } from '../../src/markets/live/feed.ts';
import type { VenueAddresses } from '../../src/markets/live/venue-kind.ts';
import { venueNamed } from '../../src/markets/live/venues.ts';
import type { Dialect } from './dialect.ts';
import { SimVenue } from './sim-venue.ts';

const STEP_MS = 20;

export interface VenueServerOptions {
  readonly dialect: Dialect;
  /** Default: 1. */
  readonly seed?: number;
  /** Trades of each contract. Default: 20. */
  readonly tradesPerSecond?: number;
  /** Of an earlier server, to begin again at the same addresses. Default: any that are free. */
  readonly ports?: VenuePorts;
  /** The market of an earlier server. */
  readonly venue?: SimVenue;
}

export interface VenuePorts {
  readonly http: number;
  readonly tcp: number;
}

/** What a connection of either protocol can do. */
interface Peer {
  send(message: FeedMessage): void;
  end(): void;
}

export class VenueServer implements AsyncDisposable {
  readonly venue: SimVenue;
  readonly #own: VenueAddresses;
  readonly #http: HttpServer;
  readonly #tcp: Server | null;
  readonly #sockets: WebSocketServer;
  readonly #peers = new Map<number, Peer>();
  readonly #asked = new Map<number, (answer: PageAnswer) => void>();
  readonly #tradesPerSecond: number;
  #timer: NodeJS.Timeout | null = null;
  #lastMs = 0;
  #lastId = 0;
  /** The paths of the requests so far, for tests that look at what was asked. */
  readonly requests: string[] = [];

  private constructor({ dialect, seed = 1, tradesPerSecond = 20, venue }: VenueServerOptions) {
    this.#own = venueNamed(dialect.venue.name)!.addresses;
    this.#tradesPerSecond = tradesPerSecond;
    const symbols = dialect.contracts.map(({ venueSymbol }) => venueSymbol);
    this.venue = venue ?? new SimVenue(seededRandom(seed), symbols, { dialect });
    this.#http = createHttpServer((request, response) => {
      this.requests.push(request.url!);
      this.#ask(`${new URL(this.#own.rest).origin}${request.url}`, ({ status, headers, body }) => {
        response.writeHead(status, headers).end(body);
      });
    });
    this.#sockets = new WebSocketServer({ server: this.#http });
    this.#sockets.on('connection', (socket, request) => {
      const id = this.#connected(
        { send: (message) => socket.send(message), end: () => socket.close(1_001, 'bye') },
        request.url ?? '/',
      );
      socket.on('message', (data, isBinary) => {
        this.#received(id, isBinary ? new Uint8Array(data as Buffer) : String(data));
      });
      socket.on('close', () => this.#closed(id));
      socket.on('error', () => this.#closed(id));
    });
    this.#tcp =
      dialect.isTcp === true ? createTcpServer((socket) => this.#tcpConnected(socket)) : null;
  }

  static async start(options: VenueServerOptions): Promise<VenueServer> {
    const server = new VenueServer(options);
    const { http, tcp } = options.ports ?? { http: 0, tcp: 0 };
    await listen(server.#http, http);
    if (server.#tcp !== null) await listen(server.#tcp, tcp);
    server.#lastMs = Date.now();
    server.#timer = setInterval(() => server.#step(), STEP_MS);
    return server;
  }

  /** The venue's own, with this server in place of the venue's hosts. */
  get addresses(): VenueAddresses {
    const at = (address: string, protocol: string, server: Server) =>
      `${protocol}://127.0.0.1:${portOf(server)}${pathOf(address)}`;
    const { stream, rest } = this.#own;
    return {
      stream: this.#tcp === null ? at(stream, 'ws', this.#http) : at('', 'tcp', this.#tcp),
      rest: at(rest, 'http', this.#http),
    };
  }

  get ports(): VenuePorts {
    return { http: portOf(this.#http), tcp: this.#tcp === null ? 0 : portOf(this.#tcp) };
  }

  /** Connections that are open now. */
  get connections(): number {
    return this.#peers.size;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    for (const id of [...this.#peers.keys()]) this.#end(id);
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#sockets.close();
    this.#http.closeAllConnections();
    await Promise.all([closed(this.#http), ...(this.#tcp === null ? [] : [closed(this.#tcp)])]);
  }

  #step(): void {
    const now = Date.now();
    const passed = now - this.#lastMs;
    if (passed <= 0) return;
    this.#lastMs = now;
    this.venue.trade(now, passed, (this.#tradesPerSecond * passed) / 1_000);
    for (const [id, event] of this.venue.arrived(now)) {
      if (event.kind === 'message') this.#peers.get(id)?.send(event.message);
      else if (event.kind === 'closed') this.#end(id);
    }
    for (const [id, answer] of this.venue.answered(now)) {
      this.#asked.get(id)?.(answer);
      this.#asked.delete(id);
    }
  }

  #connected(peer: Peer, path: string): number {
    this.#lastId += 1;
    this.#peers.set(this.#lastId, peer);
    this.venue.connect(this.#lastId, Date.now(), `${originOf(this.#own.stream)}${path}`);
    return this.#lastId;
  }

  #received(id: number, message: FeedMessage): void {
    this.venue.send(id, message, Date.now());
  }

  #closed(id: number): void {
    this.#peers.delete(id);
    this.venue.close(id);
  }

  #end(id: number): void {
    this.#peers.get(id)?.end();
    this.#closed(id);
  }

  #tcpConnected(socket: Socket): void {
    const peer: Peer = { send: (message) => socket.write(message), end: () => socket.destroy() };
    const id = this.#connected(peer, '/');
    // What clients say over TCP are lines.
    let said = '';
    socket.on('data', (bytes: Buffer) => {
      const lines = `${said}${bytes}`.split(/(?<=\n)/);
      said = lines.at(-1)!.endsWith('\n') ? '' : lines.pop()!;
      for (const line of lines) this.#received(id, line);
    });
    socket.on('close', () => this.#closed(id));
    socket.on('error', () => this.#closed(id));
  }

  #ask(url: string, answered: (answer: PageAnswer) => void): void {
    this.#lastId += 1;
    this.#asked.set(this.#lastId, answered);
    this.venue.request(this.#lastId, { url }, Date.now());
  }
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function originOf(address: string): string {
  return address.slice(0, address.length - pathOf(address).length);
}

/** Without a slash at its end: of `wss://host/a` it is `/a`. */
function pathOf(address: string): string {
  return /^[a-z]+:\/\/[^/]*(.*?)\/*$/.exec(address)?.[1] ?? '';
}

async function closed(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}
