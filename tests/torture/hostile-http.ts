/** A REST client over keep-alive connections from an address of its own. */

import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';

const ANSWER_WITHIN_MS = 60_000;

export interface HttpPlace {
  readonly port: number;
  /** Null sends no key. */
  readonly key: string | null;
  readonly localAddress: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
  readonly ms: number;
}

export class HttpClient implements Disposable {
  readonly #place: HttpPlace;
  readonly #agent: Agent;

  constructor(place: HttpPlace) {
    this.#place = place;
    this.#agent = new Agent({ keepAlive: true });
  }

  /** Rejects without a complete response. */
  async ask(method: string, path: string, body?: object): Promise<HttpAnswer> {
    const startMs = performance.now();
    const answer = await this.#try(method, path, body).catch((error: unknown) => {
      // The server may close an idle connection at any time: every HTTP client retries then.
      if (!(error instanceof StaleConnectionError)) throw error;
      return this.#try(method, path, body);
    });
    return { ...answer, ms: performance.now() - startMs };
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }

  async #try(method: string, path: string, body?: object): Promise<Omit<HttpAnswer, 'ms'>> {
    const { port, key, localAddress } = this.#place;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const asked = request({
      host: '127.0.0.1',
      port,
      localAddress,
      agent: this.#agent,
      method,
      path,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(text === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      },
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    const response = await responseOf(asked, text);
    const parts: Buffer[] = [];
    for await (const part of response as AsyncIterable<Buffer>) parts.push(part);
    return { status: response.statusCode!, text: Buffer.concat(parts).toString() };
  }
}

class StaleConnectionError extends Error {
  override readonly name = 'StaleConnectionError';
}

function responseOf(asked: ClientRequest, body: string | undefined): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  asked.on('response', resolve);
  asked.on('error', (cause: Error & { readonly code?: string }) => {
    const isStale = asked.reusedSocket && cause.code === 'ECONNRESET';
    reject(isStale ? new StaleConnectionError('a kept connection was gone', { cause }) : cause);
  });
  asked.end(body);
  return promise;
}

/** The status, with the error code if any: `429 RATE_LIMITED`. */
export function verdictOf({ status, text }: Pick<HttpAnswer, 'status' | 'text'>): string {
  const code = status < 400 ? undefined : /"code":"([A-Z_]+)"/.exec(text)?.[1];
  return code === undefined ? `${status}` : `${status} ${code}`;
}
