/**
 * The documentation as a reader uses it: search by keyboard alone, code tabs, print, and pages as
 * Markdown. It requests nothing from any other address.
 */

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { PortalStage } from './portal-stage.ts';

/**
 * One page of each kind: contents, prose with drawings, an indicator, errors, signatures, commands,
 * a long table, changes.
 */
export const DOCS_PAGES: readonly string[] = [
  '/docs',
  '/docs/quick-start',
  '/docs/concepts/resume',
  '/docs/indicators',
  '/docs/indicators/footprint',
  '/docs/indicators/tpo',
  '/docs/errors',
  '/docs/client/stream',
  '/docs/client',
  '/docs/limits',
  '/docs/changelog',
];

export async function walkDocs(stage: PortalStage): Promise<void> {
  await using context = await stage.context();
  const page = await context.newPage();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto('/docs/errors');
  await search(page, asked);
  await tabs(page);
  await onPaper(page);
  await asMarkdown(stage);
  await forMachines(stage);
  const elsewhere = asked.filter((url) => !url.startsWith(stage.url));
  assert.deepEqual(elsewhere, []);
  assert.equal(await page.locator('[style]:not(html), style').count(), 0);
}

async function search(page: Page, asked: readonly string[]): Promise<void> {
  assert.ok(
    !asked.some((url) => url.includes('search-')),
    'the search was loaded before it was used',
  );
  assert.equal(await page.getByRole('button', { name: /search/i }).count(), 1);
  assert.equal(await page.getByRole('searchbox').count(), 0, 'there are two ways to search');
  await page.keyboard.press('/');
  const field = page.getByRole('combobox', { name: 'Search the documentation' });
  await field.waitFor();
  assert.ok(await field.evaluate((it) => it.ownerDocument.activeElement === it));
  await page.keyboard.type('quota excee');
  const first = page.getByRole('option').first();
  await first.getByText('Quota exceeded').waitFor();
  await page
    .getByRole('status')
    .filter({ hasText: /^\d+ results?$/ })
    .waitFor({ state: 'attached' });
  await page.keyboard.press('ArrowDown');
  const second = page.getByRole('option').nth(1);
  assert.equal(await second.getAttribute('aria-selected'), 'true');
  assert.equal(await field.getAttribute('aria-activedescendant'), await second.getAttribute('id'));
  await page.keyboard.press('ArrowUp');
  await first.locator('mark').first().waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.pathname === '/docs/errors' && url.hash === '#quota-exceeded');
  await field.waitFor({ state: 'hidden' });
  await page.keyboard.press('Control+k');
  await field.fill('zzzzzzzz');
  await page.getByText('Nothing found for “zzzzzzzz”.').first().waitFor();
  await page.keyboard.press('Escape');
  await field.waitFor({ state: 'hidden' });
  await page.setViewportSize({ width: 360, height: 740 });
  await page.getByRole('button', { name: 'Search the docs' }).first().click();
  await field.fill('cursor');
  await page.getByRole('option').first().waitFor();
  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  assert.equal(await page.evaluate(overflow), 0);
  await page.getByRole('button', { name: 'Close' }).click();
  await page.setViewportSize({ width: 1_440, height: 900 });
}

async function tabs(page: Page): Promise<void> {
  await page.goto('/docs/indicators/footprint');
  const list = page.getByRole('tablist').first();
  const names = await list.getByRole('tab').allTextContents();
  assert.ok(names.length > 1);
  await list.getByRole('tab').first().focus();
  await page.keyboard.press('ArrowRight');
  const panels = page.locator('.docs-tabs').first().getByRole('tabpanel');
  assert.equal(await panels.count(), 1, 'more than one panel is shown');
  await page.goto('/docs/indicators/vwap');
  const chosen = page.getByRole('tab', { selected: true }).first();
  assert.equal(await chosen.textContent(), names[1], 'the language was not kept');
}

async function onPaper(page: Page): Promise<void> {
  await page.emulateMedia({ media: 'print' });
  for (const name of ['.docs-contents', '.top', '.foot', '.docs-copy', '[role=tablist]']) {
    assert.equal(await page.locator(name).first().isVisible(), false, `${name} is on paper`);
  }
  const panels = await page.locator('.docs-tabs').first().locator('.docs-code').all();
  for (const panel of panels) assert.ok(await panel.isVisible(), 'a tab is missing on paper');
  await page.emulateMedia({ media: 'screen' });
}

async function asMarkdown(stage: PortalStage): Promise<void> {
  for (const [path, type] of [
    ['/docs/errors.md', 'text/markdown'],
    ['/docs.md', 'text/markdown'],
    ['/llms.txt', 'text/plain'],
    ['/llms-full.txt', 'text/plain'],
    ['/docs/changelog.atom', 'application/atom+xml'],
  ] as const) {
    const answer = await fetch(`${stage.url}${path}`);
    assert.equal(answer.status, 200, path);
    assert.ok(answer.headers.get('content-type')?.startsWith(type), path);
    assert.ok((await answer.text()).includes(`${stage.url}/docs/`), `${path} has other addresses`);
  }
}

/**
 * Files that search engines, browsers and chat programs request, and the client package for users
 * whose registry does not have it.
 */
async function forMachines({ url }: PortalStage): Promise<void> {
  const textOf = async (path: string) => {
    const answer = await fetch(`${url}${path}`);
    assert.equal(answer.status, 200, path);
    return await answer.text();
  };
  assert.ok((await textOf('/robots.txt')).includes(`Sitemap: ${url}/sitemap.xml`));
  assert.ok((await textOf('/sitemap.xml')).includes(`<loc>${url}/docs/billing</loc>`));
  for (const page of ['/', '/docs/billing']) {
    const image = /<meta property="og:image" content="([^"]*)"/.exec(await textOf(page))?.[1];
    assert.equal(image, `${url}/social.png`);
  }
  for (const [path, type] of [
    ['/favicon.ico', 'image/x-icon'],
    ['/social.png', 'image/png'],
    ['/downloads/tapeloom-client.tgz', 'application/gzip'],
  ]) {
    const answer = await fetch(`${url}${path}`);
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, type]);
  }
  // The service cannot know the address of the source repository.
  const start = (await textOf('/docs/quick-start.md')).replace('example.com/tapeloom.git', '');
  assert.doesNotMatch(start, /example\.com/);
}
