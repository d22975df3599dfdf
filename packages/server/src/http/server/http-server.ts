/**
 * The public HTTP server. Every request gets a response of ours: a route's JSON or a problem document, with a request
 * id in `X-Request-Id`. `admission.ts` admits requests before a body is read; `request-faults.ts` checks their content.
 * Slow or oversized requests are cut off.
 */

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { PROBLEM_CONTENT_TYPE } from '@tapeloom/protocol/problem';
import {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  type onRequestHookHandler,
} from 'fastify';
import { neighbourhood } from '../../accounts/auth/address-throttle.ts';
import type { Caller } from '../../accounts/auth/caller.ts';
import type { Session } from '../../accounts/auth/session-keeper.ts';
import {
  AccountsTroubleError,
  AccountsUnavailableError,
} from '../../accounts/store/account-store.ts';
import { AccountsBusyError } from '../../accounts/store/thread/accounts-busy-error.ts';
import type { Pages } from '../../pages/pages.ts';
import type { AnsweredRequest } from '../../platform/log/access-log.ts';
import { blotSecrets } from '../../platform/log/log.ts';
import { newRequestId } from '../../platform/request-id.ts';
import { whenKnown } from '../../platform/waiting/when-known.ts';
import { addRoutes, foldMethods } from './add-routes.ts';
import { Admission, type AdmissionOptions, type Door } from './admission.ts';
import { ClientGoneError } from './answers/client-gone-error.ts';
import { UnderWay } from './answers/under-way.ts';
import { UnreadAnswers } from './answers/unread-answers.ts';
import { askForBody, awaitExpectedBodies } from './bodies/expected-body.ts';
import { readJsonBody } from './bodies/json-body.ts';
import { drainUnreadBody } from './bodies/unread-body.ts';
import { watchConnections } from './door-connections.ts';
import { answerPage } from './page-door.ts';
import { hostFault } from './problems/host-fault.ts';
import { cutBody, notJson, problemDocument, problemOf } from './problems/problem-document.ts';
import { invalidParameters, ProblemError } from './problems/problem-error.ts';
import { answerSocketFaults } from './problems/socket-faults.ts';
import { RATE_HEADERS } from './rate-headers.ts';
import { SCHEMAS } from './request-schemas.ts';
import type { Route } from './route.ts';
import { countRequest, type RouteHandlerOptions } from './route-handler.ts';
import { handshakesOnly } from './stream-handshake.ts';

export const BODY_BYTES_MAX = 16_384;
export const HEADER_BYTES_MAX = 16_384;
export const HEADERS_MAX = 100;
const TIMEOUTS: HttpTimeouts = {
  headersMs: 10_000,
  requestMs: 20_000,
  keepAliveMs: 65_000,
  checkEveryMs: 1_000,
};
const RETRY_AFTER_STOP_S = 2;

const STREAM_PATH = '/v1';

/** No `Access-Control-Allow-Credentials`, and no `Authorization` below: a page never holds a key. */
const READ_ANYWHERE = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag, Retry-After, X-Request-Id',
};
declare module 'fastify' {
  interface FastifyRequest {
    /** The caller of an admitted request. */
    caller: Caller | null;
    /** The session, on routes that need one. */
    session: Session | null;
    clientAddress: string;
    /** The caller whose allowance the request took, even if it was rejected afterwards. */
    countsFor: Caller | null;
    /** The metrics label of a page; null for a route. */
    pageLabel: string | null;
  }
  interface FastifyContextConfig {
    /** The body is passed on unparsed. */
    readonly isBodyRaw?: boolean;
  }
}

/** Admits a request or throws the error. It returns no promise when it need not wait. */
type Admit = (request: FastifyRequest, reply: FastifyReply, door: Door) => Promise<void> | void;

export interface HttpTimeouts {
  /** From the first byte to the last of a request's headers. */
  readonly headersMs: number;
  /** From the first byte to the last of a whole request. */
  readonly requestMs: number;
  /** How long an idle connection may wait for its next request. */
  readonly keepAliveMs: number;
  /** How often `headersMs` and `requestMs` are checked. */
  readonly checkEveryMs: number;
}

export interface HttpServerOptions extends AdmissionOptions, RouteHandlerOptions {
  readonly routes: readonly Route[];
  /** The pages at addresses without a route; absent: none. */
  readonly pages?: Pages;
  /** The URL of the documentation, read for every error. */
  readonly docsUrl: () => string;
  /** Takes over the sockets of WebSocket requests at the stream's path. */
  readonly onUpgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Counts an answered request by its route's path (null for an unknown one). */
  readonly onAnswered?: (path: string | null, request: AnsweredRequest) => void;
  /** Called for requests rejected on their socket before routing: handshakes for the stream, or broken HTTP. */
  readonly onRefused?: (request: AnsweredRequest) => void;
  /** Watches unread responses, if the server shares this with another. */
  readonly unread?: UnreadAnswers;
  /** For tests only. */
  readonly timeouts?: HttpTimeouts;
}

export interface HttpServer {
  readonly app: FastifyInstance;
  /** From now on every request gets 503, and connections close after their response. */
  stopAccepting(): void;
  /** Resolves when no work is done for any request any more, even if its client has gone. */
  idle(): Promise<void>;
}

export function createHttpServer(options: HttpServerOptions): HttpServer {
  const admission = new Admission(options);
  const underWay = new UnderWay();
  const unread = options.unread ?? new UnreadAnswers(options.clock);
  const sendProblem = problemSender(options);
  let isStopping = false;
  const enter = (request: FastifyRequest, reply: FastifyReply, door: Door) => {
    if (isStopping) throw stopping();
    reply.header('cache-control', 'no-store');
    return whenKnown(admission.admit(request, reply, door), ({ caller, session }) => {
      request.caller = caller;
      request.session = session;
      const address = admission.addressOf(request);
      request.clientAddress = address;
      const accountId = caller?.accountId ?? session?.accountId;
      unread.requireRoom(request.raw.socket, accountId ?? neighbourhood(address));
    });
  };
  const admit: Admit = (request, reply, door) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    const turn = unread.turn(request.raw.socket, reply.raw);
    if (turn === null) return enter(request, reply, door);
    return turn.then(() => enter(request, reply, door));
  };

  const app = createApp(options.timeouts ?? TIMEOUTS, (error, request, reply) => {
    // The framework calls this for addresses it cannot parse, and runs no hooks for them.
    const malformed: Door = { access: 'optional', refusal: () => problemOf(error) };
    void Promise.try(admit, request, reply, malformed)
      .catch((refused: unknown) => sendProblem(refused, request, reply))
      .finally(() => countRequest(request, options));
  });
  app.server.maxHeadersCount = HEADERS_MAX;
  watchConnections(app.server, options.sockets, options.trustedProxies);
  unread.watch(app.server);
  const { onUpgrade, docsUrl, onRefused = () => {} } = options;
  const refusals = { docsUrl, onRefused };
  answerSocketFaults(app.server, refusals, (socket) => unread.lineOf(socket).hasBegunAnswer);
  if (onUpgrade !== undefined) unread.handOver(app.server, handshakesOnly(onUpgrade, refusals));
  readJsonOnly(app);
  app.decorateRequest('caller', null);
  app.decorateRequest('session', null);
  app.decorateRequest('clientAddress', '');
  app.decorateRequest('countsFor', null);
  app.decorateRequest('pageLabel', null);
  app.setErrorHandler(sendProblem);
  app.setNotFoundHandler(() => {
    throw notFound('');
  });
  // Routes admit their own requests. All others are judged here, also before the body is read: unknown paths get 404.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    return unknownPath(request, reply);
  });
  const unknownPath = async (request: FastifyRequest, reply: FastifyReply) => {
    const { pages } = options;
    const fault = hostFault(request.raw);
    const isPage = pages !== undefined && fault === null;
    if (isPage && (await answerPage(request, reply, { pages, underWay, admit }))) return reply;
    const unknown: Door = { access: 'optional', refusal: () => notFound(pathOf(request)) };
    await admit(request, reply, fault === null ? unknown : hostless(fault));
  };
  app.addHook('onSend', (request, reply, _payload, done) => {
    countRequest(request, options);
    drainUnreadBody(request.raw, reply, options.clock);
    // Once it is written.
    const line = unread.lineOf(request.raw.socket);
    queueMicrotask(() => line.recount());
    done();
  });
  // The framework closes connections by itself only if it had opened the listening socket.
  app.addHook('preClose', (done) => {
    app.server.closeAllConnections();
    done();
  });
  if (options.onAnswered !== undefined) countAnswers(app, options.onAnswered);
  addRoutes(app, options.routes, options, { underWay, unread, admitTo: routeDoor(admit) });
  return {
    app,
    stopAccepting: () => {
      isStopping = true;
    },
    idle: () => underWay.idle(),
  };
}

function createApp(
  { headersMs, requestMs, keepAliveMs, checkEveryMs }: HttpTimeouts,
  onUnreadable: (error: Error, request: FastifyRequest, reply: FastifyReply) => void,
): FastifyInstance {
  return fastify({
    logger: false,
    bodyLimit: BODY_BYTES_MAX,
    genReqId: newRequestId,
    requestIdHeader: false,
    rewriteUrl: (request) => {
      foldMethods(request);
      return request.url!;
    },
    return503OnClosing: false,
    requestTimeout: requestMs,
    keepAliveTimeout: keepAliveMs,
    // An id of any length is looked up, and found unknown.
    routerOptions: { maxParamLength: HEADER_BYTES_MAX },
    http: {
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: headersMs,
      connectionsCheckingInterval: checkEveryMs,
      requireHostHeader: false,
      // Any other request to upgrade is ignored, as HTTP allows, and answered as a plain request.
      shouldUpgradeCallback: isStreamRequest,
    },
    schemaController: SCHEMAS,
    frameworkErrors: (error, request, reply) => onUnreadable(error, request, reply),
    clientErrorHandler: () => {},
  });
}

/** Writes a thrown value as the problem document. Only the route's pattern is logged, no address. */
function problemSender({ log, docsUrl }: HttpServerOptions) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    // The request's own stream failed: its body ended early.
    const problem = error === request.raw.errored ? cutBody(error) : problemOf(error);
    const isOurs =
      problem.code === 'INTERNAL' ||
      // An outage of the whole store is logged once elsewhere, and requests that wait too long are counted.
      (error instanceof AccountsTroubleError
        ? error.trouble === 'busy'
        : error instanceof AccountsUnavailableError && !(error instanceof AccountsBusyError));
    if (isOurs && !(error instanceof ClientGoneError)) {
      const route = request.routeOptions.url ?? null;
      log.error({ error, requestId: request.id, method: request.method, route }, 'request failed');
    }
    if (problem.status === 401) {
      // A key that ended after it was recognised must not get rate headers.
      for (const name of Object.values(RATE_HEADERS)) reply.removeHeader(name);
    }
    // The framework closes after any fault of a body, but here the rest of the body is drained.
    reply.removeHeader('connection');
    const document = problemDocument(problem, request.id, docsUrl());
    return reply
      .code(problem.status)
      .headers({ ...problem.headers, 'x-request-id': request.id })
      .header('content-type', PROBLEM_CONTENT_TYPE)
      .send(Buffer.from(blotSecrets(JSON.stringify(document))));
  };
}

function readJsonOnly(app: FastifyInstance): void {
  awaitExpectedBodies(app.server);
  app.addHook('preParsing', (request, reply, _payload, done) => {
    askForBody(request.raw, reply.raw, request.routeOptions.bodyLimit ?? BODY_BYTES_MAX);
    done();
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) =>
      request.routeOptions.config.isBodyRaw === true ? body : readJsonBody(body),
  );
  // An empty body is accepted with any content type: some tools always send one.
  app.addContentTypeParser(
    '*',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      if (request.routeOptions.config.isBodyRaw === true) return body;
      if (body.length > 0) throw notJson(null);
      return undefined;
    },
  );
}

/** The hook that admits requests to a route, before the body is read. */
function routeDoor(admit: Admit) {
  return (door: Door, isReadAnywhere: boolean): onRequestHookHandler =>
    (request, reply, done) => {
      // Errors too: a page must be able to read the reason.
      if (isReadAnywhere) reply.headers(READ_ANYWHERE);
      const fault = hostFault(request.raw);
      const admitted = admit(
        request,
        reply,
        fault === null ? plainDoor(request, door) : hostless(fault),
      );
      if (admitted instanceof Promise) return admitted;
      return done();
    };
}

/** HTTP/1.1 requires this error; Node alone would send it without a problem document. */
function hostless(fault: ProblemError): Door {
  return { access: 'optional', refusal: () => fault };
}

/** Bodies are never decompressed. */
function plainDoor({ headers }: FastifyRequest, door: Door): Door {
  const encoding = headers['content-encoding'];
  if (encoding === undefined || encoding.trim().toLowerCase() === 'identity') return door;
  return door.refusal === undefined ? { ...door, refusal: encodedBody } : door;
}

function encodedBody(): ProblemError {
  const message = 'The body must not be compressed: leave Content-Encoding out.';
  const headers = { 'accept-encoding': 'identity' };
  return invalidParameters([{ path: '', message }], { status: 415, headers });
}

function isStreamRequest(request: IncomingMessage): boolean {
  return request.headers.upgrade?.toLowerCase() === 'websocket' && pathOf(request) === STREAM_PATH;
}

function pathOf(request: { readonly url?: string | undefined }): string {
  return (request.url ?? '').split('?', 1)[0]!;
}

/** The address is not repeated, so that a secret pasted into one appears nowhere. */
function notFound(path: string): ProblemError {
  if (path === STREAM_PATH) {
    return new ProblemError('NOT_FOUND', `${path} is the stream: connect to it by WebSocket.`);
  }
  return new ProblemError('NOT_FOUND', 'There is nothing at this address.');
}

function stopping(): ProblemError {
  return new ProblemError('CAPACITY', 'The service is shutting down; try again in a moment.', {
    headers: { 'retry-after': String(RETRY_AFTER_STOP_S), connection: 'close' },
  });
}

function countAnswers(
  app: FastifyInstance,
  onAnswered: NonNullable<HttpServerOptions['onAnswered']>,
): void {
  app.addHook('onResponse', (request, reply, done) => {
    const path = request.pageLabel ?? request.routeOptions.url ?? null;
    const { caller, session } = request;
    onAnswered(path, {
      id: request.id,
      method: request.method,
      path: request.url.split('?', 1)[0]!,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 1_000) / 1_000,
      account: caller?.accountId ?? session?.accountId ?? null,
      key: caller?.keyId ?? null,
    });
    done();
  });
}
