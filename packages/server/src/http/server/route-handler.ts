/**
 * Runs a request's route and sends the answer. Reports the outcome once, when all work is over, even without a client.
 */

import type { OutgoingHttpHeaders } from 'node:http';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { ErrorCode } from '@tapeloom/protocol/error-codes';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { UsageMeter } from '../../accounts/limits/usage-meter.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log/log.ts';
import { freeMemory } from '../../platform/memory/free-memory.ts';
import { isNamed, type Representation } from '../../platform/network/encoded-body.ts';
import { whenKnown } from '../../platform/waiting/when-known.ts';
import { ClientGoneError } from './answers/client-gone-error.ts';
import { PublicAnswer } from './answers/public-answer.ts';
import { CONTENT_DIGEST, StreamedAnswer, writeStreamed } from './answers/streamed-answer.ts';
import type { UnderWay } from './answers/under-way.ts';
import type { UnreadAnswers } from './answers/unread-answers.ts';
import { IDEMPOTENT_REPLAYED, idempotencyFaults, onceOf } from './idempotency.ts';
import { problemOf } from './problems/problem-document.ts';
import { invalidParameters } from './problems/problem-error.ts';
import { requestFaults } from './problems/request-faults.ts';
import { EncodedJson, NO_BODY, NOT_MODIFIED, type Route, type RouteRequest } from './route.ts';

const NO_BYTES = new Uint8Array();
const JSON_CONTENT_TYPE = 'application/json; charset=utf-8';

/** `cut`: the client went before it had the whole answer. */
export type Outcome = 'sent' | 'cut' | ErrorCode;

export interface RouteHandlerOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Pick<UsageMeter, 'countRequest'>;
  /** Called with the route's path, and the bytes of a streamed or binary body; 0 for others. */
  readonly onOutcome?: (path: string, outcome: Outcome, bytes: number) => void;
}

export interface AnswerWatch {
  readonly underWay: UnderWay;
  readonly unread: UnreadAnswers;
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;

export function routeHandler(
  route: Route,
  options: RouteHandlerOptions,
  { underWay, unread }: AnswerWatch,
): Handler {
  const answers = new PublicAnswer();
  const tell = (outcome: Outcome, bytes: number) => options.onOutcome?.(route.path, outcome, bytes);
  const send = (request: FastifyRequest, reply: FastifyReply, answer: unknown): unknown => {
    if (answer instanceof StreamedAnswer) {
      return sendStreamed({ request, reply, answer, unread }, options).then((outcome) => {
        tell(outcome, answer.written);
        return reply;
      });
    }
    if (route.cacheControl !== undefined) {
      const text = answer instanceof EncodedJson ? answer.text : JSON.stringify(answer);
      const chosen = answers.choose(text, request.headers['accept-encoding']?.toString());
      return sendPublic(request, reply, chosen, route.cacheControl).then(() => {
        tell('sent', 0);
        return reply;
      });
    }
    if (answer === NOT_MODIFIED) {
      tell('sent', 0);
      return reply.code(304).send();
    }
    if (answer === NO_BODY) {
      tell('sent', 0);
      return reply.send();
    }
    const isBytes = Buffer.isBuffer(answer);
    tell('sent', isBytes ? answer.length : 0);
    if (route.status !== undefined) reply.code(route.status);
    if (isBytes) reply.raw.once('finish', () => freeMemory(answer.buffer));
    else if (!(answer instanceof EncodedJson)) return answer;
    reply.header('content-type', JSON_CONTENT_TYPE);
    return isBytes ? answer : answer.bytes;
  };
  const failed = (error: unknown): never => {
    tell(error instanceof ClientGoneError ? 'cut' : problemOf(error).code, 0);
    throw error;
  };
  const answerTo: Handler = (request, reply) => {
    try {
      const answer = route.handle(handled(route, request, reply, options));
      const sent = whenKnown<unknown, unknown>(answer, (known) => send(request, reply, known));
      return sent instanceof Promise ? sent.catch(failed) : sent;
    } catch (error) {
      return failed(error);
    }
  };
  return (request, reply) => underWay.during(() => answerTo(request, reply));
}

/** Called once per request when its answer is known: a usage report does not count its own request. */
export function countRequest(
  request: FastifyRequest,
  { meter }: Pick<RouteHandlerOptions, 'meter'>,
): void {
  const caller = request.countsFor ?? null;
  if (caller === null) return;
  request.countsFor = null;
  meter.countRequest(caller);
}

/** The request as its route sees it. Throws its faults. */
function handled(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  { clock }: RouteHandlerOptions,
): HandledRequest {
  const now = clock.now();
  const faults = requestFaults(route, request, now);
  const ofHeader = idempotencyFaults(route, request);
  if (faults.length + ofHeader.length > 0) throw invalidParameters([...faults, ...ofHeader]);
  return new HandledRequest(route, request, reply, now);
}

/** Getters: a route computes only the parts it uses. */
class HandledRequest implements RouteRequest<never, never, never, never> {
  readonly now: EpochNs;
  readonly #route: Route;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;

  constructor(route: Route, request: FastifyRequest, reply: FastifyReply, now: EpochNs) {
    this.#route = route;
    this.#request = request;
    this.#reply = reply;
    this.now = now;
  }

  get query() {
    return this.#request.query as never;
  }

  get body() {
    return this.#request.body as never;
  }

  get bytes() {
    return Buffer.isBuffer(this.#request.body) ? this.#request.body : NO_BYTES;
  }

  get headers() {
    return this.#request.headers;
  }

  get params() {
    return this.#request.params as Record<string, string>;
  }

  /** Admission guarantees a caller where the route needs one. */
  get caller() {
    return this.#request.caller as never;
  }

  /** Likewise a session. */
  get session() {
    return this.#request.session as never;
  }

  get address() {
    return this.#request.clientAddress;
  }

  get once() {
    return onceOf(this.#route, this.#request);
  }

  get id() {
    return this.#request.id;
  }

  get signal() {
    return signalOf(this.#reply);
  }

  get header() {
    return (name: string) => this.#request.headers[name]?.toString();
  }

  get setHeader() {
    return (name: string, value: string) => void this.#reply.header(name, value);
  }

  get markReplayed() {
    return () => void this.#reply.header(IDEMPOTENT_REPLAYED, 'true');
  }
}

/** A public answer, which any cache may keep. With a key it is that customer's answer, and no cache may keep it. */
async function sendPublic(
  request: FastifyRequest,
  reply: FastifyReply,
  { etag, encoding, bytes }: Representation,
  cacheControl: string,
): Promise<void> {
  reply.headers({ etag, vary: 'Accept-Encoding' });
  if (request.caller === null) reply.header('cache-control', cacheControl);
  if (isNamed(etag, request.headers['if-none-match'])) {
    reply.code(304).send();
    return;
  }
  if (encoding !== null) reply.header('content-encoding', encoding);
  reply.header('content-type', JSON_CONTENT_TYPE).send(await bytes());
}

interface Streaming {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly answer: StreamedAnswer;
  readonly unread: UnreadAnswers;
}

/** Bypasses the framework, which does not report how many bytes have left. */
async function sendStreamed(
  { request, reply, answer, unread }: Streaming,
  options: RouteHandlerOptions,
): Promise<Outcome> {
  countRequest(request, options);
  reply.hijack();
  const { raw } = reply;
  const { headers } = answer.options;
  // For an HTTP/1.0 client only the end of the connection ends the body.
  const isTrailed = raw.useChunkedEncodingByDefault && !('content-length' in headers);
  const trailer = isTrailed ? { trailer: CONTENT_DIGEST } : {};
  raw.writeHead(200, { ...reply.getHeaders(), ...headers, ...trailer } as OutgoingHttpHeaders);
  try {
    await writeStreamed(raw, answer, unread.lineOf(request.raw.socket));
    return raw.writableEnded ? 'sent' : 'cut';
  } catch (error) {
    raw.destroy();
    const route = request.routeOptions.url ?? null;
    options.log.error({ error, requestId: request.id, route }, 'a response was cut short');
    return problemOf(error).code;
  }
}

/** Aborted when the connection closes before the answer was written. */
function signalOf({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  const end = () => {
    if (!raw.writableFinished) gone.abort(new ClientGoneError());
  };
  if (raw.destroyed) end();
  else raw.once('close', end);
  return gone.signal;
}
