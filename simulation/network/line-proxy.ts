/**
 * A proxy between a client and a server. A test can hold back either direction, release it, and cut either end. Held
 * bytes arrive when released, however late, and whether or not the client still exists.
 */

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

interface Line {
  readonly client: Socket;
  readonly server: Socket;
  readonly toServer: Held;
  readonly toClient: Held;
}

export class LineProxy implements AsyncDisposable {
  readonly #listener: Server;
  readonly #lines = new Set<Line>();
  #unanswered: string | null = null;

  private constructor(target: URL) {
    this.#listener = createServer((client) => this.#join(client, target));
  }

  static async before(address: string): Promise<LineProxy> {
    const proxy = new LineProxy(new URL(address));
    proxy.#listener.listen(0, '127.0.0.1');
    await once(proxy.#listener, 'listening');
    return proxy;
  }

  get url(): string {
    return `nats://127.0.0.1:${(this.#listener.address() as AddressInfo).port}`;
  }

  /** Holds this direction of the present connections; later connections are not held. */
  hold(direction: 'toServer' | 'toClient'): void {
    for (const line of this.#lines) line[direction].hold();
  }

  /** Forwards a request with these words, and holds back everything the server sends from then on. */
  holdAnswersTo(words: string): void {
    this.#unanswered = words;
  }

  letGo(): void {
    this.#unanswered = null;
    for (const line of this.#lines) {
      line.toServer.letGo();
      line.toClient.letGo();
    }
  }

  /** Cuts the clients off. The server does not notice, and gets the held bytes when they are released. */
  cutClients(): void {
    for (const { client } of this.#lines) client.destroy();
  }

  cut(): void {
    for (const line of this.#lines) {
      line.client.destroy();
      line.server.destroy();
      this.#lines.delete(line);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    this.cut();
    await once(this.#listener, 'close');
  }

  #join(client: Socket, target: URL): void {
    const server = connect(Number(target.port), target.hostname);
    const line = { client, server, toServer: new Held(server), toClient: new Held(client) };
    this.#lines.add(line);
    client.setNoDelay();
    server.setNoDelay();
    // Each side detects the other's end by its own connection.
    client
      .on('error', () => {})
      .on('data', (bytes: Buffer) => {
        if (this.#unanswered !== null && bytes.includes(this.#unanswered)) line.toClient.hold();
        line.toServer.pass(bytes);
      });
    server
      .on('error', () => client.destroy())
      .on('data', (bytes: Buffer) => line.toClient.pass(bytes))
      .on('close', () => {
        client.destroy();
        this.#lines.delete(line);
      });
  }
}

class Held {
  readonly #to: Socket;
  #waiting: Buffer[] | null = null;

  constructor(to: Socket) {
    this.#to = to;
  }

  pass(bytes: Buffer): void {
    if (this.#waiting !== null) this.#waiting.push(bytes);
    else if (!this.#to.destroyed) this.#to.write(bytes);
  }

  hold(): void {
    this.#waiting ??= [];
  }

  letGo(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const bytes of waiting) this.pass(bytes);
  }
}
