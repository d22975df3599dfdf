import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import { chartFiles } from './charts/chart-files.ts';
import { committedReferenceDigests, referenceDigests } from './client-reference.ts';
import { idsOnPage, SEMANTICS_PATH, semanticsPage } from './semantics-page.ts';

const CHART_BYTES_MAX = 60 * 1_024;
const page = readFileSync(SEMANTICS_PATH, 'utf8');

for (const { id, path, text } of chartFiles()) {
  test(`the chart of ${id} is what its study gives; else run npm run charts`, () => {
    assert.equal(readFileSync(path, 'utf8'), text);
    assert.ok(Buffer.byteLength(text) < CHART_BYTES_MAX);
    assert.doesNotMatch(text, /NaN|Infinity|undefined/);
  });
}

test('docs/semantics.md says what the catalogue says; else run npm run docs', () => {
  assert.equal(semanticsPage(page), page);
});

test('docs/client/ is made from the types that the client has; else run npm run docs', () => {
  assert.deepEqual(referenceDigests(), committedReferenceDigests());
});

test('docs/semantics.md tells of every indicator, in the order of the catalogue, with an example', () => {
  assert.deepEqual(
    idsOnPage(page),
    INDICATORS.map(({ id }) => id),
  );
  for (const { id } of INDICATORS) {
    const part = page.slice(
      page.indexOf(`<!-- begin ${id} -->`),
      page.indexOf(`<!-- end ${id} -->`),
    );
    assert.match(part, /\*\*Example\*\*, case `[\w-]+`/, id);
    assert.match(part, /```json\n\{"t":"upsert"/, id);
  }
});

test('an indicator the page does not know gets a section, and nothing else changes', () => {
  const [first] = INDICATORS;
  const start = page.indexOf(`<!-- begin ${first!.id} -->`);
  const end = page.indexOf(`<!-- end ${first!.id} -->`) + `<!-- end ${first!.id} -->`.length;
  const without = page.slice(0, start) + page.slice(end);
  const mended = semanticsPage(without);
  assert.ok(mended.startsWith(without.trimEnd()));
  assert.ok(mended.endsWith(`### ${first!.name}\n\n${page.slice(start, end)}\n`));
});
