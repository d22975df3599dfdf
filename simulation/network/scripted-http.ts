/** An HTTP server scripted by a test, which records its requests. Real sockets on the loopback. */

import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** `count` is 1 at the first request. */
export type Answering = (response: ServerResponse, request: SeenRequest, count: number) => unknown;

export class ScriptedHttp {
  readonly requests: SeenRequest[] = [];
  /** Handles the requests from now on. */
  answering: Answering;
  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch(() => response.destroy());
  });

  private constructor(answering: Answering) {
    this.answering = answering;
  }

  static async start(answering: Answering = (response) => response.end()): Promise<ScriptedHttp> {
    const server = new ScriptedHttp(answering);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  connections(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
    });
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const url = new URL(request.url ?? '/', 'http://localhost');
    const seen = {
      method: request.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: Buffer.concat(pieces).toString(),
    };
    this.requests.push(seen);
    await this.answering(response, seen, this.requests.length);
  }
}

export function json(
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: OutgoingHttpHeaders = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** An error document of the service. */
export function problem(
  response: ServerResponse,
  status: number,
  code: string,
  more: Readonly<Record<string, unknown>> = {},
  headers: OutgoingHttpHeaders = {},
): void {
  const type = `https://docs.example/errors#${code.toLowerCase().replaceAll('_', '-')}`;
  const document = { type, title: code, status, detail: `It is ${code}.`, code, instance: 'req-1' };
  const contentType = { 'content-type': 'application/problem+json' };
  json(response, { ...document, ...more }, status, { ...contentType, ...headers });
}
