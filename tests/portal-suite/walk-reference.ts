/**
 * The API reference: complete without scripts. With scripts, a signed-in visitor can try it over
 * REST and over the stream. No page has a field for a key.
 */

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { axeFaults } from './looks.ts';
import type { PortalStage } from './portal-stage.ts';

const REST = '/docs/reference/rest';
const STREAM = '/docs/reference/stream';

/** `page` belongs to a signed-in visitor. */
export async function walkReference(stage: PortalStage, page: Page): Promise<void> {
  await withoutScript(stage);
  await signedOut(stage);
  await tryRest(page);
  await tryStream(page);
}

async function withoutScript(stage: PortalStage): Promise<void> {
  await using context = await stage.browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(stage.url + REST);
  await page.getByRole('heading', { name: 'GET /v1/history', exact: true }).waitFor();
  await page.goto(stage.url + STREAM);
  await page.getByRole('heading', { name: 'subscribe', exact: true }).waitFor();
}

async function signedOut(stage: PortalStage): Promise<void> {
  await using context = await stage.context();
  const page = await context.newPage();
  await page.goto(`${REST}#get-v1history`);
  const operation = page.locator('#operations-History-getHistory');
  const link = operation.getByRole('link', { name: 'Sign in to try it' });
  assert.equal(await link.getAttribute('href'), `/sign-in?next=${encodeURIComponent(REST)}`);
  assert.equal(await operation.getByRole('button', { name: 'Try it out' }).count(), 0);
  // Signed-out visitors can try operations without a key.
  await page.locator('#operations-Service-getStatus .opblock-summary-control').click();
  const status = page.locator('#operations-Service-getStatus');
  await status.getByRole('button', { name: 'Try it out' }).click();
  await status.getByRole('button', { name: 'Execute' }).click();
  await status.locator('.live-responses-table').getByText('200', { exact: true }).waitFor();
  await page.goto(STREAM);
  await page.getByRole('link', { name: 'Sign in to try it' }).waitFor();
}

async function tryRest(page: Page): Promise<void> {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(`${REST}#get-v1historyestimate`);
  const operation = page.locator('#operations-History-estimateHistory');
  await operation.getByText("It runs with your session and your plan's rights").waitFor();
  await operation.getByRole('button', { name: 'Try it out' }).click();
  await operation.getByRole('button', { name: 'Execute' }).click();
  const answer = operation.locator('.live-responses-table');
  await answer.getByText('200', { exact: true }).waitFor();
  await answer.getByText(/"remainingComputeUnits"/).waitFor();
  assert.ok(asked.includes('/v1/portal/try/history/estimate'));
  assert.ok(!asked.includes('/v1/history/estimate'));
  // The command to copy is for a program, with a placeholder for its key.
  const curl = (await operation.locator('.curl-command').textContent()) ?? '';
  assert.match(curl, /\/v1\/history\/estimate\?/);
  assert.match(curl, /Authorization: Bearer YOUR_KEY/);
  assert.equal(await page.getByRole('button', { name: 'Authorize' }).count(), 0);
  assert.equal(await page.locator('input[type="password"]').count(), 0);
  assert.deepEqual(await axeFaults(page), []);
  await page.locator('#operations-Keys-createKey .opblock-summary-control').click();
  await page.getByRole('link', { name: 'Open Keys' }).waitFor();
}

async function tryStream(page: Page): Promise<void> {
  await page.goto(STREAM);
  const panel = page.locator('.stream-console');
  await panel.getByRole('button', { name: 'Connect', exact: true }).click();
  await panel.getByText('Connected', { exact: true }).waitFor();
  await panel.getByLabel('Example').selectOption({ label: 'Subscribe to Bars' });
  await panel.getByRole('button', { name: 'Send' }).click();
  await panel.getByText('came snapshot').waitFor();
  await panel.getByRole('button', { name: 'Ping' }).click();
  await panel.getByText('came pong').waitFor();
  await panel.getByRole('button', { name: 'Resume from last cursor' }).click();
  await panel.getByText(/"from":\{"cursor":"\d{8}\.\d+\.\d+"\}/).waitFor();
  await panel.getByText('came subscribed').nth(1).waitFor();
  await panel.getByLabel('Message', { exact: true }).fill('{"t":');
  await panel.getByRole('button', { name: 'Send' }).click();
  await panel.getByRole('alert').getByText('This is not JSON').waitFor();
  assert.doesNotMatch((await page.content()) ?? '', /svc_token_[0-9A-Za-z]{10}/);
  assert.deepEqual(await axeFaults(page), []);
  await panel.getByRole('button', { name: 'Unsubscribe bars' }).click();
  await panel.getByText('sent unsubscribe').nth(1).waitFor();
  await panel.getByRole('button', { name: 'Disconnect' }).click();
  await panel.getByText('Not connected').waitFor();
}
