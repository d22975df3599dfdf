/** The published contract by external rules: Redocly's for OpenAPI, AsyncAPI's own parser for the stream. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Parser } from '@asyncapi/parser';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Check } from 'typebox/value';
import { contractRoutes } from './contract.ts';
import { asyncapiText, openapiText } from './interface-documents.ts';
import { OPERATION_EXAMPLES } from './operation-examples.ts';
import { schemaSample } from './schema-sample.ts';

/** Beyond the recommended rules: details that a reader of the reference would miss. */
const STRICTER = {
  'operation-description': 'error',
  'operation-tag-defined': 'error',
  'operation-singular-tag': 'error',
  'operation-4xx-problem-details-rfc7807': 'error',
  'parameter-description': 'error',
  'tag-description': 'error',
  'paths-kebab-case': 'error',
  'no-duplicated-tag-names': 'error',
  'no-invalid-media-type-examples': 'error',
  'no-invalid-parameter-examples': 'error',
  'no-invalid-schema-examples': 'error',
} as const;

interface Content {
  readonly example?: unknown;
  readonly examples?: object;
}
interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, { readonly content?: Record<string, Content> }>>;
}

test('Redocly finds nothing in the OpenAPI document', async () => {
  const config = await createConfig({ extends: ['recommended-strict'], rules: STRICTER });
  const source = openapiText(contractRoutes());
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
  const told = problems.map(
    ({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer})`,
  );
  assert.deepEqual(told, []);
});

test("AsyncAPI's own parser finds nothing in the document of the stream", async () => {
  const { document, diagnostics } = await new Parser().parse(asyncapiText());
  // Generators do not read the newest version yet: they turn it into `any`.
  const told = diagnostics
    .filter(({ code }) => code !== 'asyncapi-latest-version')
    .map(({ code, message, path }) => `${code}: ${message} (${path})`);
  assert.deepEqual(told, []);
  assert.notEqual(document, undefined);
});

test('what is served is what is committed, but for where the service is', () => {
  const rest = (text: string) => {
    const { servers, info, ...same } = JSON.parse(text);
    assert.ok(Object.keys(servers).length > 0);
    const { contact, ...told } = info;
    assert.match(contact.url, /^https?:.*\/docs$/);
    return { ...same, told };
  };
  const origin = 'https://tapeloom.example';
  assert.deepEqual(
    rest(openapiText(contractRoutes(), origin)),
    rest(openapiText(contractRoutes())),
  );
  assert.deepEqual(rest(asyncapiText(origin)), rest(asyncapiText()));
});

test('the examples of the public operations fit the schemas that judge', () => {
  for (const { operationId, answer, body, query } of contractRoutes()) {
    const example = OPERATION_EXAMPLES[operationId];
    if (example === undefined) continue;
    if (example.answer !== undefined) assert.ok(Check(answer, example.answer), operationId);
    if (example.body !== undefined) assert.ok(Check(body!, example.body), operationId);
    for (const [name, value] of Object.entries(example.query ?? {})) {
      assert.ok(Check(query!.properties[name]!, value), `${operationId} ${name}`);
    }
  }
});

test('every operation has an example of its body, of its answer and of every refusal', () => {
  const { paths } = JSON.parse(openapiText(contractRoutes())) as {
    paths: Record<string, Record<string, Operation>>;
  };
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  for (const { operationId, requestBody, responses } of operations) {
    const bodies = [requestBody, ...Object.values(responses)].flatMap((of) =>
      Object.entries(of?.content ?? {}),
    );
    for (const [type, { example, examples }] of bodies) {
      const isShown = example !== undefined || examples !== undefined;
      assert.ok(isShown || !/json$/.test(type), `${operationId} ${type}`);
    }
  }
});

test('a sample fits its schema, and a pattern nobody thought of is told', () => {
  assert.throws(
    () => schemaSample({ type: 'string', pattern: '^never-[0-9]{40}$' }),
    /give it an example/,
  );
  assert.deepEqual(
    schemaSample({
      type: 'object',
      properties: {
        list: { type: 'array', items: { anyOf: [{ type: 'null' }, { type: 'string' }] } },
        kind: { enum: ['b', 'a'] },
        day: { type: 'string', format: 'date' },
        count: { type: 'integer', minimum: 3 },
      },
    }),
    { list: [null], kind: 'b', day: '2026-11-16', count: 3 },
  );
});
