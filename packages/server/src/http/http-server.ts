/**
 * The public HTTP server. Every request ends in an answer of ours: a route's JSON, or the problem
 * document, with a request id in `X-Request-Id`. Refusals come in a fixed order: unknown path (404),
 * method (405), key (401), body and query (413, 415, 400). Slow or oversized requests are cut off.
 */

import { type IncomingMessage, METHODS } from 'node:http';
import type { Duplex } from 'node:stream';
import { PROBLEM_CONTENT_TYPE } from '@tapeloom/protocol/problem';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { Type } from 'typebox';
import type { Authenticator, Principal } from '../accounts/authenticator.ts';
import type { Log } from '../platform/log.ts';
import { newRequestId } from '../platform/request-id.ts';
import { readJsonBody } from './json-body.ts';
import { problemDocument, problemOf } from './problem-document.ts';
import { ProblemError } from './problem-error.ts';
import type { Route } from './route.ts';
import { answerSocketFaults } from './socket-faults.ts';

const BODY_BYTES_MAX = 16_384;
const HEADER_BYTES_MAX = 16_384;
const HEADERS_MAX = 100;
/** From the first byte to the last of a request's headers, and of the whole request. */
const HEADERS_MS_MAX = 10_000;
const REQUEST_MS_MAX = 20_000;
const KEEP_ALIVE_MS = 65_000;
const CONNECTIONS_MAX = 20_000;
const RETRY_AFTER_STOP_S = 2;

const STREAM_PATH = '/v1';
const NO_FIELDS = Type.Object({}, { additionalProperties: false });

export interface HttpServerOptions {
  readonly routes: readonly Route[];
  readonly authenticator: Authenticator;
  readonly log: Log;
  /** Where the documentation stands, asked at every error. */
  readonly docsUrl: () => string;
  /** Takes over the sockets of WebSocket requests at the stream's path. */
  readonly onUpgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Counts an answered request: the route's path (null for an unknown one) and the status. */
  readonly onAnswered?: (path: string | null, status: number, seconds: number) => void;
}

export interface HttpServer {
  readonly app: FastifyInstance;
  /** From now on every request is refused with 503, and connections close after their answer. */
  stopAccepting(): void;
}

export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { log, docsUrl } = options;
  let isStopping = false;
  const sendProblem = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const problem = problemOf(error);
    if (problem.code === 'INTERNAL') {
      log.error(
        { error, requestId: request.id, method: request.method, url: request.url },
        'request failed',
      );
    }
    const document = problemDocument(problem, request.id, docsUrl());
    return reply
      .code(problem.status)
      .headers({ ...problem.headers, 'x-request-id': request.id })
      .header('content-type', PROBLEM_CONTENT_TYPE)
      .send(Buffer.from(JSON.stringify(document)));
  };

  const app = fastify({
    logger: false,
    bodyLimit: BODY_BYTES_MAX,
    genReqId: newRequestId,
    requestIdHeader: false,
    return503OnClosing: false,
    forceCloseConnections: true,
    requestTimeout: REQUEST_MS_MAX,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: {
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: HEADERS_MS_MAX,
      connectionsCheckingInterval: 1_000,
      // Any other wish to upgrade is ignored, as HTTP allows, and answered as a plain request.
      shouldUpgradeCallback: isStreamRequest,
    },
    ajv: {
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: false,
        allErrors: true,
      },
    },
    frameworkErrors: (error, request, reply) => void sendProblem(error, request, reply),
    clientErrorHandler: () => {},
  });
  app.server.maxHeadersCount = HEADERS_MAX;
  app.server.maxConnections = CONNECTIONS_MAX;
  answerSocketFaults(app.server, docsUrl);
  if (options.onUpgrade !== undefined) app.server.on('upgrade', options.onUpgrade);

  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, body: Buffer) => readJsonBody(body),
  );
  app.setSerializerCompiler(() => JSON.stringify);
  app.setErrorHandler(sendProblem);
  app.setNotFoundHandler((request) => {
    throw notFound(request);
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    if (isStopping) throw stopping();
    // Judged before the body is read, so that an unknown path is 404 whatever is sent to it.
    if (request.is404) throw notFound(request);
  });
  if (options.onAnswered !== undefined) countAnswers(app, options.onAnswered);
  addRoutes(app, options.routes, options.authenticator);
  return {
    app,
    stopAccepting: () => {
      isStopping = true;
    },
  };
}

function addRoutes(
  app: FastifyInstance,
  routes: readonly Route[],
  authenticator: Authenticator,
): void {
  for (const method of METHODS) {
    // CONNECT never reaches a request handler; bodies of foreign methods are never looked at.
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  for (const route of routes) addRoute(app, route, authenticator);
  for (const [path, paths] of Map.groupBy(routes, (route) => route.path)) {
    addOtherMethods(
      app,
      path,
      paths.map((route) => route.method),
    );
  }
}

function addRoute(app: FastifyInstance, route: Route, authenticator: Authenticator): void {
  const principals = new WeakMap<FastifyRequest, Principal>();
  app.route({
    method: route.method,
    url: route.path,
    schema: {
      querystring: route.query ?? NO_FIELDS,
      ...(route.body === undefined ? {} : { body: route.body }),
    },
    onRequest: async (request, reply) => {
      if (route.access === 'public') return;
      reply.header('cache-control', 'no-store');
      principals.set(request, await authenticate(authenticator, request));
    },
    handler: async (request) =>
      route.handle({
        query: request.query as Record<string, unknown>,
        body: request.body as Record<string, unknown>,
        principal: principals.get(request) ?? null,
      }),
  });
}

/** A known path answers OPTIONS with what it allows, and any other method with 405. */
function addOtherMethods(app: FastifyInstance, path: string, methods: readonly string[]): void {
  const allowed = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
  const allow = allowed.join(', ');
  app.route({
    method: 'OPTIONS',
    url: path,
    onRequest: async (_request, reply) => reply.code(204).header('allow', allow).send(),
    handler: async () => undefined,
  });
  app.route({
    method: app.supportedMethods.filter((method) => !allowed.includes(method)),
    url: path,
    onRequest: async (request) => {
      throw new ProblemError('NOT_FOUND', `${request.method} is not known here; use ${allow}.`, {
        status: 405,
        headers: { allow },
      });
    },
    handler: async () => undefined,
  });
}

async function authenticate(
  authenticator: Authenticator,
  request: FastifyRequest,
): Promise<Principal> {
  const result = await authenticator.authenticate(request.headers.authorization);
  switch (result.verdict) {
    case 'accepted':
      return result.principal;
    case 'missing':
      throw unauthorized('Send your API key in the header Authorization: Bearer <key>.', '');
    case 'malformed':
      throw unauthorized(
        'The header must read Authorization: Bearer <key>.',
        ', error=invalid_token',
      );
    case 'unknown':
      throw unauthorized('The API key is not known.', ', error=invalid_token');
    default:
      return result satisfies never;
  }
}

function unauthorized(detail: string, suffix: string): ProblemError {
  return new ProblemError('UNAUTHORIZED', detail, {
    headers: { 'www-authenticate': `Bearer realm=service${suffix}` },
  });
}

function isStreamRequest(request: IncomingMessage): boolean {
  return request.headers.upgrade?.toLowerCase() === 'websocket' && pathOf(request) === STREAM_PATH;
}

function pathOf(request: { readonly url?: string | undefined }): string {
  return (request.url ?? '').split('?', 1)[0]!;
}

function notFound(request: FastifyRequest): ProblemError {
  const path = pathOf(request);
  if (path === STREAM_PATH) {
    return new ProblemError('NOT_FOUND', `${path} is the stream: connect to it by WebSocket.`);
  }
  return new ProblemError('NOT_FOUND', `There is nothing at ${path}.`);
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
  app.addHook('onResponse', async (request, reply) => {
    const path = request.routeOptions.url ?? null;
    onAnswered(path, reply.statusCode, reply.elapsedTime / 1000);
  });
}
