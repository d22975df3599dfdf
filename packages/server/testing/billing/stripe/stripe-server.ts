/**
 * A local Stripe over real HTTP, with bearer keys, versions, forms, idempotency, error envelopes and rate limits, over
 * objects of the SDK's types. Webhooks are signed and retried until accepted. It can be down, silent, cut off after
 * processing, or respond in an unexpected format.
 */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { EpochNs } from '@tapeloom/core/numbers';
import Stripe from 'stripe';
import { STRIPE_EVENTS } from '../../../src/billing/stripe/stripe-events.ts';
import type { Garble, Reach } from '../provider-rig.ts';
import { answerOf, endpointObject } from './stripe-routes.ts';
import { type StripeSend, StripeSender } from './stripe-sender.ts';
import { errorBody, parseForm } from './stripe-wire.ts';
import { StripeRefusal, StripeWorld } from './stripe-world.ts';
import { catchUp } from './stripe-world-billing.ts';
import { expireCheckout } from './stripe-world-checkout.ts';

/** Idempotency keys expire after a day. */
const KEY_S = 86_400;

export interface StripeServerOptions {
  readonly key: string;
  readonly secrets: readonly string[];
  readonly webhookUrl: string;
  readonly clock: () => EpochNs;
  readonly send: StripeSend;
}

export interface StripeRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

export interface StripeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Kept {
  readonly at: number;
  readonly request: string;
  readonly answer: StripeAnswer;
}

export class StripeServer implements AsyncDisposable {
  readonly world: StripeWorld;
  readonly sender: StripeSender;
  /** All requests, oldest first. */
  readonly requests: StripeRequest[] = [];
  reach: Reach = 'up';
  garble: Garble | null = null;
  /** The next requests, this many, get a rate limit error. */
  limited = 0;
  /** Rewrites responses. */
  bend: ((answer: unknown) => unknown) | null = null;
  readonly #options: StripeServerOptions;
  readonly #kept = new Map<string, Kept>();
  #server: Server | null = null;
  #answered = 0;

  constructor(options: StripeServerOptions) {
    const { secrets, webhookUrl, clock, send } = options;
    this.#options = options;
    this.sender = new StripeSender({ url: webhookUrl, secrets, clock, send });
    this.world = new StripeWorld(clock, (event) => this.sender.add(event));
    this.world.endpoints.push(endpointObject('we_1', webhookUrl, [...STRIPE_EVENTS]));
  }

  /** Processes what is due, then sends webhooks. */
  async look(): Promise<void> {
    catchUp(this.world, (id) => expireCheckout(this.world, id));
    await this.sender.look();
  }

  async listen(): Promise<string> {
    const server = createServer(async (request, response) => {
      const { method = '', url = '', headers } = request;
      const body = await text(request);
      const plain = headers as Readonly<Record<string, string | undefined>>;
      const outcome = this.answer({ method, path: url, headers: plain, body });
      if (outcome === 'silence') return;
      if (outcome === 'cut') response.destroy();
      else response.writeHead(outcome.status, outcome.headers).end(outcome.body);
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** The same without a socket, with only the parts of a response that the SDK reads. */
  readonly request: typeof fetch = async (input, init) => {
    const url = String(input);
    const { method = 'GET', body, signal } = init ?? {};
    const headers = Object.fromEntries(init?.headers as [string, string][]);
    const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    const path = url.slice(url.indexOf('/', 'https://'.length));
    const asked = { method, path, headers: Object.fromEntries(lower), body: String(body ?? '') };
    const outcome = this.answer(asked);
    if (outcome === 'silence') {
      return new Promise((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    }
    if (outcome === 'cut') throw new TypeError('fetch failed');
    const { status } = outcome;
    const answered = { status, headers: Object.entries(outcome.headers), body: null };
    return { ...answered, text: async () => outcome.body } as unknown as Response;
  };

  answer(request: StripeRequest): StripeAnswer | 'silence' | 'cut' {
    this.requests.push(request);
    if (this.reach === 'silent') return 'silence';
    if (this.reach === 'down') return this.#refused(new StripeRefusal(500, null, 'Sorry!'));
    const answer = this.#answer(request);
    // A read has nothing to lose.
    if (this.reach === 'cut' && request.method !== 'GET') return 'cut';
    return this.#garbled(answer);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const server = this.#server;
    if (server === null) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }

  #answer(request: StripeRequest): StripeAnswer {
    const { method, path, headers, body } = request;
    if (headers.authorization !== `Bearer ${this.#options.key}`) {
      return this.#refused(new StripeRefusal(401, null, 'Invalid API Key provided: sk_****'));
    }
    if (this.limited > 0) {
      this.limited -= 1;
      return this.#refused(new StripeRefusal(429, 'rate_limit', 'Request rate limit exceeded.'));
    }
    const version = headers['stripe-version'];
    if (version !== Stripe.API_VERSION) {
      return this.#refused(new StripeRefusal(400, null, `Invalid Stripe API version: ${version}`));
    }
    const key = method === 'POST' ? headers['idempotency-key'] : undefined;
    if (key === undefined) {
      if (method === 'POST') throw new Error(`${path} was posted without an idempotency key`);
      return this.#do(request);
    }
    return this.#once(key, `${method} ${path} ${body}`, () => this.#do(request));
  }

  /** The same key gets the same response, failures included, and is rejected for another request. */
  #once(key: string, request: string, run: () => StripeAnswer): StripeAnswer {
    const { now } = this.world;
    const kept = this.#kept.get(key);
    if (kept === undefined || kept.at + KEY_S <= now) {
      const answer = run();
      this.#kept.set(key, { at: now, request, answer });
      return answer;
    }
    if (kept.request !== request) {
      const message = `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}'.`;
      return this.#refused(new StripeRefusal(400, null, message), 'idempotency_error');
    }
    const { status, headers, body } = kept.answer;
    return { status, headers: { ...headers, 'idempotent-replayed': 'true' }, body };
  }

  #do({ method, path, body }: StripeRequest): StripeAnswer {
    const [place = '', query = ''] = path.split('?');
    try {
      const params = parseForm(method === 'POST' ? body : query);
      return this.#answered200(answerOf(this.world, method, place, params));
    } catch (error) {
      if (error instanceof StripeRefusal) return this.#refused(error);
      throw error;
    }
  }

  #answered200(answer: object): StripeAnswer {
    const body = JSON.stringify(answer);
    const bent = this.bend === null ? body : JSON.stringify(this.bend(JSON.parse(body)));
    return { status: 200, headers: this.#headers(), body: bent };
  }

  #refused(refusal: StripeRefusal, type?: string): StripeAnswer {
    // Stripe marks failures that would only repeat.
    const headers = { ...this.#headers(), 'stripe-should-retry': 'false' };
    return { status: refusal.status, headers, body: errorBody(refusal, type) };
  }

  #headers(): Record<string, string> {
    this.#answered += 1;
    return {
      'content-type': 'application/json',
      'request-id': `req_${this.#answered}`,
      'stripe-version': Stripe.API_VERSION,
    };
  }

  #garbled(answer: StripeAnswer): StripeAnswer {
    switch (this.garble) {
      case null:
        return answer;
      case 'html':
        return { ...answer, body: '<!doctype html><title>Maintenance</title>' };
      case 'empty':
        return { ...answer, body: '' };
      case 'renamed':
        return { ...answer, body: answer.body.replaceAll(/"(status|data|url|id)":/g, '"new_$1":') };
      default:
        return this.garble satisfies never;
    }
  }
}
