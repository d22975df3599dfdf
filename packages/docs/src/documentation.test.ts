import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { BAR_RULES } from '@tapeloom/core/studies/bar-parameters';
import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import { chartFiles } from './charts/chart-files.ts';
import { committedReferenceDigests, referenceDigests } from './client-reference.ts';
import { indicatorPages } from './indicator-pages.ts';
import { INDICATOR_TEXTS } from './indicator-texts.ts';
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

test('docs/semantics.md tells of every indicator, in the order of the catalogue, and leads to its page', () => {
  assert.deepEqual(
    idsOnPage(page),
    INDICATORS.map(({ id }) => id),
  );
  for (const { id } of INDICATORS) assert.ok(page.includes(`](indicators/${id}.md)`), id);
});

const pages = indicatorPages();

test('docs/indicators/ says what the catalogue, the vectors and the studies say; else run npm run docs', () => {
  for (const { path, text } of pages) assert.equal(readFileSync(path, 'utf8'), text, path);
  const [list] = pages;
  const listed = [...list!.text.matchAll(/^## \[.+\]\(([\w-]+)\.md\)$/gm)].map(([, id]) => id);
  assert.deepEqual(
    listed,
    INDICATORS.map(({ id }) => id),
  );
});

test('the page of every indicator has the whole of its rule, its numbers and its samples', () => {
  assert.deepEqual(
    Object.keys(INDICATOR_TEXTS),
    INDICATORS.map(({ id }) => id),
  );
  for (const { id, name, description, parameters } of INDICATORS) {
    const { text } = pages.find(({ path }) => path.endsWith(`/${id}.md`))!;
    const plain = (words: string) => words.replace(/[^\p{L}\p{N}]+/gu, ' ');
    const own = description.replace(BAR_RULES, id === 'bars' ? BAR_RULES : '');
    const rule = text.slice(text.indexOf('## The rule'), text.indexOf('## Parameters'));
    const told = plain(rule.replace('### What ends a bar', '').replaceAll('&lt;', '<'));
    assert.ok(told.includes(plain(own).trim()), id);
    assert.match(text, RegExp(`^# ${name.replace(/[()]/g, '\\$&')}\n\n!\\[A chart of `));
    for (const parameter of parameters) assert.ok(text.includes(`| \`${parameter.name}\` |`));
    assert.match(text, /## Worked example\n\nCase `[\w-]+`[\s\S]*```json\n\[\n \{"t":"upsert"/, id);
    assert.match(text, /\| cursor \| object \| final \| what is new \|/, id);
    for (const tab of ['json', 'sh', 'ts']) assert.ok(text.includes(`\n\`\`\`${tab} tab=`), id);
    // Every number has its unit.
    const fields = text.slice(text.indexOf('## Fields'), text.indexOf('## Worked'));
    assert.doesNotMatch(
      fields,
      /^\| `(?!kind|side|barId|sessionDate)\w+` \| (?:integer|number)[^|]* \| {2}\|/m,
      id,
    );
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
