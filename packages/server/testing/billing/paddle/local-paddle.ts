/** A local server that responds like Paddle, over real HTTP: errors, pages, rate limit, and retried webhooks. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type {
  ICustomerPortalSessionResponse,
  IEventName,
  IEventsResponse,
  IEventTypeResponse,
  INotificationSettingsResponse,
} from '@paddle/paddle-node-sdk';
import type { EpochNs } from '@tapeloom/core/numbers';
import { PADDLE_EVENTS } from '../../../src/billing/paddle/paddle-events.ts';
import { paddleSignature, SIGNATURE_HEADER } from '../../../src/billing/paddle/paddle-webhook.ts';
import type { Clock } from '../../../src/platform/clock.ts';
import type { Garble, Reach } from '../provider-rig.ts';
import {
  type Answer,
  json,
  known,
  type LocalResponse,
  listed,
  pagesOf,
  refusal,
  renamed,
} from './local-paddle-answers.ts';
import { LocalPaddleBooks } from './local-paddle-books.ts';
import { LocalRefusal } from './local-paddle-ledger.ts';

const SECOND_NS = 1_000_000_000n;
/** The waits between webhook retries; Paddle's sandbox gives up after three. */
const RETRY_S = [60, 180, 300];

export interface LocalWebhook {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

interface Waiting {
  readonly body: Buffer;
  attempts: number;
  sendAt: bigint;
}

export interface LocalPaddleOptions {
  readonly clock: Clock;
  readonly key: string;
  /** Part of this account's ids. */
  readonly name?: string;
  /** Returns the HTTP status. */
  readonly deliver: (webhook: LocalWebhook) => Promise<number> | number;
}

interface LocalRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly text: string;
}

// biome-ignore lint/suspicious/noExplicitAny: what anybody may send
type Body = any;

export class LocalPaddle implements AsyncDisposable {
  readonly books: LocalPaddleBooks;
  readonly settings: INotificationSettingsResponse[] = [];
  /** Several while a secret is being rotated. */
  readonly secrets: string[] = [];
  /** `METHOD /path` of every request, with its query. */
  readonly asked: string[] = [];
  reach: Reach | 'limited' = 'up';
  garble: Garble | null = null;
  /** With `cut`: which responses to writes are lost. */
  isLost: (path: string) => boolean = () => true;
  /** Rewrites responses. */
  lie: ((data: Body, path: string) => unknown) | null = null;
  readonly #options: LocalPaddleOptions;
  readonly #server: Server;
  #url = '';
  readonly #waiting = new Set<Waiting>();
  #sending: Promise<void> = Promise.resolve();

  private constructor(options: LocalPaddleOptions, server: Server) {
    this.#options = options;
    this.#server = server;
    this.books = new LocalPaddleBooks(options.clock, options.name);
    this.books.onEvent = (event) => this.#queue(event);
  }

  static async open(options: LocalPaddleOptions): Promise<LocalPaddle> {
    const server = createServer();
    const local = new LocalPaddle(options, server);
    server.on('request', (request, response) => void local.#serve(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    local.#url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return local;
  }

  get url(): string {
    return this.#url;
  }

  /** A webhook destination, as created in the dashboard. */
  addDestination(url: string, secret: string, events: readonly IEventName[] = PADDLE_EVENTS): void {
    this.secrets.push(secret);
    this.settings.push({
      id: `ntfset_${secret}`,
      description: 'Tapeloom',
      type: 'url',
      destination: url,
      active: true,
      api_version: 1,
      include_sensitive_fields: false,
      traffic_source: 'platform',
      subscribed_events: events.map(eventType),
      endpoint_secret_key: secret,
    });
  }

  /** Processes what is due: renewals, and webhook retries. */
  async pass(): Promise<void> {
    this.books.pass();
    await this.idle();
  }

  idle(): Promise<void> {
    this.#sending = this.#sending.then(() => this.#send());
    return this.#sending;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await this.#sending;
  }

  #queue(event: IEventsResponse<object>): void {
    const isWanted = this.settings.some(({ active, subscribed_events: events }) =>
      events.some(({ name }) => active && name === event.event_type),
    );
    if (!isWanted) return;
    const notification = { ...event, notification_id: event.event_id.replace('evt_', 'ntf_') };
    const body = Buffer.from(JSON.stringify(notification));
    this.#waiting.add({ body, attempts: 0, sendAt: this.#options.clock.now() });
  }

  async #send(): Promise<void> {
    const { clock, deliver } = this.#options;
    for (const one of this.#waiting) {
      const now = clock.now();
      if (one.sendAt > now) continue;
      const signature = paddleSignature(this.secrets, one.body, now as EpochNs);
      const headers = { 'content-type': 'application/json', [SIGNATURE_HEADER]: signature };
      const status = await deliver({ headers, body: one.body });
      const waitS = RETRY_S[one.attempts];
      one.attempts += 1;
      if (status === 200 || waitS === undefined) this.#waiting.delete(one);
      else one.sendAt = now + BigInt(waitS) * SECOND_NS;
    }
  }

  /** Bypasses the socket in this process, so that a thousand histories run within seconds. */
  withoutSocket(): Disposable {
    const { fetch } = globalThis;
    globalThis.fetch = async (input, init = {}) => {
      const url = new URL(String(input));
      if (url.origin !== this.url) return fetch(input, init);
      const headers = new Headers(init.headers);
      const { method = 'GET', body } = init;
      const said = this.#respond({ method, url, headers, text: String(body ?? '') });
      if (said === 'nothing') return new Promise<never>(() => {});
      if (said === 'cut') throw new TypeError('fetch failed', { cause: new Error('cut off') });
      const { status, text } = said;
      const json = async () => JSON.parse(text);
      // Only the parts of a response that the SDK and the adapter read.
      const answered = { status, ok: status < 300, headers: new Headers(said.headers), json };
      return answered as unknown as Response;
    };
    return {
      [Symbol.dispose]: () => {
        globalThis.fetch = fetch;
      },
    };
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const said = this.#respond({
      method: request.method!,
      url: new URL(request.url!, this.url),
      headers: new Headers(request.headers as Record<string, string>),
      text: Buffer.concat(chunks).toString(),
    });
    if (said === 'cut') response.destroy();
    else if (said !== 'nothing') response.writeHead(said.status, said.headers).end(said.text);
  }

  #respond({ method, url, headers, text }: LocalRequest): LocalResponse | 'nothing' | 'cut' {
    this.asked.push(`${method} ${url.pathname}${url.search}`);
    if (this.reach === 'silent') return 'nothing';
    try {
      this.#admit(headers);
      const answer = this.#answer(method, url, text === '' ? {} : JSON.parse(text));
      const isCut = this.reach === 'cut' && method !== 'GET' && this.isLost(url.pathname);
      return isCut ? 'cut' : this.#said(answer, url.pathname);
    } catch (error) {
      if (!(error instanceof LocalRefusal)) throw error;
      return refusal(error);
    }
  }

  #said(answer: Answer, path: string): LocalResponse {
    const { data } = answer;
    const meta = { request_id: crypto.randomUUID(), ...pagesOf(answer) };
    switch (this.garble) {
      case 'html':
        return {
          status: 502,
          headers: { 'content-type': 'text/html' },
          text: '<h1>Bad gateway</h1>',
        };
      case 'empty':
        return json(200, { meta });
      case 'renamed':
        return json(200, { data: renamed(data), meta });
      case null:
        return json(200, {
          data: this.lie === null ? data : this.lie(structuredClone(data), path),
          meta,
        });
      default:
        return this.garble satisfies never;
    }
  }

  #admit(headers: Headers): void {
    if (this.reach === 'down') throw new LocalRefusal(503, 'service_unavailable', 'try later');
    if (this.reach === 'limited') throw new LocalRefusal(429, 'too_many_requests', 'slow down');
    const [scheme, key] = headers.get('authorization')?.split(' ') ?? [];
    if (scheme?.toLowerCase() !== 'bearer' || key !== this.#options.key) {
      throw new LocalRefusal(403, 'invalid_token', 'The token is not valid.');
    }
    if (headers.get('paddle-version') !== '1') {
      throw new LocalRefusal(400, 'unsupported_api_version', 'There is no such version.');
    }
  }

  #answer(method: string, url: URL, body: Body): Answer {
    const { pathname, searchParams: query } = url;
    const [root, id = '', child = '', childId = ''] = pathname.slice(1).split('/');
    const route = `${method} /${[root, id && ':id', child, childId && ':id'].filter(Boolean).join('/')}`;
    const answer = this.#read(route, id, query, url) ?? this.#written(route, { id, childId }, body);
    if (answer === null) throw new LocalRefusal(404, 'not_found', `no ${route}`);
    return answer;
  }

  #read(route: string, id: string, query: URLSearchParams, url: URL): Answer | null {
    const { customers, addresses, products, transactions, subscriptions, adjustments } = this.books;
    switch (route) {
      case 'GET /event-types':
        return { data: PADDLE_EVENTS.map(eventType) };
      case 'GET /notification-settings':
        return { data: this.settings };
      case 'GET /customers':
        return listed([...customers.values()], query, url, 200);
      case 'GET /customers/:id':
        return { data: known(customers, id) };
      case 'GET /customers/:id/addresses':
        known(customers, id);
        return listed(
          [...addresses.values()].filter((it) => it.customer_id === id),
          query,
          url,
          200,
        );
      case 'GET /products':
        return listed([...products.values()], query, url, 200);
      case 'GET /transactions':
        return listed([...transactions.values()], query, url, 30);
      case 'GET /transactions/:id':
        return { data: known(transactions, id) };
      case 'GET /transactions/:id/invoice':
        return {
          data: { url: `https://invoices.paddle.example/${known(transactions, id).id}.pdf` },
        };
      case 'GET /subscriptions':
        return listed([...subscriptions.values()], query, url, 200);
      case 'GET /subscriptions/:id':
        return { data: known(subscriptions, id) };
      case 'GET /adjustments':
        return listed([...adjustments.values()], query, url, 50);
      case 'GET /events':
        return listed(
          this.books.events.map((event) => ({ id: event.event_id, ...event })),
          query,
          url,
          200,
        );
      default:
        return null;
    }
  }

  #written(
    route: string,
    { id, childId }: { id: string; childId: string },
    body: Body,
  ): Answer | null {
    const { books } = this;
    switch (route) {
      case 'POST /customers':
        return { data: books.addCustomer(body.email) };
      case 'PATCH /customers/:id':
        return { data: Object.assign(known(books.customers, id), body) };
      case 'POST /customers/:id/addresses':
        return { data: books.addAddress(known(books.customers, id).id, body) };
      case 'PATCH /customers/:id/addresses/:id':
        return { data: Object.assign(known(books.addresses, childId), body) };
      case 'POST /customers/:id/portal-sessions':
        return {
          data: portalSession(known(books.customers, id).id, body.subscription_ids, books.now),
        };
      case 'POST /transactions':
        return { data: books.addTransaction(body) };
      case 'PATCH /transactions/:id':
        return { data: books.patchTransaction(known(books.transactions, id).id, body) };
      case 'PATCH /subscriptions/:id':
        return { data: books.unschedule(known(books.subscriptions, id).id) };
      case 'POST /subscriptions/:id/cancel':
        return {
          data: books.cancelSubscription(known(books.subscriptions, id).id, body.effective_from),
        };
      case 'POST /adjustments':
        return { data: books.refund(body) };
      default:
        return null;
    }
  }
}

function eventType(name: IEventName): IEventTypeResponse {
  const group = name.split('.')[0]!;
  return { name, description: `Occurs when ${name}.`, group, available_versions: [1] };
}

function portalSession(customerId: string, subscriptionIds: string[], now: string) {
  const base = 'https://customer-portal.paddle.example/cpl_01';
  return {
    id: 'cpls_01h4ge9r64c22exjsx0fy8b48b',
    customer_id: customerId,
    urls: {
      general: { overview: `${base}?customer=${customerId}` },
      subscriptions: subscriptionIds.map((id) => ({
        id,
        cancel_subscription: `${base}/cancel/${id}`,
        update_subscription_payment_method: `${base}/update/${id}`,
      })),
    },
    created_at: now,
  } satisfies ICustomerPortalSessionResponse;
}
