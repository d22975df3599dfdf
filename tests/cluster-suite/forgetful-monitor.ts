/**
 * Imitates the monitoring of a NATS server that lost most of its messages: it forwards the real
 * server's responses with a small last sequence.
 */

import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export class ForgetfulMonitor implements AsyncDisposable {
  readonly #server: http.Server;

  private constructor(server: http.Server) {
    this.#server = server;
  }

  static async start(real: string): Promise<ForgetfulMonitor> {
    const server = http.createServer((request, response) => {
      void said(new URL(request.url!, real)).then(
        (text) => response.end(text),
        () => response.destroy(),
      );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ForgetfulMonitor(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

async function said(url: URL): Promise<string> {
  const text = await (await fetch(url)).text();
  return text.replaceAll(/"last_seq": *\d+/g, '"last_seq": 1');
}
