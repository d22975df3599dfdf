/**
 * Who is signed in to the page: everybody who knew its one password, in the browser that sent it, until the backend
 * ends. Yours has users of its own; what matters here is that no token leaves without one.
 */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

const COOKIE = 'page_session';
const BODY_BYTES_MAX = 1_024;
const SESSIONS_MAX = 1_000;

export class SignIns {
  readonly #password: Buffer;
  /** The oldest first. */
  readonly #sessions = new Set<string>();

  constructor(password: string) {
    this.#password = digest(password);
  }

  isSignedIn({ headers: { cookie = '' } }: IncomingMessage): boolean {
    const session = new RegExp(`(?:^|; )${COOKIE}=([0-9a-f]{64})(?:;|$)`).exec(cookie)?.[1];
    return session !== undefined && this.#sessions.has(session);
  }

  /** Reads a form with the field `password`, and goes on to `next` or back to the question. */
  async signIn(request: IncomingMessage, response: ServerResponse, next: string): Promise<void> {
    const password = new URLSearchParams(await bodyOf(request)).get('password') ?? '';
    const isRight = timingSafeEqual(digest(password), this.#password);
    const headers = { location: next, 'cache-control': 'no-store' };
    if (!isRight) {
      response.writeHead(303, headers).end();
      return;
    }
    const session = randomBytes(32).toString('hex');
    this.#sessions.add(session);
    const [oldest] = this.#sessions;
    if (this.#sessions.size > SESSIONS_MAX) this.#sessions.delete(oldest!);
    // Behind TLS add `Secure`.
    const cookie = `${COOKIE}=${session}; HttpOnly; SameSite=Strict; Path=/`;
    response.writeHead(303, { ...headers, 'set-cookie': cookie }).end();
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const part of request.setEncoding('utf8')) {
    body += part;
    if (body.length > BODY_BYTES_MAX) return '';
  }
  return body;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
