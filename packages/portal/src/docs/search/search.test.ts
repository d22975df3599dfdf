import assert from 'node:assert/strict';
import { test } from 'node:test';
import { docsSources } from '../../../build-steps/docs-pages.ts';
import { docsSite } from '../docs-site.ts';
import { excerpt, marked } from './excerpt.ts';
import { DocsSearch, searchIndex } from './search-index.ts';
import { searchSections } from './search-sections.ts';

const groups = docsSite(docsSources());
const sections = searchSections(groups.filter(({ audience }) => audience === 'customers'));
const search = new DocsSearch(searchIndex(sections));
const firstOf = (query: string) =>
  search
    .find(query)
    .slice(0, 3)
    .map(({ address }) => address);

test('headings come first, words may be begun or misspelt', () => {
  for (const [query, address] of [
    ['rate limited', '/docs/errors#rate-limited'],
    ['foot', '/docs/indicators/footprint'],
    ['fotprint', '/docs/indicators/footprint'],
    ['slow reders', '/docs/client#slow-readers'],
  ] as const) {
    assert.ok(firstOf(query).includes(address), `${query}: ${firstOf(query).join(', ')}`);
  }
  const [a, b] = ['Cursors', 'Other'].map((heading, id) => ({
    id,
    address: `/docs/${id}`,
    page: 'P',
    heading,
    text: id === 0 ? 'nothing of it' : 'cursors and cursors, cursors',
    weight: 1,
  }));
  const small = new DocsSearch(searchIndex([b!, a!]));
  assert.deepEqual(
    small.find('cursors').map(({ heading }) => heading),
    ['Cursors', 'Other'],
  );
});

test("a customer's search finds no decision and no operator's page", () => {
  for (const query of ['postgresql', 'backup', 'smtp', 'nats', 'decision']) {
    for (const { address } of search.find(query)) {
      assert.doesNotMatch(address, /^\/docs\/(?:decisions|operating|guides|payments|law|scale)/);
    }
  }
});

test('all words must be there; where nothing has all of them, some are enough', () => {
  const [hit] = search.find('close codes');
  assert.match(hit!.address, /close-codes$/);
  assert.ok(search.find('footprint qqqqqqqq').length > 0);
  assert.deepEqual(search.find('qqqqqqqq'), []);
  assert.deepEqual(search.find(''), []);
  assert.ok(search.find('x '.repeat(10_000)).length < 30);
});

test('every section has its own address, and no program in its text', () => {
  const addresses = sections.map(({ address }) => address);
  assert.equal(new Set(addresses).size, addresses.length);
  for (const { text } of sections) assert.doesNotMatch(text, /<\/?(?:div|span|code|pre)\b/);
  assert.ok(sections.every(({ text }) => !text.includes("from '@tapeloom/client'")));
});

test('one page does not take all places', () => {
  const hits = search.find('stream');
  const counts = Map.groupBy(hits, ({ page }) => page);
  assert.ok([...counts.values()].every((own) => own.length <= 4));
});

test('an excerpt is cut at words, around what was found, which is marked', () => {
  const text = `${'before '.repeat(20)}the cursor (C++) is here ${'after '.repeat(60)}`;
  const parts = excerpt(text, ['cursor', 'c++']);
  assert.deepEqual(
    parts.filter(({ isMarked }) => isMarked).map((part) => part.text),
    ['cursor', 'C++'],
  );
  const whole = parts.map((part) => part.text).join('');
  assert.ok(whole.startsWith('… before') && whole.endsWith('after …') && whole.length < 180, whole);
  assert.deepEqual(excerpt('short', []), [{ text: 'short', isMarked: false }]);
  assert.deepEqual(marked('cursors', ['cursor']), [{ text: 'cursors', isMarked: false }]);
});
