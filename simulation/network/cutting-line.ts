/**
 * A line to a server of tests that breaks at a chosen word: when the word passes on its way to the server the line is cut,
 * either before the server gets it, or after the server has answered and before the answer arrives. So both ends of an
 * unknown outcome can be had on purpose.
 */

import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

interface Cut {
  readonly word: string;
  /** Whether the server gets it. */
  readonly isDelivered: boolean;
  /** Whether nobody gets through any more after it. */
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

  /** To the server at `port`, from `near`; any by default. */
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

  /** The next time this word passes. */
  cutAt(word: string, cut: Partial<Omit<Cut, 'word'>> = {}): void {
    this.#cut = { word, isDelivered: false, isForGood: false, ...cut };
  }

  /** At once, for all there are and whoever comes, until it is mended. */
  cut(): void {
    this.#isClosed = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.#isClosed = false;
  }

  /** Whoever comes from now on is led to another server. */
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
