/** The OpenAPI document of REST, made from the routes that serve it. Equal routes give an equal document. */

import { PROBLEM_CONTENT_TYPE } from '@tapeloom/protocol/problem';
import type { TSchema } from 'typebox';
import { PASSKEY_HEADER } from '../portal/passkeys/passkey-bodies.ts';
import {
  IDEMPOTENCY_KEY,
  IDEMPOTENCY_KEY_LENGTH_MAX,
  IDEMPOTENT_REPLAYED,
} from '../server/idempotency.ts';
import { RATE_HEADERS } from '../server/rate-headers.ts';
import type { Route, RouteError } from '../server/route.ts';
import { NamedSchemas } from './named-schemas.ts';
import { exampleName, PROBLEM_SCHEMA, problemExamples } from './openapi-problems.ts';
import { ALL_TAGS, tagOf } from './openapi-tags.ts';
import { OPERATION_EXAMPLES, type OperationExample } from './operation-examples.ts';
import { schemaSample } from './schema-sample.ts';

/** The origin of a service without a configured one. */
const ORIGIN_DEFAULT = 'http://127.0.0.1:8080';

const IDEMPOTENCY_PARAMETER = {
  name: IDEMPOTENCY_KEY,
  in: 'header',
  required: false,
  description:
    'Any text of your own, a new one for each request. If the same API key sends the same request ' +
    'with the same text again within 24 hours (a page of history: within one hour), the service ' +
    'repeats its response and does nothing again.',
  schema: {
    type: 'string',
    minLength: 1,
    maxLength: IDEMPOTENCY_KEY_LENGTH_MAX,
    pattern: '^[\\x20-\\x7e]+$',
  },
};

const whole = { type: 'integer', minimum: 0 };
const HEADERS = {
  'X-Request-Id': {
    description: 'The request id, for support.',
    required: true,
    schema: { type: 'string', pattern: '^req_[0-9a-f]{32}$' },
  },
  'X-Export-Token': {
    description: 'The token of this export. To continue the export, pass it as `resume`.',
    schema: { type: 'string' },
  },
  'X-Export-Gaps': {
    description:
      'With `gaps=allow`: the number of gaps in the range. The header of the file lists them.',
    schema: whole,
  },
  'Content-Digest': {
    description:
      'The SHA-256 of the body (RFC 9530). It is a header if the whole body is known when the response ' +
      'begins, otherwise a trailer.',
    schema: { type: 'string' },
  },
  [IDEMPOTENT_REPLAYED]: {
    description:
      '`true` if the service repeats its response to the same request with the same `Idempotency-Key`. ' +
      'Nothing was done again.',
    schema: { const: 'true' },
  },
  'Retry-After': { description: 'Seconds to wait.', schema: whole },
  Link: {
    description: 'With `rel="next"`: the address of the next page, relative to this one.',
    schema: { type: 'string' },
  },
  ETag: {
    description: 'Pass it as `If-None-Match` to request the response only if it has changed.',
    schema: { type: 'string' },
  },
  'Cache-Control': {
    description: 'How long the response may be cached.',
    schema: { type: 'string' },
  },
  'WWW-Authenticate': {
    description:
      '`Bearer realm=service`, followed by a comma and `error=invalid_token` if the request had a key.',
    required: true,
    schema: { type: 'string' },
  },
  [RATE_HEADERS.limit]: { description: 'Requests a minute.', schema: whole },
  [RATE_HEADERS.remaining]: { description: 'Requests available now.', schema: whole },
  [RATE_HEADERS.reset]: {
    description: 'Seconds until the full limit is available again.',
    schema: whole,
  },
  [RATE_HEADERS.policy]: {
    description: 'The limit and its window in seconds.',
    schema: { type: 'string', pattern: '^[0-9]+;w=[0-9]+$' },
  },
} as const;
type HeaderName = keyof typeof HEADERS;

const BINARY = { type: 'string', format: 'binary' };

const IF_NONE_MATCH = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The `ETag` of a response that you already have.',
  schema: { type: 'string' },
};

const PASSKEY_PARAMETER = {
  name: PASSKEY_HEADER,
  in: 'header',
  required: false,
  description:
    'Required if the account has passkeys: a `PasskeyAssertion` as JSON, over a challenge of `POST ' +
    '/v1/portal/passkeys/confirm` for this action. Without it the response is `FORBIDDEN` with ' +
    '`needsPasskey`.',
  schema: { type: 'string' },
};

/** Possible errors of any route; below, of one with a body, with a key or session, or of the portal. */
const ANYWHERE: readonly RouteError[] = [
  { code: 'INVALID_PARAMETERS', status: 400 },
  { code: 'RATE_LIMITED', status: 429 },
];
/** Faults of the service, not of a request: no operation lists them. */
const OF_SERVICE: readonly RouteError[] = [
  { code: 'INTERNAL', status: 500 },
  { code: 'CAPACITY', status: 503 },
];
const WITH_BODY: readonly RouteError[] = [
  { code: 'INVALID_PARAMETERS', status: 413 },
  { code: 'INVALID_PARAMETERS', status: 415 },
];
const NOT_SIGNED_IN: RouteError = { code: 'UNAUTHORIZED', status: 401 };
const NOT_ALLOWED: RouteError = { code: 'FORBIDDEN', status: 403 };

/** `origin`: the public origin of the service; null: not known yet. */
export function openapiDocument(
  routes: readonly Route[],
  version: string,
  origin: string | null,
): object {
  const schemas = new NamedSchemas('2020-12');
  const byPath = Map.groupBy(routes, (route) => route.path.replace(/:(\w+)/g, '{$1}'));
  const paths = [...byPath].map(([path, operations]) => [
    path,
    Object.fromEntries(
      operations.map((route) => [route.method.toLowerCase(), operation(route, schemas)]),
    ),
  ]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tapeloom',
      version,
      description: 'Order-flow indicators from the trades of futures contracts.',
      contact: { name: 'Documentation', url: `${origin ?? ORIGIN_DEFAULT}/docs` },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: origin ?? ORIGIN_DEFAULT }],
    tags: ALL_TAGS,
    paths: Object.fromEntries(paths),
    components: {
      schemas: schemas.all(),
      examples: problemExamples([...routes.flatMap(errorsOf), ...OF_SERVICE]),
      headers: HEADERS,
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key: `Authorization: Bearer <key>`.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'tapeloom_session',
          description:
            'The session cookie of a browser that is signed in to the portal. Behind TLS its name begins with ' +
            "`__Host-`. The header `Origin` must name the portal's own pages in requests that change " +
            'something.',
        },
      },
    },
  };
}

function operation(route: Route, schemas: NamedSchemas): object {
  const example = exampleOf(route);
  return {
    operationId: route.operationId,
    tags: [tagOf(route.path)],
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    ...(route.deprecated === undefined ? {} : { deprecated: true }),
    security: securityOf(route),
    ...(typeof route.access === 'object' ? { 'x-scope': route.access.scope } : {}),
    parameters: [
      ...pathParameters(route, example),
      ...queryParameters(route, example, schemas),
      ...(hasTag(route) ? [IF_NONE_MATCH] : []),
      ...(route.isIdempotent === true ? [IDEMPOTENCY_PARAMETER] : []),
      ...(route.asksPasskey === true ? [PASSKEY_PARAMETER] : []),
    ],
    ...requestBody(route, example, schemas),
    responses: {
      [route.status ?? 200]: {
        description: 'Success.',
        headers: headersOf(route, route.status ?? 200),
        content: answerContent(route, example, schemas),
      },
      ...(hasTag(route)
        ? {
            304: {
              description: 'The response is the one that `If-None-Match` names.',
              headers: headersOf(route, 304),
            },
          }
        : {}),
      ...problemResponses(route, schemas),
    },
  };
}

/** The hand-written example, also for the operation's copy to try; otherwise a generated one that fits. */
function exampleOf({ operationId, body, answer, answerTypes }: Route): OperationExample {
  const name = operationId.replace(/^try([A-Z])/, (_, first: string) => first.toLowerCase());
  return (
    OPERATION_EXAMPLES[name] ?? {
      ...(body === undefined ? {} : { body: schemaSample({ ...body }) as object }),
      ...(answerTypes === undefined ? { answer: schemaSample({ ...answer }) as object } : {}),
    }
  );
}

function requestBody(route: Route, { body }: OperationExample, schemas: NamedSchemas): object {
  if (route.rawBody === true) {
    return { requestBody: { required: true, content: { '*/*': { schema: {} } } } };
  }
  if (route.body === undefined) return {};
  const schema = schemas.taken(route.body, `${pascal(route.operationId)}Body`);
  return { requestBody: { required: true, content: jsonContent(schema, body) } };
}

function hasTag({ cacheControl, isTagged }: Route): boolean {
  return cacheControl !== undefined || isTagged === true;
}

/** A bearer key has no scopes in the sense of OpenAPI: `x-scope` names the one that an operation needs. */
function securityOf({ access }: Route): object[] {
  if (access === 'public') return [];
  if (access === 'optional') return [{}, { key: [] }];
  if (access === 'session' || access === 'session-as-key') return [{ session: [] }];
  return [{ key: [] }];
}

function needsKey({ access }: Route): boolean {
  return access !== 'public' && access !== 'optional';
}

/** Not for `optional` routes and reads of a session; for public routes, only for changes by the portal's own pages. */
function mayForbid({ access, method, path }: Route): boolean {
  if (access === 'optional' || (access === 'session' && method === 'GET')) return false;
  return access !== 'public' || (method !== 'GET' && path.startsWith('/v1/portal/'));
}

const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  id: 'The id, from a list or from the response that created it.',
  name: 'The name of the page.',
  provider: 'The name of the payment provider.',
};

function pathParameters(route: Route, { path }: OperationExample): object[] {
  return [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    description: PATH_PARAMETERS[name!] ?? `The ${name}.`,
    schema: { type: 'string' },
    ...(path?.[name!] === undefined ? {} : { example: path[name!] }),
  }));
}

function queryParameters(
  route: Route,
  { query }: OperationExample,
  schemas: NamedSchemas,
): object[] {
  const required: readonly string[] = route.query?.required ?? [];
  return Object.entries(route.query?.properties ?? {}).map(([name, whole]) => {
    const { description, ...bare } = whole as TSchema & { readonly description?: string };
    const schema = schemas.taken(bare, pascal(route.operationId) + pascal(name));
    return {
      name,
      in: 'query',
      required: required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema,
      ...(query?.[name] === undefined ? {} : { example: query[name] }),
    };
  });
}

function errorsOf(route: Route): readonly RouteError[] {
  return [
    ...ANYWHERE,
    ...(route.method === 'GET' ? [] : WITH_BODY),
    ...(needsKey(route) ? [NOT_SIGNED_IN] : []),
    ...(mayForbid(route) ? [NOT_ALLOWED] : []),
    ...(route.errors ?? []),
  ];
}

/** One response per status, with its possible codes. */
function problemResponses(route: Route, schemas: NamedSchemas): object {
  const byStatus = Map.groupBy(errorsOf(route), ({ status }) => status);
  const responses = [...byStatus].map(([status, same]) => [
    status,
    problemResponse(same, headersOf(route, status), schemas),
  ]);
  const counted = isCounted(route) ? Object.values(RATE_HEADERS) : [];
  const headers = headersNamed(['X-Request-Id', 'Retry-After', ...counted]);
  return {
    ...Object.fromEntries(responses),
    default: problemResponse(OF_SERVICE, headers, schemas),
  };
}

function problemResponse(
  errors: readonly RouteError[],
  headers: object,
  schemas: NamedSchemas,
): object {
  const examples = errors.map((error) => [
    error.code,
    { $ref: `#/components/examples/${exampleName(error)}` },
  ]);
  return {
    description: errors.map(({ code }) => `\`${code}\``).join(', '),
    headers,
    content: {
      [PROBLEM_CONTENT_TYPE]: {
        schema: schemas.sent(PROBLEM_SCHEMA, 'Problem'),
        examples: Object.fromEntries(examples),
      },
    },
  };
}

function headersOf(route: Route, status: number): object {
  const names: HeaderName[] = [
    'X-Request-Id',
    ...(status === 429 ? (['Retry-After'] as const) : []),
    ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
    ...(route.path === '/v1/export' && status === 200
      ? (['X-Export-Token', 'X-Export-Gaps', 'Content-Digest'] as const)
      : []),
    ...(route.operationId.endsWith('etHistory') && status === 200 ? (['Link'] as const) : []),
    ...(hasTag(route) && status < 400 ? (['ETag', 'Cache-Control'] as const) : []),
    ...(route.isIdempotent === true && status < 300 ? ([IDEMPOTENT_REPLAYED] as const) : []),
    ...(isCounted(route) && status !== 401 ? Object.values(RATE_HEADERS) : []),
  ];
  return headersNamed(names);
}

/** Whether its requests count at a limit per minute that the response reports. */
function isCounted({ access }: Route): boolean {
  return access !== 'public' && access !== 'session';
}

function headersNamed(names: readonly HeaderName[]): object {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function answerContent(
  { operationId, answer, answerTypes }: Route,
  example: OperationExample,
  schemas: NamedSchemas,
): object {
  if (answerTypes === undefined) {
    return jsonContent(schemas.sent(answer, `${pascal(operationId)}Answer`), example.answer);
  }
  // Every generator reads this as bytes; `contentMediaType` they read as text.
  return Object.fromEntries(answerTypes.map((type) => [type, { schema: BINARY }]));
}

function jsonContent(schema: object, example: unknown): object {
  return { 'application/json': { schema, ...(example === undefined ? {} : { example }) } };
}

function pascal(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}
