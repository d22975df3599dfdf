import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  anchorsOf,
  type OpenapiDocument,
  shownDocument,
  triedAt,
  tryingOf,
} from './rest-document.ts';

const root = new URL('../../../../', import.meta.url);
const document: OpenapiDocument = JSON.parse(
  readFileSync(new URL('contract/openapi.json', root), 'utf8'),
);
const ORIGIN = 'https://tapeloom.example';
const NOW_MS = Date.parse('2026-11-16T12:18:42Z');
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

test('what is tried by the session has a route of the portal, and what has one is tried by it', () => {
  const tried = operations
    .filter(
      ({ path, operation }) =>
        !path.startsWith('/v1/portal/') && tryingOf(operation).by === 'session',
    )
    .map(({ path, method }) => {
      assert.equal(method, 'get', path);
      return triedAt(document, `${ORIGIN}${path}`);
    });
  const there = Object.keys(document.paths).filter((path) => path.startsWith('/v1/portal/try/'));
  assert.deepEqual(tried.sort(), there.sort());
  const asked = `${ORIGIN}/v1/history/estimate?instrument=ES.c.0&from=a%20b`;
  assert.equal(
    triedAt(document, asked),
    '/v1/portal/try/history/estimate?instrument=ES.c.0&from=a%20b',
  );
  assert.equal(triedAt(document, `${ORIGIN}/v1/status`), '/v1/status');
});

test('nothing that changes something, shows a secret or is a download is tried here', () => {
  for (const { path, method, operation } of operations) {
    const isOurs = /^\/v1\/(?:portal|webhooks)\//.test(path);
    if (isOurs || (method === 'get' && path !== '/v1/export')) continue;
    assert.equal(tryingOf(operation).by, 'elsewhere', `${method} ${path}`);
  }
});

test('the page has no place for a key, none of the portal’s routes, and the address it is from', () => {
  const shown = shownDocument(document, ORIGIN, NOW_MS) as unknown as OpenapiDocument & {
    readonly servers: object;
  };
  const text = JSON.stringify(shown);
  assert.doesNotMatch(text, /securitySchemes|"security":|\/v1\/portal\/|\/v1\/webhooks\//);
  assert.doesNotMatch(text, /contentMediaType":"application\/json|"name":"If-None-Match"/);
  assert.deepEqual(shown.servers, [{ url: ORIGIN }]);
  const { parameters, responses, description } = shown.paths['/v1/history']!.get!;
  const exampleOf = (name: string) => parameters!.find((one) => one.name === name)?.example;
  assert.equal(exampleOf('from'), '2026-11-16T10:18:00Z');
  assert.equal(exampleOf('to'), '2026-11-16T11:18:00Z');
  assert.match(description!, /Needs a key with the scope `history`\.$/);
  assert.match(responses['402']!.description, /^\[`NOT_COVERED`\]\(\/docs\/errors#not-covered\)$/);
});

test('every entry of the list without scripts leads to its operation', () => {
  const anchors = anchorsOf(document);
  const list = readFileSync(new URL('docs/reference/rest.md', root), 'utf8');
  const headings = [...list.matchAll(/^### ([A-Z]+) (\S+)$/gm)];
  assert.ok(headings.length >= 14);
  for (const [, method, path] of headings) {
    const operation = document.paths[path!]![method!.toLowerCase()]!;
    const anchor = `${method} ${path}`.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '');
    assert.equal(anchors.get(anchor.replace(/\s/g, '-')), operation);
  }
});
