import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { OPENAPI_PATH, openapiText } from './contract.ts';

test('contract/openapi.json is what the routes say; else run the generator', () => {
  assert.equal(readFileSync(OPENAPI_PATH, 'utf8'), openapiText());
});

test('the document names every operation once and refers to nothing it does not hold', () => {
  const text = openapiText();
  const ids = [...text.matchAll(/"operationId": "(\w+)"/g)].map(([, id]) => id);
  assert.ok(ids.length >= 3);
  assert.equal(new Set(ids).size, ids.length);
  const document = JSON.parse(text) as { components: { schemas: Record<string, unknown> } };
  for (const [, name] of text.matchAll(/"\$ref": "#\/components\/schemas\/(\w+)"/g)) {
    assert.ok(Object.hasOwn(document.components.schemas, name!));
  }
});
