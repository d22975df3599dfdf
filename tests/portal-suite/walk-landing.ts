/**
 * The landing page as a visitor sees it: text and a first frame without scripts, a moving chart, a
 * connection that recovers from a cut with nothing missing, a pause, a table of the same bars, and
 * no motion for visitors who prefer less.
 */

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { WAIT_LIMIT_MS } from '../running-service.ts';
import type { PortalStage } from './portal-stage.ts';

export async function walkLanding(stage: PortalStage): Promise<void> {
  await withoutScript(stage);
  await using context = await stage.context();
  const page = await context.newPage();
  await page.goto('/');
  await page.getByText(/updates so far, 0 missed, 0 twice/).waitFor();
  await page.locator('.plan .price', { hasText: '+' }).waitFor();
  await page.getByRole('button', { name: 'Cut the connection' }).click();
  await page.getByText(/Reconnecting, away for/).waitFor();
  const resumed = page.getByText(/Back after .* updates caught up, 0 missed, 0 twice/).first();
  await resumed.waitFor();
  await checkTable(page);
  await checkPause(page);
  await page.getByRole('tab', { name: 'Node' }).press('ArrowRight');
  await page.getByRole('tabpanel').getByText('@tapeloom/client/stream').waitFor();
  assert.ok((await page.getByRole('tabpanel').textContent())?.includes(stage.url));
  await withLessMotion(stage);
}

/** All of its text, and the first frame. */
async function withoutScript(stage: PortalStage): Promise<void> {
  await using context = await stage.browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(stage.url);
  await page.getByRole('heading', { level: 1, name: /Every trade, woven/ }).waitFor();
  assert.equal(await page.locator('.still-wide').isVisible(), true);
  assert.equal(await page.locator('.catalogue li').count(), 15);
}

async function checkTable(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Show as table' }).click();
  const table = page.getByRole('table', { name: /newest bars/ });
  assert.equal(await table.getByRole('row').count(), 9);
  assert.match((await table.getByRole('row').nth(1).textContent()) ?? '', /forming/);
}

/** The paused view stays and then continues. */
async function checkPause(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Pause the replay' }).click();
  const json = page.locator('.wire-json');
  const before = await json.textContent();
  await page.waitForTimeout(700);
  assert.equal(await json.textContent(), before);
  await page.getByRole('button', { name: 'Play the replay' }).click();
  // Polled from here, because the page's policy forbids evaluating text in the page.
  const deadline = AbortSignal.timeout(WAIT_LIMIT_MS);
  while ((await json.textContent()) === before) {
    deadline.throwIfAborted();
    await page.waitForTimeout(100);
  }
}

/** Nothing is fetched and nothing moves before Play. */
async function withLessMotion(stage: PortalStage): Promise<void> {
  await using context = await stage.browser.newContext({ reducedMotion: 'reduce' });
  const page = await context.newPage();
  const fetched: string[] = [];
  page.on('request', (request) => fetched.push(request.url()));
  await page.goto(stage.url);
  const play = page.getByRole('button', { name: 'Play the replay' });
  await play.waitFor();
  assert.ok(!fetched.some((url) => url.endsWith('.gz')));
  await play.click();
  await page.getByText(/updates so far/).waitFor();
}
