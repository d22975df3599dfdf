import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ERROR_CODES, type ErrorCode, errorAnchor } from '@tapeloom/protocol/error-codes';
import { problemDocument } from '@tapeloom/server/http/server/problems/problem-document';
import { ProblemError } from '@tapeloom/server/http/server/problems/problem-error';
import { docsSources } from '../../build-steps/docs-pages.ts';
import { type DocsSource, docsSite, VECTORS } from './docs-site.ts';
import { renderMarkdown } from './markdown.ts';
import { joined } from './site-links.ts';

const vectors = join(import.meta.dirname, '../../../../contract/vectors');
const sources = docsSources();
const groups = docsSite(sources);
const pages = groups.flatMap((group) => group.pages);
const render = (text: string, known: Readonly<Record<string, string>> = {}) =>
  renderMarkdown(text, { path: 'client/a.md', addressOf: (path) => known[path] ?? null });

test('the type of every error leads to its own anchor on /docs/errors, and no anchor there is of anything else [ERR-03]', () => {
  const page = pages.find(({ address }) => address === '/docs/errors')!;
  const anchors = page.headings.map(({ anchor }) => `http://here${page.address}#${anchor}`);
  const documentOf = (code: ErrorCode) =>
    problemDocument(new ProblemError(code, ''), 'req_1', 'http://here/docs');
  const types = (Object.keys(ERROR_CODES) as ErrorCode[]).map((code) => {
    // One code occurs only on the stream.
    const isOnRest = ERROR_CODES[code].statuses.length > 0;
    return isOnRest ? documentOf(code).type : `http://here/docs/errors#${errorAnchor(code)}`;
  });
  assert.deepEqual(anchors, types);
  for (const { anchor } of page.headings) assert.ok(page.html.includes(`<h2 id="${anchor}">`));
});

test('every error begins with what to do', () => {
  const page = pages.find(({ address }) => address === '/docs/errors')!;
  const sections = page.html.split('<h2 ').slice(1);
  assert.equal(sections.length, Object.keys(ERROR_CODES).length);
  for (const section of sections) {
    assert.match(
      section,
      /^id="[\w-]+"><a [^>]+>[^<]+<\/a><\/h2>\n<p><strong>What to do\.<\/strong> /,
    );
  }
});

test('every page of docs/ has an address of its own, and all links between them lead somewhere', () => {
  const addresses = pages.map(({ address }) => address);
  assert.equal(new Set(addresses).size, addresses.length);
  assert.equal(addresses.length, sources.length);
  const anchors = new Map(
    pages.map(({ address, html }) => [
      address,
      new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)),
    ]),
  );
  let links = 0;
  for (const { address, html } of pages) {
    for (const [, href] of html.matchAll(/<a [^>]*href="([^"]+)"/g)) {
      if (/^https?:/.test(href!)) continue;
      if (href!.startsWith(VECTORS)) {
        readFileSync(join(vectors, href!.slice(VECTORS.length)));
        continue;
      }
      const [path, anchor] = href!.split('#') as [string, string?];
      const there = anchors.get(path === '' ? address : path);
      assert.ok(there !== undefined, `${address}: ${href}`);
      if (anchor !== undefined) assert.ok(there.has(anchor), `${address}: ${href}`);
      links += 1;
    }
  }
  assert.ok(links > 500);
});

test('addresses of others are written whole and safe; here is whom we link to', (context) => {
  const outside = pages.flatMap(({ address, html }) =>
    [...html.matchAll(/<a [^>]*href="(https?:[^"]+)"/g)].map(([, href]) => ({
      address,
      href: href!,
    })),
  );
  const ours = /^https?:\/\/(?:127\.0\.0\.1|localhost)[:/]/;
  const hosts = new Set<string>();
  for (const { address, href } of outside) {
    if (ours.test(href)) continue;
    assert.match(href, /^https:/, address);
    hosts.add(new URL(href).host);
  }
  context.diagnostic(`${outside.length} links to others: ${[...hosts].sort().join(', ')}`);
});

test('no page has a script, a style, a handler or an image of another origin [SEC-14]', () => {
  for (const { address, html } of pages) {
    const tags = html.match(/<[a-z][^>]*>/g) ?? [];
    for (const tag of tags) {
      assert.doesNotMatch(tag, /^<(?:script|style|iframe|object|form|base|meta|link)\b/, address);
      assert.doesNotMatch(tag, /\s(?:style|on\w+)=/, address);
      if (tag.startsWith('<img'))
        assert.match(tag, / src="\/docs\/(?:charts|drawings)\/[\w-]+\.svg"/);
    }
  }
});

test('links are rewritten, what is not on the site is only named, and scripts are no links', () => {
  const { html } = render(
    '[a](b.md#c) [d](../x.md) [e](https://e.example/?a=1&b=2) [f](javascript:alert(1)) [g](#h) [i](data:text/html,x) [j](//evil.example)',
    { 'client/b.md': '/docs/client/b' },
  );
  assert.equal(
    html,
    '<p><a href="/docs/client/b#c">a</a> d <a href="https://e.example/?a=1&amp;b=2">e</a> f <a href="#h">g</a> i j</p>\n',
  );
});

test('HTML in a page is text, but for places to link to', () => {
  const { html } = render(
    '<!-- mark -->\n\n<a id="x"></a>\n\na <b onclick="y">c</b>\n\n<script>z</script>\n',
  );
  assert.match(html, /<a id="x"><\/a>/);
  assert.doesNotMatch(html, /<b|<script|mark/);
  assert.match(html, /&lt;script&gt;z&lt;\/script&gt;/);
});

test('anchors are those of GitHub, and equal headings are numbered', () => {
  const { title, headings, lead } = render(
    '# The `page`\n\nFirst *words*: more.\n\n## A & b, c!\n\n## A & b, c!\n\n### `x_y`: z\n',
  );
  assert.equal(title, 'The page');
  assert.equal(lead, 'First words: more.');
  assert.deepEqual(
    headings.map(({ anchor }) => anchor),
    ['a--b-c', 'a--b-c-1', 'x_y-z'],
  );
});

test('every page has one audience: customers see no page for operators, and only contributors see decisions', () => {
  const audienceOf = (path: RegExp) =>
    groups
      .filter((group) => group.pages.some(({ address }) => path.test(address)))
      .map(({ audience }) => audience);
  assert.deepEqual(new Set(audienceOf(/^\/docs\/decisions\//)), new Set(['contributors']));
  assert.deepEqual(new Set(audienceOf(/^\/docs\/operating/)), new Set(['operators']));
  assert.deepEqual(new Set(audienceOf(/^\/docs\/guides\//)), new Set(['contributors']));
  assert.deepEqual(
    new Set(audienceOf(/^\/docs\/(?:quick-start|concepts|indicators|errors|billing)/)),
    new Set(['customers']),
  );
});

test('a page that the contents do not name stands in the last group', () => {
  const more: DocsSource[] = [
    ...sources.slice(0, 2),
    { path: 'new/thing.md', text: '# A thing\n' },
  ];
  const last = docsSite(more).at(-1)!;
  assert.deepEqual(
    last.pages.filter(({ name }) => name === 'A thing').map(({ address }) => address),
    ['/docs/new/thing'],
  );
});

test("pages of a folder stand in the order of its README's links, then by title", () => {
  const page = (path: string, title: string, more = ''): DocsSource => ({
    path,
    text: `# ${title}\n\n${more}`,
  });
  const [group] = docsSite([
    page('concepts/a.md', 'Zeta'),
    page('concepts/b.md', 'Last'),
    page('concepts/c.md', 'Alpha'),
    page('concepts/README.md', 'All concepts', '[x](b.md#there) [y](../errors.md)'),
  ]);
  assert.equal(group!.name, 'Concepts');
  assert.deepEqual(
    group!.pages.map(({ name, address }) => [name, address]),
    [
      ['All concepts', '/docs/concepts'],
      ['Last', '/docs/concepts/b'],
      ['Alpha', '/docs/concepts/c'],
      ['Zeta', '/docs/concepts/a'],
    ],
  );
});

test('paths are joined as they are written', () => {
  assert.equal(joined('a/b.md', '../c.md'), 'c.md');
  assert.equal(joined('a/b.md', './c/d.md'), 'a/c/d.md');
  assert.equal(joined('b.md', '../packages/x.md'), '../packages/x.md');
});
