/**
 * A TCP proxy to a test's server that cuts the connection when a chosen word passes: before the server receives it, or
 * after it has responded and before the response arrives. Both outcomes of an uncertain request are possible.
 */

import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

interface Cut {
  readonly word: string;
  /** Whether the server receives the word. */
  readonly isDelivered: boolean;
  /** Whether all later connections fail too. */
  readonly isForGood: boolean;
}

export class CuttingLine implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #port: number;
  #cut: Cut | null = null;
  #isClosed = false;
  cuts = 0;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.#port = port;
  }

  /** Proxies to the server at `port`; `near` is the own port, any by default. */
  static async open(port: number, near = 0): Promise<CuttingLine> {
    const server = createServer();
    const line = new CuttingLine(server, port);
    server.on('connection', (socket) => line.#join(socket));
    server.listen(near, '127.0.0.1');
    await once(server, 'listening');
    return line;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  cutAt(word: string, cut: Partial<Omit<Cut, 'word'>> = {}): void {
    this.#cut = { word, isDelivered: false, isForGood: false, ...cut };
  }

  /** Cuts all present and new connections, until `mend`. */
  cut(): void {
    this.#isClosed = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.#isClosed = false;
  }

  /** Directs new connections to another server. */
  leadTo(port: number): void {
    this.#port = port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(near: Socket): void {
    if (this.#isClosed) {
      near.destroy();
      return;
    }
    const far = connect(this.#port, '127.0.0.1');
    const sockets = [near, far];
    const hangUp = () => {
      for (const socket of sockets) socket.destroy();
    };
    for (const socket of sockets) {
      this.#sockets.add(socket);
      socket.on('error', hangUp);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        hangUp();
      });
    }
    let isCut = false;
    near.on('data', (sent) => {
      const cut = this.#cut;
      if (cut === null || !sent.includes(cut.word)) {
        far.write(sent);
        return;
      }
      this.#cut = null;
      this.cuts += 1;
      this.#isClosed = cut.isForGood;
      isCut = true;
      if (cut.isDelivered) far.write(sent);
      else hangUp();
    });
    far.on('data', (answer) => {
      if (isCut) hangUp();
      else near.write(answer);
    });
  }
}
