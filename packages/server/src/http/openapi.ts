/**
 * The OpenAPI document of the REST interface, made from the same route records that serve it. Pure:
 * the same routes give the same document.
 */

import { ERROR_CODES, type ErrorCode } from '@tapeloom/protocol/error-codes';
import { PROBLEM_CONTENT_TYPE } from '@tapeloom/protocol/problem';
import type { TSchema } from 'typebox';
import type { Route } from './route.ts';

const ERROR_NAMES = Object.keys(ERROR_CODES) as ErrorCode[];

const PROBLEM_SCHEMA = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code', 'instance'],
  properties: {
    type: { type: 'string', format: 'uri', description: 'Documentation of the code.' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What went wrong; the text may change.' },
    code: { enum: ERROR_NAMES.filter((code) => ERROR_CODES[code].statuses.length > 0) },
    instance: { type: 'string', description: 'The request id, for support.' },
    errors: {
      type: 'array',
      description: 'Only with INVALID_PARAMETERS: the faulty fields.',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: {
          path: { type: 'string', format: 'json-pointer' },
          message: { type: 'string' },
        },
      },
    },
  },
};

const BODY_STATUSES: readonly number[] = [413, 415];

export function openapiDocument(routes: readonly Route[], version: string): object {
  const byPath = Map.groupBy(routes, (route) => route.path.replace(/:(\w+)/g, '{$1}'));
  const paths = [...byPath].map(([path, operations]) => [
    path,
    Object.fromEntries(operations.map((route) => [route.method.toLowerCase(), operation(route)])),
  ]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tapeloom',
      version,
      description: 'Order-flow indicators from the trades of futures contracts.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    paths: Object.fromEntries(paths),
    components: {
      schemas: { Problem: PROBLEM_SCHEMA },
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'An API key.' } },
    },
  };
}

function operation(route: Route): object {
  return {
    operationId: route.operationId,
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    security: route.access === 'key' ? [{ key: [] }] : [],
    parameters: [...pathParameters(route), ...queryParameters(route)],
    ...(route.body === undefined
      ? {}
      : { requestBody: { required: true, content: jsonContent(route.body) } }),
    responses: {
      200: { description: 'Success.', content: jsonContent(route.answer) },
      ...problemResponses(route),
    },
  };
}

function pathParameters(route: Route): object[] {
  return [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(route: Route): object[] {
  const required: readonly string[] = route.query?.required ?? [];
  return Object.entries(route.query?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

/** One response per status, with the codes that may come with it. */
function problemResponses(route: Route): object {
  const codes: ErrorCode[] = ['INVALID_PARAMETERS', 'CAPACITY', 'INTERNAL'];
  if (route.access === 'key') codes.push('UNAUTHORIZED');
  codes.push(...(route.errors ?? []));
  const pairs = codes.flatMap((code) =>
    ERROR_CODES[code].statuses.map((status: number) => ({ status, code })),
  );
  const possible = pairs.filter(
    ({ status }) => route.body !== undefined || !BODY_STATUSES.includes(status),
  );
  const responses = [...Map.groupBy(possible, ({ status }) => status)].map(([status, same]) => [
    status,
    {
      description: same.map(({ code }) => `\`${code}\``).join(', '),
      content: {
        [PROBLEM_CONTENT_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } },
      },
    },
  ]);
  return Object.fromEntries(responses);
}

function jsonContent(schema: TSchema): object {
  return { 'application/json': { schema } };
}
