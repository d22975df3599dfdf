/**
 * A browser at a `RestService`'s portal: keeps the cookie, sends its origin, opens mailed links, from its own address.
 */

import assert from 'node:assert/strict';
import type { Problem } from '@tapeloom/protocol/problem';
import type { RestAnswer, RestRequest, RestService } from '../rest/rest-service.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

interface LinkLook {
  readonly purpose: string;
  readonly email: string | null;
  readonly account: string | null;
  readonly expiresAt: string;
}

let made = 0;

export class PortalBrowser {
  readonly address: string;
  /** As sent; null: signed out. */
  cookie: string | null = null;
  readonly #service: RestService;
  readonly #userAgent: string;

  constructor(service: RestService, userAgent: string = FIREFOX, address?: string) {
    made += 1;
    this.#service = service;
    this.#userAgent = userAgent;
    this.address = address ?? `100.64.${(made >> 8) & 255}.${made & 255}`;
  }

  async request<Body = Problem>(
    method: string,
    path: string,
    body?: unknown,
    more: RestRequest = {},
  ): Promise<RestAnswer<Body>> {
    const answer = await this.#service.request<Body>(method, path, {
      address: this.address,
      ...(body === undefined ? {} : { body }),
      ...more,
      headers: {
        'user-agent': this.#userAgent,
        ...(method === 'GET' ? {} : { origin: this.#service.origin }),
        ...(this.cookie === null ? {} : { cookie: this.cookie }),
        ...more.headers,
      },
    });
    const set = answer.headers['set-cookie'];
    if (set !== undefined) this.#keep(String(set));
    return answer;
  }

  get<Body = Problem>(path: string, more?: RestRequest): Promise<RestAnswer<Body>> {
    return this.request('GET', path, undefined, more);
  }

  post<Body = Problem>(
    path: string,
    body?: unknown,
    more?: RestRequest,
  ): Promise<RestAnswer<Body>> {
    return this.request('POST', path, body, more);
  }

  delete<Body = Problem>(path: string, more?: RestRequest): Promise<RestAnswer<Body>> {
    return this.request('DELETE', path, undefined, more);
  }

  askForLink(email: string): Promise<RestAnswer<Problem>> {
    return this.post('/v1/portal/sign-in', { email });
  }

  /** A link's purpose, looked up without consuming it. */
  look(token: string): Promise<RestAnswer<LinkLook & Problem>> {
    return this.post('/v1/portal/sign-in/look', { token });
  }

  useLink(token: string): Promise<RestAnswer<{ email: string; isNew: boolean } & Problem>> {
    return this.post('/v1/portal/session', { token });
  }

  async signIn(email: string): Promise<void> {
    assert.equal((await this.askForLink(email)).status, 202);
    const { status, text } = await this.useLink(lastToken(this.#service));
    assert.equal(status, 200, text);
  }

  /** Requests the account's deletion, and confirms it by the mailed link. */
  async askForDeletion(): Promise<RestAnswer<{ dueAt: string } & Problem>> {
    assert.equal((await this.post('/v1/portal/deletion')).status, 202);
    const token = lastToken(this.#service);
    return await this.post('/v1/portal/deletion/confirm', { token });
  }

  /** Requests another address, approves it by the link to the old one, and returns the token sent to the new one. */
  async askForEmail(email: string): Promise<string> {
    const asked = await this.post('/v1/portal/email', { email });
    assert.equal(asked.status, 202, asked.text);
    const token = lastToken(this.#service);
    const approved = await this.post('/v1/portal/email/approve', { token });
    assert.equal(approved.status, 202, approved.text);
    return lastToken(this.#service);
  }

  #keep(set: string): void {
    const [pair] = set.split(';');
    this.cookie = /Max-Age=0\b/.test(set) ? null : pair!;
  }
}

/** The token of the newest mail's link. */
export function lastToken(service: RestService): string {
  const token = /\/sign-in#(\S+)/.exec(service.mails.at(-1)?.text ?? '')?.[1];
  assert.ok(token !== undefined, 'the newest mail has a link');
  return token;
}

/** A browser, and the token of a link that was just sent. */
export async function sentLink(service: RestService, email: string) {
  const browser = new PortalBrowser(service);
  assert.equal((await browser.askForLink(email)).status, 202);
  return { browser, email, token: lastToken(service) };
}
