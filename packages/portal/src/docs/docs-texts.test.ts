import assert from 'node:assert/strict';
import { test } from 'node:test';
import { docsSources } from '../../build-steps/docs-pages.ts';
import { changelogFeed } from './changelog-feed.ts';
import { docsSite } from './docs-site.ts';
import { llmsFullText, llmsText } from './language-model-pages.ts';
import { renderMarkdown } from './markdown.ts';
import { rawMarkdown } from './raw-markdown.ts';

const groups = docsSite(docsSources());
const pages = groups.flatMap((group) => group.pages);
const place = {
  path: 'client/a.md',
  addressOf: (path: string) => (path === 'errors.md' ? '/docs/errors' : null),
};

test('the Markdown of a page has whole links, and nothing that is for our tests', () => {
  const raw = rawMarkdown(
    [
      '<!-- begin x -->',
      '# A [page](../errors.md#b)',
      '',
      '![Chart](../charts/bars.svg) [out](https://e.example/) [gone](../nowhere.md) [here](#there)',
      '',
      '```sh lines=2 not-run="no reason"',
      'echo "[not](a-link.md)" <!-- kept -->',
      '```',
    ].join('\n'),
    place,
  );
  assert.equal(
    raw,
    [
      '# A [page](http://127.0.0.1:8080/docs/errors.md#b)',
      '',
      '![Chart](http://127.0.0.1:8080/docs/charts/bars.svg) [out](https://e.example/) gone [here](#there)',
      '',
      '```sh',
      'echo "[not](a-link.md)" <!-- kept -->',
      '```',
    ].join('\n'),
  );
});

test('every link in the Markdown of a page leads to Markdown or a file that is there', () => {
  const addresses = new Set(pages.map(({ address }) => `${address}.md`));
  for (const { address, raw } of pages) {
    for (const [, target] of raw.matchAll(/\]\(http:\/\/127\.0\.0\.1:8080(\/docs[^)#]*)/g)) {
      if (/^\/docs\/(?:charts|drawings|vectors)\//.test(target!)) continue;
      assert.ok(addresses.has(target!), `${address}: ${target}`);
    }
  }
});

test("what is said of the reader's own machine is not said of the service that shows it", () => {
  // A service replaces the other address by its public one.
  for (const address of ['/docs/quick-start', '/docs/cli', '/docs/client/api']) {
    const page = pages.find((one) => one.address === address)!;
    assert.match(page.html, /http:\/\/localhost:8080/, address);
    assert.doesNotMatch(page.html, /127\.0\.0\.1:8080/, address);
  }
});

test('the list for assistants names every page with what it is about', () => {
  const list = llmsText(groups);
  assert.match(list, /^# Tapeloom\n\n> Tapeloom weaves /);
  for (const { address } of pages) assert.ok(list.includes(`(http://127.0.0.1:8080${address}.md)`));
  const full = llmsFullText(groups);
  assert.ok(full.includes('# Errors'));
  assert.ok(!full.includes('/docs/decisions/0001'));
});

test('the feed of changes has an entry per release, and what is not released is dated by the file', () => {
  const page = renderMarkdown(
    '# Changes\n\n## Unreleased\n\n- A & b\n\n## 0.2.0 - 2026-11-20\n\nSee [errors](../errors.md).\n',
    place,
  );
  const changedAt = new Date('2026-12-01T10:00:00Z');
  const docsPage = { ...page, address: '/docs/changelog', name: 'Changes', raw: '' };
  const feed = changelogFeed(docsPage, changedAt);
  assert.equal(feed.match(/<entry>/g)!.length, 2);
  assert.match(feed, /<updated>2026-12-01T10:00:00.000Z<\/updated>\n<author>/);
  assert.match(feed, /<title>0\.2\.0 - 2026-11-20<\/title>\n<id>http:[^<]+#020---2026-11-20<\/id>/);
  assert.match(feed, /<updated>2026-11-20T00:00:00.000Z<\/updated>/);
  assert.match(feed, /&lt;li&gt;A &amp;amp; b/);
  assert.match(feed, /&lt;a href=&quot;http:\/\/127\.0\.0\.1:8080\/docs\/errors&quot;/);
});

test('code is coloured by classes and says its language; adjacent tabs are one block', () => {
  const { html } = renderMarkdown(
    [
      '```ts file=a.ts',
      'const x = "<b>";',
      '```',
      'Between.',
      '```sh tab="curl" not-run="x"',
      'curl x',
      '```',
      '',
      '```python tab="Python"',
      'import json',
      '```',
      '```session',
      '> {"t":"ping"}',
      '```',
    ].join('\n'),
    place,
  );
  assert.match(html, /<div class="docs-code-head"><span>a\.ts<\/span><\/div>/);
  assert.match(html, /<span class="hljs-keyword">const<\/span>/);
  assert.match(html, /&lt;b&gt;/);
  assert.equal(html.match(/docs-tabs/g)!.length, 1);
  const tabs = html.slice(html.indexOf('docs-tabs'), html.indexOf('Session'));
  assert.match(tabs, /<span>curl<\/span>[\s\S]*<span>Python<\/span>/);
  assert.doesNotMatch(html, /not-run/);
  assert.match(html, /<span class="docs-way">&gt; <\/span>/);
});
