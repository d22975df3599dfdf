/**
 * Attackers without a valid key, at ten addresses that no customer has: idle sockets, unfinished
 * handshakes, slow headers, silent WebSockets, guessed keys, and public documents never read.
 */

import { connect, type Socket } from 'node:net';
import { newKeyText } from '@tapeloom/server/accounts/auth/secret';
import { FrameCounter } from '../../bench/fanout/frame-counter.ts';
import { LightSocket } from '../../bench/shared/stream-sockets.ts';
import { seededRandom } from '../../simulation/clock/seeded-random.ts';
import { HttpClient, verdictOf } from './hostile-http.ts';
import { requestText, UnreadConnection } from './hostile-unread.ts';
import { type CrowdOrder, nameOf, type Tally } from './hostile-wire.ts';

const ADDRESSES = 10;
/** Sockets they try to hold: more than the service's limit of open files. */
const SOCKETS_WANTED = 3_000;
const SOCKETS_PER_SECOND = 300;
const TURN_MS = 20;
const HEADER_EVERY_MS = 3_000;
/** Few addresses, so that each of them far exceeds its limit. */
const GUESSING_ADDRESSES = 2;
const STREAM_GUESSES_PER_SECOND = 50;
const REST_GUESSES_PER_SECOND = 10;
const UNREAD_EACH = 2;
const PIPELINED_REQUESTS = 50;
const HALF_HANDSHAKE = 'GET /v1 HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n';
const HALF_REQUEST = 'GET /v1/status HTTP/1.1\r\nHost: localhost\r\n';
const KINDS = ['idle socket', 'half a handshake', 'slow headers', 'silent stream'] as const;
type Kind = (typeof KINDS)[number];
/** Cumulative shares of the kinds. */
const SHARES = [0.7, 0.8, 0.9, 1];

export class Strangers {
  readonly #port: number;
  readonly #tally: Tally;
  readonly #random: () => number;
  readonly #sockets = new Set<Socket>();
  readonly #unread: UnreadConnection[] = [];
  readonly #timers: NodeJS.Timeout[] = [];
  #isOver = false;

  constructor(order: Extract<CrowdOrder, { readonly t: 'attackers' }>, tally: Tally) {
    this.#port = order.port;
    this.#tally = tally;
    this.#random = seededRandom(order.seed + 2_000_003);
  }

  get held(): number {
    return this.#sockets.size + this.#unread.filter(({ isGone }) => !isGone).length;
  }

  async come(): Promise<void> {
    const each = (SOCKETS_PER_SECOND * TURN_MS) / 1_000;
    this.#every(TURN_MS, () => {
      for (let made = 0; made < each && this.#sockets.size < SOCKETS_WANTED; made += 1) {
        this.#hold();
      }
    });
    this.#every(1_000 / STREAM_GUESSES_PER_SECOND, () => void this.#guessAtStream());
    for (let index = 0; index < GUESSING_ADDRESSES; index += 1) {
      const place = { port: this.#port, localAddress: address(index) };
      this.#every((1_000 * GUESSING_ADDRESSES) / REST_GUESSES_PER_SECOND, () =>
        this.#guessAtRest(place),
      );
    }
    for (let index = 0; index < ADDRESSES * UNREAD_EACH; index += 1) {
      const text = requestText('/v1/indicators', null, PIPELINED_REQUESTS);
      const place = { port: this.#port, localAddress: address(index % ADDRESSES) };
      this.#unread.push(new UnreadConnection({ ...place, text, bytesPerSecond: 0 }));
    }
  }

  async leave(): Promise<void> {
    this.#isOver = true;
    for (const timer of this.#timers) clearInterval(timer);
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(
      this.#unread.map(async (one) => {
        const isCut = await one.isCut();
        this.#tally.add(`strangers: unread documents ${isCut ? 'cut' : 'still held'}`);
        one.destroy();
      }),
    );
  }

  #hold(): void {
    const chance = this.#random();
    const kind = KINDS[SHARES.findIndex((share) => chance < share)]!;
    const localAddress = address(Math.floor(this.#random() * ADDRESSES));
    this.#tally.add(`strangers: ${kind} tried`);
    if (kind === 'silent stream') this.#holdStream(localAddress);
    else this.#holdSocket(kind, localAddress);
  }

  #holdSocket(kind: Kind, localAddress: string): void {
    const socket = connect({ port: this.#port, host: '127.0.0.1', localAddress });
    let slowly: NodeJS.Timeout | null = null;
    if (kind === 'half a handshake') socket.write(HALF_HANDSHAKE);
    if (kind === 'slow headers') {
      socket.write(HALF_REQUEST);
      slowly = setInterval(() => socket.write('X-More: and more\r\n'), HEADER_EVERY_MS);
    }
    socket.once('close', () => {
      if (slowly !== null) clearInterval(slowly);
    });
    this.#keep(socket, kind);
  }

  #holdStream(localAddress: string): void {
    const counter = new FrameCounter();
    LightSocket.open({ port: this.#port, key: null, localAddress }, counter.take).then(
      ({ socket }) => {
        if (this.#isOver) socket.destroy();
        this.#keep(socket, 'silent stream');
        socket.once('close', () => this.#closed(counter));
      },
      (error: unknown) => this.#tally.add(`strangers: silent stream ${nameOf(error)}`),
    );
  }

  #keep(socket: Socket, kind: Kind): void {
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.resume();
    socket.once('close', () => {
      this.#sockets.delete(socket);
      if (!this.#isOver) this.#tally.add(`strangers: ${kind} ended by the service`);
    });
  }

  async #guessAtStream(): Promise<void> {
    const localAddress = address(Math.floor(this.#random() * GUESSING_ADDRESSES));
    const counter = new FrameCounter();
    try {
      const place = { port: this.#port, key: this.#guess(), localAddress };
      const { socket } = await LightSocket.open(place, counter.take);
      socket.on('error', () => {});
      socket.once('close', () => this.#closed(counter));
      socket.once('end', () => socket.destroy());
    } catch (error) {
      this.#tally.add(`strangers: guess over the stream ${nameOf(error)}`);
    }
  }

  #closed({ closeCode }: FrameCounter): void {
    if (!this.#isOver) this.#tally.add(`strangers: close ${closeCode ?? 'without a code'}`);
  }

  #guessAtRest(place: { readonly port: number; readonly localAddress: string }): void {
    // A client has one key, so every guess needs its own client.
    const http = new HttpClient({ ...place, key: this.#guess() });
    void http
      .ask('GET', '/v1/usage')
      .then((answer) => verdictOf(answer), nameOf)
      .then((what) => {
        this.#tally.add(`strangers: guess over REST ${what}`);
        http[Symbol.dispose]();
      });
  }

  /** A well-formed key that no account has. */
  #guess(): string {
    return newKeyText('live', (length) =>
      Buffer.from(Array.from({ length }, () => Math.floor(this.#random() * 256))),
    );
  }

  #every(ms: number, act: () => void): void {
    this.#timers.push(setInterval(act, ms));
  }
}

function address(index: number): string {
  return `127.66.0.${1 + index}`;
}
