import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { publishedDefinitions } from '@tapeloom/core/studies/catalogue';
import { readHistoryFields } from '../../history/history-fields.ts';
import { catalogueFacts } from '../routes/indicators-route.ts';
import { catalogueText, contractFiles, contractRoutes } from './contract.ts';
import { openapiText } from './interface-documents.ts';
import { paramsSchema } from './params-schema.ts';

const definitions = publishedDefinitions();
const root = fileURLToPath(new URL('../../../../../', import.meta.url));

for (const { path, text } of contractFiles(definitions)) {
  const name = relative(root, path);
  const rule = name === 'packages/protocol/src/indicators.ts' ? ' [VER-02]' : '';
  test(`${name} is what the code says; else run npm run interface${rule}`, () => {
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
    paths: Record<
      string,
      Record<string, { security: object[]; responses: object; 'x-scope'?: string }>
    >;
  };
  const needs = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { security, 'x-scope': scope }]) => [
      `${method} ${path}`,
      scope === undefined ? security : [...security, scope],
    ]),
  );
  assert.deepEqual(Object.fromEntries(needs), {
    'get /v1/indicators': [],
    'get /v1/offers': [],
    'get /v1/pricing': [],
    'get /v1/instruments': [{ key: [] }],
    'get /v1/sessions': [{ key: [] }],
    'get /v1/status': [{}, { key: [] }],
    'get /v1/status/history': [],
    'get /v1/usage': [{ key: [] }],
    'post /v1/keys': [{ key: [] }, 'keys'],
    'get /v1/keys': [{ key: [] }, 'keys'],
    'post /v1/keys/{id}/rotate': [{ key: [] }, 'keys'],
    'delete /v1/keys/{id}': [{ key: [] }, 'keys'],
    'post /v1/stream-tokens': [{ key: [] }, 'stream'],
    'get /v1/history': [{ key: [] }, 'history'],
    'get /v1/history/estimate': [{ key: [] }, 'history'],
    'get /v1/export': [{ key: [] }, 'export'],
    'get /v1/portal/try/instruments': [{ session: [] }],
    'get /v1/portal/try/sessions': [{ session: [] }],
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
    'get /v1/portal/layouts': [{ session: [] }],
    'post /v1/portal/layouts': [{ session: [] }],
    'get /v1/portal/layouts/{id}': [{ session: [] }],
    'put /v1/portal/layouts/{id}': [{ session: [] }],
    'delete /v1/portal/layouts/{id}': [{ session: [] }],
    'post /v1/portal/layouts/{id}/undelete': [{ session: [] }],
    'get /v1/portal/layouts/{id}/states': [{ session: [] }],
    'post /v1/portal/layouts/{id}/restore': [{ session: [] }],
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
    'post /v1/portal/mails': [{ session: [] }],
    'post /v1/portal/sign-in/passkey': [],
    'post /v1/portal/session/passkey': [],
    'get /v1/portal/passkeys': [{ session: [] }],
    'post /v1/portal/passkeys': [{ session: [] }],
    'post /v1/portal/passkeys/confirm': [{ session: [] }],
    'post /v1/portal/passkeys/new': [{ session: [] }],
    'delete /v1/portal/passkeys/{id}': [{ session: [] }],
    'post /v1/portal/passkeys/second-factor': [{ session: [] }],
    'post /v1/portal/recovery/link': [{ session: [] }],
    'post /v1/portal/recovery': [],
    'delete /v1/portal/recovery': [{ session: [] }],
    'post /v1/portal/recovery/stop': [],
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
  assert.deepEqual(statuses, ['201', '400', '401', '403', '409', '413', '415', '429', 'default']);
});

type Node = Readonly<Record<string, unknown>>;
interface Operation {
  readonly requestBody?: { readonly content: Node };
  readonly parameters: readonly { readonly name: string; readonly schema: Node }[];
  readonly responses: Readonly<Record<string, { readonly content?: Record<string, Node> }>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Node>> };
}

test('every object and every list of words has a name, and every union of objects is told apart by a field', () => {
  const { paths, components } = JSON.parse(openapiText(contractRoutes())) as Document;
  const { schemas } = components;
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const isNamed = (node: unknown, place: string): void => {
    if (typeof node !== 'object' || node === null) return;
    const { properties, enum: words, oneOf, anyOf, discriminator } = node as Node;
    const isComponent = place in schemas;
    assert.ok(isComponent || (properties === undefined && words === undefined), place);
    const objects = [oneOf ?? anyOf ?? []]
      .flat()
      .filter((member) => isObject(schemas, (member as Node).$ref as string | undefined));
    // Data has no field that names its indicator: the request does.
    const isTold = discriminator !== undefined || place === 'IndicatorData';
    assert.ok(objects.length < 2 || isTold, place);
    for (const [key, part] of Object.entries(node)) {
      if (key === 'example' || key === 'examples') continue;
      const inner = key === 'properties' ? Object.values(part as Node) : [part].flat();
      for (const one of inner) isNamed(one, `${place} ${key}`);
    }
  };
  for (const [name, schema] of Object.entries(schemas)) isNamed(schema, name);
  for (const { requestBody, parameters, responses } of operations) {
    for (const { name, schema } of parameters) isNamed(schema, `parameter ${name}`);
    for (const part of [requestBody, ...Object.values(responses)])
      isNamed(part?.content, 'content');
  }
  for (const name of [
    'Key',
    'Order',
    'Instrument',
    'HistoryPage',
    'Estimate',
    'Usage',
    'Problem',
  ]) {
    assert.ok(name in schemas, name);
  }
});

function isObject(schemas: Readonly<Record<string, Node>>, ref: string | undefined): boolean {
  return ref !== undefined && schemas[ref.split('/').at(-1)!]?.type === 'object';
}

test('history has one schema of data for each indicator of the catalogue', () => {
  const { paths, components } = JSON.parse(openapiText(contractRoutes())) as Document;
  const { schemas } = components;
  const members = schemas.IndicatorData!.anyOf as { readonly $ref: string }[];
  assert.deepEqual(
    members.map(({ $ref }) => Object.keys(schemas[$ref.split('/').at(-1)!]!.properties as Node)),
    definitions.map(({ data }) => Object.keys(data.properties as Node)),
  );
  assert.deepEqual(
    schemas.KnownIndicatorId!.enum,
    definitions.map(({ id }) => id),
  );
  const { parameters } = paths['/v1/history']!.get!;
  const { schema } = parameters.find(({ name }) => name === 'indicator')!;
  assert.deepEqual(schema, { $ref: '#/components/schemas/IndicatorId' });
  const [known, other] = schemas.IndicatorId!.anyOf as Node[];
  assert.deepEqual([known!.$ref, other!.type], ['#/components/schemas/KnownIndicatorId', 'string']);
});

test('an export is bytes to every generator', () => {
  const { paths } = JSON.parse(openapiText(contractRoutes())) as Document;
  const { content = {} } = paths['/v1/export']!.get!.responses[200]!;
  assert.deepEqual(
    Object.values(content).map(({ schema }) => schema),
    Object.keys(content).map(() => ({ type: 'string', format: 'binary' })),
  );
});

test('what the service sends may get more fields and words, what it takes may not', () => {
  const { paths, components } = JSON.parse(openapiText(contractRoutes())) as Document;
  const reached = (part: unknown, found = new Set<string>()): Set<string> => {
    for (const [, name] of JSON.stringify(part ?? {}).matchAll(/schemas\/(\w+)"/g)) {
      if (found.has(name!)) continue;
      found.add(name!);
      reached(components.schemas[name!], found);
    }
    return found;
  };
  for (const { requestBody, responses } of Object.values(paths).flatMap((of) =>
    Object.values(of),
  )) {
    for (const name of reached(responses)) {
      const { additionalProperties, properties = {} } = components.schemas[name]!;
      assert.notEqual(additionalProperties, false, name);
      for (const [field, { $ref = '' }] of Object.entries(properties as Record<string, Node>)) {
        const { type, enum: words } = components.schemas[String($ref).split('/').at(-1)!] ?? {};
        assert.ok(words === undefined || type !== 'string', `${name} ${field}`);
      }
    }
    for (const name of reached(requestBody)) {
      const { type, additionalProperties } = components.schemas[name]!;
      assert.ok(type !== 'object' || additionalProperties === false, name);
    }
  }
});

test('cursors and times of a query look as the service takes them, with one bound for ranks', () => {
  const { paths } = JSON.parse(openapiText(contractRoutes())) as Document;
  const { parameters } = paths['/v1/history']!.get!;
  const fits = (name: string, text: string) => {
    const { pattern } = parameters.find((one) => one.name === name)!.schema;
    return new RegExp(String(pattern), 'u').test(text);
  };
  const asked = { instrument: 'ES.c.0', indicator: 'bars', from: '2026-11-13' };
  const texts = {
    from: ['2026-11-13', '1794580260000000000', '2026-11-13T14:30:00Z', '20261113', 'now', ''],
    untilCursor: ['20261113.4294967295.1', '20261113.0.0', '20261113.99999999999.1', '20261113.1'],
    cursor: ['20261113.1.1~0123456789ab', '20261113.1.1', '20261113.1.1~0', '20261113.1.1~'],
  };
  for (const [name, samples] of Object.entries(texts)) {
    for (const text of samples) {
      const isTaken = 'fields' in readHistoryFields({ ...asked, [name]: text }, 'history');
      assert.equal(fits(name, text), isTaken, `${name} ${text}`);
    }
  }
});

test('steps such as 0.01 are in words: a validator that divides refuses 1.15, which the service takes', () => {
  for (const { id, parameters } of definitions) {
    for (const { multipleOf = 1, name } of parameters) {
      const { properties } = paramsSchema(parameters) as { properties: Record<string, Node> };
      const schema = properties[name]!;
      assert.ok(Number.isInteger(Number(schema.multipleOf ?? 1)), `${id} ${name}`);
      if (multipleOf < 1) assert.match(String(schema.description), /In steps of 0\.01\.$/);
    }
  }
});

test('no operation lists a status that it cannot answer with', () => {
  const { paths } = JSON.parse(openapiText(contractRoutes())) as Document;
  const statuses = (path: string, method: string) =>
    Object.keys(paths[path]![method]!.responses).filter((status) => Number(status) !== 200);
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  for (const { responses } of operations) {
    // Faults of the service belong to no operation.
    assert.ok(!('500' in responses) && 'default' in responses);
  }
  // Reads in the portal need only a session.
  for (const [path, methods] of Object.entries(paths)) {
    const isRead = path.startsWith('/v1/portal/') && !path.startsWith('/v1/portal/try/');
    if (isRead && methods.get !== undefined)
      assert.ok(!statuses(path, 'get').includes('403'), path);
  }
  assert.deepEqual(statuses('/v1/status', 'get'), ['304', '400', '429', 'default']);
});

test('what is to go is announced half a year ahead', () => {
  for (const { deprecated } of [...contractRoutes(), ...definitions]) {
    if (deprecated === undefined) continue;
    const days = (Date.parse(deprecated.until) - Date.parse(deprecated.since)) / 86_400_000;
    assert.ok(days >= 181, `${deprecated.since} to ${deprecated.until}`);
  }
});
