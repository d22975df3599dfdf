/**
 * From a request that was let in to its answer. What became of it is told once, when everything that was
 * done for it is over: also when its client has gone before.
 */

import type { OutgoingHttpHeaders } from 'node:http';
import type { ErrorCode } from '@tapeloom/protocol/error-codes';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../accounts/auth/caller.ts';
import type { UsageMeter } from '../../accounts/limits/usage-meter.ts';
import type { Clock } from '../../platform/clock.ts';
import { isNamed, type Representation } from '../../platform/encoded-body.ts';
import { freeMemory } from '../../platform/free-memory.ts';
import type { Log } from '../../platform/log.ts';
import { ClientGoneError } from './client-gone-error.ts';
import { IDEMPOTENT_REPLAYED, idempotencyFaults, onceOf } from './idempotency.ts';
import { problemOf } from './problem-document.ts';
import { invalidParameters } from './problem-error.ts';
import { PublicAnswer } from './public-answer.ts';
import { requestFaults } from './request-faults.ts';
import { EncodedJson, type Route } from './route.ts';
import { StreamedAnswer, writeStreamed } from './streamed-answer.ts';
import type { UnderWay } from './under-way.ts';
import type { UnreadAnswers } from './unread-answers.ts';

const NO_BYTES = new Uint8Array();
const JSON_CONTENT_TYPE = 'application/json; charset=utf-8';

/** `cut`: the client went before it had the whole answer. */
export type Outcome = 'sent' | 'cut' | ErrorCode;

export interface RouteHandlerOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Pick<UsageMeter, 'countRequest'>;
  /** Told of the route's path, and of the bytes of a body that is not made from an object. */
  readonly onOutcome?: (path: string, outcome: Outcome, bytes: number) => void;
}

/** What looks after answers until they are over. */
export interface AnswerWatch {
  readonly underWay: UnderWay;
  readonly unread: UnreadAnswers;
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

export function routeHandler(
  route: Route,
  options: RouteHandlerOptions,
  { underWay, unread }: AnswerWatch,
): Handler {
  const answers = new PublicAnswer();
  const tell = (outcome: Outcome, bytes: number) => options.onOutcome?.(route.path, outcome, bytes);
  const answerTo: Handler = async (request, reply) => {
    try {
      const answer = await handled(route, request, reply, options);
      if (answer instanceof StreamedAnswer) {
        tell(await sendStreamed({ request, reply, answer, unread }, options), answer.written);
        return reply;
      }
      if (route.cacheControl !== undefined) {
        const text = answer instanceof EncodedJson ? answer.text : JSON.stringify(answer);
        const chosen = answers.choose(text, request.headers['accept-encoding']?.toString());
        await sendPublic(request, reply, chosen, route.cacheControl);
        tell('sent', 0);
        return reply;
      }
      tell('sent', Buffer.isBuffer(answer) ? answer.length : 0);
      if (route.status !== undefined) reply.code(route.status);
      const isEncoded = answer instanceof EncodedJson;
      if (Buffer.isBuffer(answer)) reply.raw.once('finish', () => freeMemory(answer.buffer));
      if (isEncoded || Buffer.isBuffer(answer)) reply.header('content-type', JSON_CONTENT_TYPE);
      return isEncoded ? answer.text : answer;
    } catch (error) {
      tell(error instanceof ClientGoneError ? 'cut' : problemOf(error).code, 0);
      throw error;
    }
  };
  return (request, reply) => underWay.during(() => answerTo(request, reply));
}

/** Once per request, when its answer is known: a usage report does not count the request it answers. */
export function countRequest(
  request: FastifyRequest,
  { meter }: Pick<RouteHandlerOptions, 'meter'>,
): void {
  const caller = request.countsFor ?? null;
  if (caller === null) return;
  request.countsFor = null;
  meter.countRequest(caller);
}

async function handled(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  { clock }: RouteHandlerOptions,
): Promise<unknown> {
  const now = clock.now();
  const faults = [...requestFaults(route, request, now), ...idempotencyFaults(route, request)];
  if (faults.length > 0) throw invalidParameters(faults);
  return await route.handle({
    query: request.query as Record<string, unknown>,
    body: request.body as Record<string, unknown>,
    bytes: Buffer.isBuffer(request.body) ? request.body : NO_BYTES,
    headers: request.headers,
    params: request.params as Record<string, string>,
    // Admission let nobody in without a key where the route needs one.
    caller: request.caller as Caller,
    // Likewise, nobody who is not signed in.
    session: request.session as never,
    address: request.clientAddress,
    header: (name) => request.headers[name]?.toString(),
    setHeader: (name, value) => {
      reply.header(name, value);
    },
    once: onceOf(route, request),
    markReplayed: () => {
      reply.header(IDEMPOTENT_REPLAYED, 'true');
    },
    id: request.id,
    // Few routes look at it.
    get signal() {
      return signalOf(reply);
    },
    now,
  });
}

/** What anybody may keep; with a key it is that customer's answer, and nobody's to keep. */
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

/** Beside the framework, which would not tell what has left. */
async function sendStreamed(
  { request, reply, answer, unread }: Streaming,
  options: RouteHandlerOptions,
): Promise<Outcome> {
  countRequest(request, options);
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, { ...reply.getHeaders(), ...answer.options.headers } as OutgoingHttpHeaders);
  try {
    await writeStreamed(raw, answer, unread.lineOf(request.raw.socket));
    return raw.writableEnded ? 'sent' : 'cut';
  } catch (error) {
    raw.destroy();
    const route = request.routeOptions.url ?? null;
    options.log.error({ error, requestId: request.id, route }, 'an answer was cut');
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
