/**
 * The line between a client and a server, which a test can hold up in either direction, let go, and cut at either end. What is
 * held is bytes in a socket: they arrive when they are let go, however long that takes, and whether or not the client is
 * still there.
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

  /** Holds up what the lines there are carry in this direction; lines that are made later are free. */
  hold(direction: 'toServer' | 'toClient'): void {
    for (const line of this.#lines) line[direction].hold();
  }

  /** Lets what has these words through to the server, and holds up what it says from then on. */
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

  /** Cuts the clients off; the server does not learn of it, and gets what was held when it is let go. */
  cutClients(): void {
    for (const { client } of this.#lines) client.destroy();
  }

  /** Cuts everything; what was held is lost. */
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
    // Which side went, and how, the other one notices by its own connection.
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

/** One direction of a line. */
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
