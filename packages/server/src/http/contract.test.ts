import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { publishedDefinitions } from '@tapeloom/core/studies/catalogue';
import { catalogueText, contractFiles, openapiText } from './contract.ts';
import { catalogueFacts } from './indicators-route.ts';

const definitions = publishedDefinitions();
const root = fileURLToPath(new URL('../../../../', import.meta.url));

for (const { path, text } of contractFiles(definitions)) {
  const name = relative(root, path);
  test(`${name} is what the code says; else run npm run contract`, () => {
    assert.equal(readFileSync(path, 'utf8'), text);
  });
}

test('contract/catalogue.json is the answer of the service, but for the fingerprint [CAT-01]', () => {
  const coreSource = fileURLToPath(import.meta.resolve('@tapeloom/core/cursor')).replace(
    /cursor\.ts$/,
    '',
  );
  const { engineFingerprint, ...rest } = catalogueFacts(definitions, coreSource);
  assert.match(engineFingerprint, /^[0-9a-f]{64}$/);
  assert.deepEqual(JSON.parse(catalogueText(definitions)), JSON.parse(JSON.stringify(rest)));
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
