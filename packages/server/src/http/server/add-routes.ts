/** Registers the routes with the framework: admission, validation, and a response to every method at a known path. */

import type { IncomingMessage } from 'node:http';
import type { Deprecation } from '@tapeloom/core/deprecation';
import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import type { Door } from './admission.ts';
import { ProblemError } from './problems/problem-error.ts';
import { NO_FIELDS } from './problems/request-faults.ts';
import { NO_BODY, type Route } from './route.ts';
import { type AnswerWatch, type RouteHandlerOptions, routeHandler } from './route-handler.ts';

const PORTAL_PATH = '/v1/portal/';
const PREFLIGHT = {
  'access-control-allow-headers': 'If-None-Match',
  'access-control-max-age': '86400',
};

const FRAMEWORK_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];
/** No route uses it: it stands for every method that the framework does not know. */
const FOREIGN_METHOD = 'TRACE';

/**
 * Runs before routing. The framework has a table of all paths for each method it knows, and HTTP has some thirty more
 * methods that no route uses. The body of a foreign method is never read.
 */
export function foldMethods(request: IncomingMessage): void {
  if (!FRAMEWORK_METHODS.includes(request.method!)) request.method = FOREIGN_METHOD;
}

/** The owner of a suspended account may read and remove, and use these only where a route allows it. */
const CREATING: readonly Route['method'][] = ['POST', 'PUT'];

/** Admits requests, and watches responses until they are over. */
export interface DoorWatch extends AnswerWatch {
  admitTo(door: Door, isReadAnywhere: boolean): onRequestHookHandler;
}

export function addRoutes(
  app: FastifyInstance,
  routes: readonly Route[],
  options: RouteHandlerOptions,
  watch: DoorWatch,
): void {
  for (const route of routes) addRoute(app, route, options, watch);
  for (const [path, same] of Map.groupBy(routes, (route) => route.path)) {
    addOtherMethods(app, path, same, watch);
  }
}

function addRoute(
  app: FastifyInstance,
  route: Route,
  options: RouteHandlerOptions,
  watch: DoorWatch,
): void {
  const { head } = route;
  app.route({
    method: route.method,
    url: route.path,
    config: { isBodyRaw: route.rawBody === true },
    onRequest: [
      ...(route.deprecated === undefined ? [] : [saysItGoes(route.deprecated)]),
      watch.admitTo(
        {
          access: route.access,
          isOwnPagesOnly: isOwnPagesOnly(route),
          isClosedToSuspended: CREATING.includes(route.method) && route.isForSuspended !== true,
          isSigned: route.isSigned === true,
        },
        route.cacheControl !== undefined,
      ),
    ],
    attachValidation: true,
    ...(route.bodyBytesMax === undefined ? {} : { bodyLimit: route.bodyBytesMax }),
    exposeHeadRoute: route.method === 'GET' && head === undefined,
    schema: {
      ...(route.judgesQuery === true ? {} : { querystring: route.query ?? NO_FIELDS }),
      ...(route.method === 'GET' || route.rawBody === true
        ? {}
        : { body: route.body ?? NO_FIELDS }),
    },
    handler: routeHandler(route, options, watch),
  });
  if (head === undefined) return;
  const judge: Route['handle'] = async (request) => {
    await head(request);
    return NO_BODY;
  };
  app.route({
    method: 'HEAD',
    url: route.path,
    onRequest: watch.admitTo({ access: route.access }, route.cacheControl !== undefined),
    attachValidation: true,
    exposeHeadRoute: false,
    schema: route.judgesQuery === true ? {} : { querystring: route.query ?? NO_FIELDS },
    handler: routeHandler({ ...route, handle: judge }, options, watch),
  });
}

/** RFC 9745 and RFC 8594; errors carry these headers too. */
function saysItGoes({ since, until }: Deprecation): onRequestHookHandler {
  const headers = {
    deprecation: `@${Date.parse(since) / 1_000}`,
    sunset: new Date(until).toUTCString(),
    link: '</docs/compatibility>; rel="deprecation"; type="text/html"',
  };
  return (_request, reply, done) => {
    reply.headers(headers);
    done();
  };
}

/** Every change below the portal's path, signing in included. */
function isOwnPagesOnly({ method, path }: Route): boolean {
  return method !== 'GET' && path.startsWith(PORTAL_PATH);
}

/** A known path responds to OPTIONS with the allowed methods, and to any other method with 405. */
function addOtherMethods(
  app: FastifyInstance,
  path: string,
  routes: readonly Route[],
  { admitTo }: DoorWatch,
): void {
  const methods = routes.map((route) => route.method);
  const allowed: string[] = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
  const allow = allowed.join(', ');
  const isPublic = routes.every((route) => route.access === 'public');
  const isReadAnywhere = routes.every((route) => route.cacheControl !== undefined);
  const preflight = isReadAnywhere ? { ...PREFLIGHT, 'access-control-allow-methods': allow } : {};
  const notAllowed = () =>
    new ProblemError('NOT_FOUND', `This method is not supported here; use ${allow}.`, {
      status: 405,
      headers: { allow },
    });
  app.route({
    method: 'OPTIONS',
    url: path,
    onRequest: admitTo({ access: isPublic ? 'public' : 'optional' }, isReadAnywhere),
    // Before the body is read: none is needed.
    preParsing: async (_request, reply) =>
      reply
        .code(204)
        .headers({ allow, ...preflight })
        .send(),
    handler: async () => undefined,
  });
  app.route({
    method: app.supportedMethods.filter((method) => !allowed.includes(method)),
    url: path,
    onRequest: admitTo({ access: 'optional', refusal: notAllowed }, isReadAnywhere),
    handler: async () => undefined,
  });
}
