/**
 * An HTTP client over persistent connections, one request at a time on each. All reads share one
 * buffer. With a buffer per read, some ten history pages would trigger a garbage collection here,
 * whose threads would take the cores of a small machine from the service.
 */

import { connect, type Socket } from 'node:net';
import { AnswerBody } from './answer-body.ts';

const READ_BYTES = 65_536;

export interface GetRequest {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal | undefined;
}

export class KeptConnections implements Disposable {
  readonly #memory = Buffer.alloc(READ_BYTES);
  /** Idle connections by port. */
  readonly #free = new Map<number, Connection[]>();
  readonly #all = new Set<Connection>();

  /** Resolves with the status when the response is complete; `take` must not retain its part. */
  async get(request: GetRequest, take: (part: Uint8Array) => void): Promise<number> {
    const { port, path, headers, signal } = request;
    signal?.throwIfAborted();
    const connection = this.#free.get(port)?.pop() ?? this.#open(port);
    const abort = () => connection.end(signal!.reason);
    signal?.addEventListener('abort', abort);
    try {
      const status = await connection.ask(requestText(path, headers), take);
      this.#free.getOrInsertComputed(port, () => []).push(connection);
      return status;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  [Symbol.dispose](): void {
    for (const connection of this.#all) connection.end(new Error('the client was closed'));
  }

  #open(port: number): Connection {
    const connection: Connection = new Connection(port, this.#memory, () => {
      this.#all.delete(connection);
      const free = this.#free.get(port) ?? [];
      this.#free.set(
        port,
        free.filter((one) => one !== connection),
      );
    });
    this.#all.add(connection);
    return connection;
  }
}

class Connection {
  readonly #socket: Socket;
  #answer: AnswerBody | null = null;
  #asked = Promise.withResolvers<number>();

  constructor(port: number, memory: Buffer, onClose: () => void) {
    const callback = (length: number) => {
      this.#read(memory.subarray(0, length));
      return true;
    };
    const onread = { buffer: memory, callback };
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true, onread });
    this.#socket.on('error', (error) => this.end(error));
    this.#socket.on('close', () => {
      onClose();
      this.end(new Error('the server closed a connection'));
    });
  }

  ask(text: string, take: (part: Uint8Array) => void): Promise<number> {
    this.#answer = new AnswerBody(take);
    this.#asked = Promise.withResolvers();
    this.#socket.write(text);
    return this.#asked.promise;
  }

  end(reason: unknown): void {
    this.#socket.destroy();
    if (this.#answer === null) return;
    this.#answer = null;
    this.#asked.reject(reason);
  }

  #read(bytes: Buffer): void {
    const answer = this.#answer;
    if (answer === null) return;
    answer.push(bytes);
    if (!answer.isComplete) return;
    this.#answer = null;
    this.#asked.resolve(answer.status);
  }
}

function requestText(path: string, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${lines.join('')}\r\n`;
}
