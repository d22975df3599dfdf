import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { publishedDefinitions } from '@tapeloom/core/studies/catalogue';
import { catalogueFacts } from '../routes/indicators-route.ts';
import { catalogueText, contractFiles, contractRoutes } from './contract.ts';
import { openapiText } from './interface-documents.ts';

const definitions = publishedDefinitions();
const root = fileURLToPath(new URL('../../../../../', import.meta.url));

for (const { path, text } of contractFiles(definitions)) {
  const name = relative(root, path);
  const rule = name === 'packages/protocol/src/indicators.ts' ? ' [VER-02]' : '';
  test(`${name} is what the code says; else run npm run contract${rule}`, () => {
    assert.equal(readFileSync(path, 'utf8'), text);
  });
}

test('contract/catalogue.json is the answer of the service [CAT-01]', () => {
  const facts = catalogueFacts(definitions);
  assert.match(facts.engineFingerprint, /^[0-9a-f]{64}$/);
  assert.deepEqual(JSON.parse(catalogueText(definitions)), JSON.parse(JSON.stringify(facts)));
});

test('the document names every operation once, refers to nothing it does not hold and holds nothing in vain', () => {
  const text = openapiText(contractRoutes());
  const ids = [...text.matchAll(/"operationId": "(\w+)"/g)].map(([, id]) => id);
  assert.ok(ids.length >= 3);
  assert.equal(new Set(ids).size, ids.length);
  const { components } = JSON.parse(text) as {
    components: Record<string, Record<string, unknown>>;
  };
  const used = new Set<string>();
  for (const [, kind, name] of text.matchAll(/"\$ref": "#\/components\/(\w+)\/([\w-]+)"/g)) {
    assert.ok(Object.hasOwn(components[kind!]!, name!), `${kind} ${name}`);
    used.add(`${kind} ${name}`);
  }
  for (const kind of ['schemas', 'headers']) {
    for (const name of Object.keys(components[kind]!)) assert.ok(used.has(`${kind} ${name}`), name);
  }
});

test('the document says which key each operation needs', () => {
  const { paths } = JSON.parse(openapiText(contractRoutes())) as {
    paths: Record<string, Record<string, { security: object[]; responses: object }>>;
  };
  const needs = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { security }]) => [`${method} ${path}`, security]),
  );
  assert.deepEqual(Object.fromEntries(needs), {
    'get /v1/indicators': [],
    'get /v1/offers': [],
    'get /v1/pricing': [],
    'get /v1/instruments': [{ key: [] }],
    'get /v1/status': [{}, { key: [] }],
    'get /v1/usage': [{ key: [] }],
    'post /v1/keys': [{ key: ['keys'] }],
    'get /v1/keys': [{ key: ['keys'] }],
    'post /v1/keys/{id}/rotate': [{ key: ['keys'] }],
    'delete /v1/keys/{id}': [{ key: ['keys'] }],
    'post /v1/stream-tokens': [{ key: ['stream'] }],
    'get /v1/history': [{ key: ['history'] }],
    'get /v1/history/estimate': [{ key: ['history'] }],
    'get /v1/export': [{ key: ['export'] }],
    'get /v1/portal/try/instruments': [{ session: [] }],
    'get /v1/portal/try/usage': [{ session: [] }],
    'get /v1/portal/try/keys': [{ session: [] }],
    'get /v1/portal/try/history': [{ session: [] }],
    'get /v1/portal/try/history/estimate': [{ session: [] }],
    'post /v1/portal/sign-in': [],
    'post /v1/portal/sign-in/look': [],
    'post /v1/portal/session': [],
    'post /v1/portal/claim': [],
    'delete /v1/portal/session': [{ session: [] }],
    'delete /v1/portal/sessions': [{ session: [] }],
    'delete /v1/portal/sessions/{id}': [{ session: [] }],
    'get /v1/portal/account': [{ session: [] }],
    'get /v1/portal/keys': [{ session: [] }],
    'post /v1/portal/keys': [{ session: [] }],
    'post /v1/portal/keys/{id}/rotate': [{ session: [] }],
    'delete /v1/portal/keys/{id}': [{ session: [] }],
    'post /v1/portal/stream-tokens': [{ session: [] }],
    'get /v1/portal/usage': [{ session: [] }],
    'get /v1/portal/instruments': [{ session: [] }],
    'post /v1/portal/email': [{ session: [] }],
    'post /v1/portal/email/approve': [{ session: [] }],
    'post /v1/portal/email/confirm': [{ session: [] }],
    'get /v1/portal/export': [{ session: [] }],
    'post /v1/portal/deletion': [{ session: [] }],
    'post /v1/portal/deletion/confirm': [{ session: [] }],
    'delete /v1/portal/deletion': [{ session: [] }],
    'delete /v1/portal/other-half': [{ session: [] }],
    'get /v1/portal/pages/{name}': [],
    'post /v1/portal/checkout': [{ session: [] }],
    'get /v1/portal/orders': [{ session: [] }],
    'get /v1/portal/orders/{id}': [{ session: [] }],
    'post /v1/portal/orders/{id}/cancel': [{ session: [] }],
    'post /v1/portal/orders/{id}/keep': [{ session: [] }],
    'get /v1/portal/orders/{id}/receipts': [{ session: [] }],
    'post /v1/portal/orders/{id}/provider-portal': [{ session: [] }],
    'post /v1/portal/orders/{id}/drop': [{ session: [] }],
    'get /v1/portal/orders/{id}/withdrawal': [{ session: [] }],
    'post /v1/portal/orders/{id}/withdrawal': [{ session: [] }],
    'post /v1/webhooks/{provider}': [],
    'get /v1/openapi.json': [],
    'get /v1/asyncapi.json': [],
  });
  const statuses = Object.keys(paths['/v1/keys']!.post!.responses);
  assert.deepEqual(statuses, [
    '201',
    '400',
    '401',
    '403',
    '409',
    '413',
    '415',
    '429',
    '500',
    '503',
  ]);
});
