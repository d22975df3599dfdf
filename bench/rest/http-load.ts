/**
 * The cheapest HTTP client: prepared requests over persistent connections, one request at a time on
 * each. It reads only the status and the length of a response, so that the server dominates the
 * measurement.
 */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const OK = Buffer.from('HTTP/1.1 200 ');
const LENGTH = Buffer.from('content-length: ');
const NOTHING = Buffer.alloc(0);
/** Below an address's limit of unauthenticated connections. */
const OPENED_AT_ONCE = 100;

export interface Answered {
  /** The number of responses, all with status 200; any other status rejects. */
  readonly answered: number;
  readonly seconds: number;
}

export class HttpLoad implements Disposable {
  readonly #connections: readonly Connection[];

  private constructor(connections: readonly Connection[]) {
    this.#connections = connections;
  }

  /** Opens one connection for each request, which repeats that request. */
  static async open(port: number, requests: readonly Buffer[]): Promise<HttpLoad> {
    const connections: Connection[] = [];
    for (let at = 0; at < requests.length; at += OPENED_AT_ONCE) {
      const some = requests.slice(at, at + OPENED_AT_ONCE);
      connections.push(...(await Promise.all(some.map((one) => Connection.open(port, one)))));
    }
    return new HttpLoad(connections);
  }

  async keepBusy(seconds: number): Promise<Answered> {
    const startMs = performance.now();
    const endMs = startMs + seconds * 1_000;
    let answered = 0;
    const goesOn = () => {
      answered += 1;
      return performance.now() < endMs;
    };
    await Promise.all(this.#connections.map((connection) => connection.keepAsking(goesOn)));
    return { answered, seconds: (performance.now() - startMs) / 1_000 };
  }

  [Symbol.dispose](): void {
    for (const connection of this.#connections) connection[Symbol.dispose]();
  }
}

class Connection implements Disposable {
  readonly #socket: Socket;
  readonly #request: Buffer;
  #waiting: Buffer = NOTHING;
  #goesOn: () => boolean = () => false;
  #turn = Promise.withResolvers<void>();

  private constructor(socket: Socket, request: Buffer) {
    this.#socket = socket;
    this.#request = request;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', (error) => this.#turn.reject(error));
    socket.on('close', () => this.#turn.reject(new Error('the server closed a connection')));
  }

  static async open(port: number, request: Buffer): Promise<Connection> {
    const socket = connect(port, '127.0.0.1').setNoDelay();
    await once(socket, 'connect');
    const connection = new Connection(socket, request);
    // After one response a server waits longer for the connection's next request.
    await connection.keepAsking(() => false);
    return connection;
  }

  /** Sends the request; after each complete response sends it again while `goesOn` is true. */
  keepAsking(goesOn: () => boolean): Promise<void> {
    this.#goesOn = goesOn;
    this.#turn = Promise.withResolvers();
    this.#socket.write(this.#request);
    return this.#turn.promise;
  }

  [Symbol.dispose](): void {
    this.#socket.removeAllListeners('close').destroy();
  }

  #take(chunk: Buffer): void {
    this.#waiting = this.#waiting.length === 0 ? chunk : Buffer.concat([this.#waiting, chunk]);
    const bytes = answerBytes(this.#waiting);
    if (bytes === null || this.#waiting.length < bytes) return;
    const isOk = this.#waiting.subarray(0, OK.length).equals(OK);
    if (!isOk) this.#turn.reject(new Error(this.#waiting.toString('latin1')));
    this.#waiting = NOTHING;
    if (isOk && this.#goesOn()) this.#socket.write(this.#request);
    else this.#turn.resolve();
  }
}

/** The length of the whole response; null while its head is incomplete. */
function answerBytes(answer: Buffer): number | null {
  const headEnd = answer.indexOf(HEAD_END);
  if (headEnd === -1) return null;
  const place = answer.indexOf(LENGTH) + LENGTH.length;
  const digits = answer.toString('latin1', place, place + 8);
  return headEnd + HEAD_END.length + Number.parseInt(digits, 10);
}
