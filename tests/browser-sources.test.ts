/**
 * No page of ours can hold an API key. The sources of the portal and of the example pages contain
 * no key, pass none to a client, and send no `Authorization` header. Text shown for copying does
 * not count.
 */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { test } from 'node:test';
import { parseSync } from 'rolldown/utils';

const root = join(import.meta.dirname, '..');
const CLIENTS = ['StreamClient', 'TapeloomClient', 'RestClient'];
const SECRET = /svc_(?:live|test)_[0-9A-Za-z]{20,}/;

interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Scripts that run in a browser. */
function browserSources(): string[] {
  const portal = filesIn(join(root, 'packages/portal/src'), ['.ts', '.tsx']);
  const pages = ['examples/browser-page', 'examples/zstd-in-the-browser'].flatMap((folder) =>
    filesIn(join(root, folder), ['.js']),
  );
  return [...portal.filter((path) => !path.endsWith('.test.ts')), ...pages];
}

function filesIn(folder: string, extensions: readonly string[]): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && extensions.includes(extname(entry.name)))
    .map((entry) => join(entry.parentPath, entry.name));
}

test('a page has no key, gives none to a client and sends none: it takes tokens [AUTH-12]', () => {
  const sources = browserSources();
  let clients = 0;
  for (const path of sources) {
    const name = relative(root, path);
    const text = readFileSync(path, 'utf8');
    assert.doesNotMatch(text, SECRET, name);
    const { program, errors } = parseSync(path, text);
    assert.deepEqual(errors, [], name);
    for (const node of nodesOf(program as unknown as Node)) {
      if (propertyName(node)?.toLowerCase() === 'authorization') assert.fail(`${name}: a header`);
      if (!isClient(node)) continue;
      clients += 1;
      const given = [...nodesOf(node)].map(propertyName);
      assert.ok(!given.includes('key'), `${name}: a client with a key`);
      if ((node.callee as Node).name === 'StreamClient') assert.ok(given.includes('token'), name);
    }
  }
  assert.ok(sources.length > 50 && clients >= 2, `${clients} clients in ${sources.length} files`);
});

function isClient({ type, callee }: Node): boolean {
  return type === 'NewExpression' && CLIENTS.includes(String((callee as Node).name));
}

/** The name of an object literal's property, quoted or not. */
function propertyName({ type, key }: Node): string | undefined {
  if (type !== 'Property') return undefined;
  const { name, value } = key as Node;
  return String(name ?? value);
}

function* nodesOf(value: unknown): Generator<Node> {
  if (typeof value !== 'object' || value === null) return;
  if ('type' in value && typeof value.type === 'string') yield value as Node;
  for (const inner of Object.values(value)) yield* nodesOf(inner);
}
