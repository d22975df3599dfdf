import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { CLIENT_MESSAGE_SCHEMAS } from '@tapeloom/protocol/client-messages';
import { CLOSE_MEANINGS } from '@tapeloom/protocol/close-codes';
import { SERVER_MESSAGE_SCHEMAS } from '@tapeloom/protocol/server-message-schemas';
import { contractRoutes } from '@tapeloom/server/http/contract/contract';
import { REST_PATH, restPage } from './rest-page.ts';
import { SCHEMAS_PATH, schemasPage } from './schemas-page.ts';
import { STREAM_PATH, streamPage } from './stream-page.ts';

test('docs/reference/ says what the contract says; else run npm run docs', () => {
  assert.equal(readFileSync(REST_PATH, 'utf8'), restPage());
  assert.equal(readFileSync(STREAM_PATH, 'utf8'), streamPage());
  assert.equal(readFileSync(SCHEMAS_PATH, 'utf8'), schemasPage());
});

test('every schema that the reference names has one section', () => {
  const schemas = schemasPage();
  const headings = [...schemas.matchAll(/^## (\w+)$/gm)].map(([, name]) => name!.toLowerCase());
  assert.equal(new Set(headings).size, headings.length);
  for (const text of [restPage(), streamPage(), schemas]) {
    const named = [...text.matchAll(/\]\(schemas\.md#(\w+)\)/g)].map(([, name]) => name!);
    for (const name of named) assert.ok(headings.includes(name), name);
  }
  for (const name of ['key', 'instrument', 'historypage', 'footprintdata', 'problem']) {
    assert.ok(headings.includes(name), name);
  }
});

test('the list of routes has every public one, with each of its parameters and refusals', () => {
  const text = restPage();
  const isPublic = (path: string) => !/^\/v1\/(?:portal|webhooks)\//.test(path);
  const routes = contractRoutes();
  for (const { method, path, query, errors = [] } of routes) {
    const heading = `### ${method} ${path.replace(/:(\w+)/g, '{$1}')}\n`;
    assert.equal(text.includes(heading), isPublic(path), heading);
    if (!isPublic(path)) continue;
    const section = text.split(heading)[1]!.split('\n##')[0]!;
    for (const name of Object.keys(query?.properties ?? {})) {
      assert.ok(section.includes(`| \`${name}\` | query |`), `${path} ${name}`);
    }
    for (const { code, status } of errors) assert.ok(section.includes(`${status} [\`${code}\`]`));
  }
});

test('the list of messages has every one of both sides, and every way to end', () => {
  const text = streamPage();
  for (const kind of Object.keys({ ...CLIENT_MESSAGE_SCHEMAS, ...SERVER_MESSAGE_SCHEMAS })) {
    assert.ok(text.includes(`\n### ${kind}\n`), kind);
  }
  for (const { code, meaning } of CLOSE_MEANINGS) {
    assert.ok(text.includes(`| ${code} |`) && text.includes(meaning), `${code}`);
  }
});

test('every route has a request in curl, TypeScript and Python, at one address and for times that are not written down', () => {
  const [, ...sections] = restPage().split(/\n### (?=[A-Z]+ \/v1)/);
  assert.ok(sections.length >= 16);
  for (const section of sections) {
    const heading = section.split('\n', 1)[0]!;
    const samples = [...section.matchAll(/```(sh|ts|python) tab="\w+"\n([\s\S]*?)```/g)];
    assert.deepEqual(
      samples.map(([, language]) => language),
      ['sh', 'ts', 'python'],
      heading,
    );
    for (const [, , text] of samples) {
      assert.match(text!, /http:\/\/127\.0\.0\.1:8080\/v1\//);
      assert.doesNotMatch(text!, /\b20\d\d-\d\d|example\.com/, heading);
    }
  }
});
