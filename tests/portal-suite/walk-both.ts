/** Both offers chosen at once: two orders in turn, left unpaid, resumed, offered until bought. */

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { PortalStage } from './portal-stage.ts';
import { signIn } from './walks.ts';

const COMPANY = 'Weber GmbH';

export async function walkBoth(stage: PortalStage): Promise<void> {
  await using context = await stage.context();
  const page = await signIn(stage, context, 'both@example.com');
  await page.goto('/plans');
  await page.getByRole('link', { name: 'Add Live and Historical' }).click();
  await page.getByText('Both, order 1 of 2').waitFor();
  await page.getByLabel('Name or company').fill(COMPANY);
  const payment = await order(page);
  // Left unpaid: the order shows what is known, with payment first.
  await page.goto('/orders');
  const acts = page.locator('.order-acts');
  await acts.getByRole('button', { name: /^Give up/ }).waitFor();
  assert.deepEqual(
    (await acts.locator('a, button').allTextContents()).map((text) => text.split(' order')[0]),
    ['Pay', 'Give up'],
  );
  await billedOnOneEdge(page);
  const id = (await page.locator('.order-id').first().textContent())!;
  await page.goto(`/orders?order=${id}`);
  await page.getByText('Waiting for the provider’s confirmation').waitFor();
  assert.equal(await page.getByText(/payment received/i).count(), 0);
  await acts.getByRole('link', { name: /^Pay/ }).click();
  await page.waitForURL(payment);
  await page.getByRole('button', { name: /^Order and pay €?[\d.,]+/ }).click();
  await page.waitForURL((url) => url.pathname === '/orders');
  await page.getByText('Order 1 of 2 is done: you have Historical.').waitFor();
  await page.goto('/dashboard');
  await page.getByRole('link', { name: 'Order Live' }).click();
  await page.getByText('Both, order 2 of 2').waitFor();
  // Overview's styles are still loaded, and none may apply to this page.
  const names = await page.locator('.both-steps b:not(.num)').all();
  const edges = await Promise.all(names.map(async (name) => (await name.boundingBox())!.x));
  assert.deepEqual([edges.length, new Set(edges).size], [2, 1], `names begin at ${edges}`);
  await order(page);
  await page.getByRole('button', { name: /^Order and pay €?[\d.,]+/ }).click();
  await page.waitForURL((url) => url.pathname === '/orders');
  await page.getByText('Live is on.').waitFor();
  const account = await page.evaluate(`fetch('/v1/portal/account').then((it) => it.json())`);
  assert.deepEqual(
    (({ plan, otherHalf }) => ({ plan, otherHalf }))(account as Record<string, unknown>),
    { plan: 'live_history', otherHalf: null },
  );
}

/** On a narrow screen an order is a card: the billed name aligns right, the country below it. */
async function billedOnOneEdge(page: Page): Promise<void> {
  const wide = page.viewportSize()!;
  await page.setViewportSize({ width: 768, height: 900 });
  const cell = page.getByRole('cell').filter({ hasText: COMPANY });
  const edge = async (text: string) => {
    const { x, width } = (await cell.getByText(text, { exact: true }).boundingBox())!;
    return Math.round(x + width);
  };
  assert.equal(await edge(COMPANY), await edge('Germany'));
  await page.setViewportSize(wide);
}

/** Fills the form; returns the address of the payment page. */
async function order(page: Page): Promise<string> {
  await page.getByLabel('Country').selectOption('DE');
  await page.getByRole('checkbox').first().check();
  const button = page.getByRole('button', { name: /^Continue to payment/ });
  assert.ok((await button.boundingBox())!.height <= 46, 'its words need two lines');
  await button.click();
  await page.waitForURL(/\/pay\/test\//);
  return page.url();
}
