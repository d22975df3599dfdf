/**
 * The page of an indicator as a reader uses it. Nothing connects before a click. Signed-out
 * visitors see a recorded minute; signed-in visitors see the live market, with parameters validated
 * before they are sent.
 */

import assert from 'node:assert/strict';
import type { Page, WebSocket } from 'playwright-core';
import { WAIT_LIMIT_MS } from '../running-service.ts';
import type { PortalStage } from './portal-stage.ts';

const PAGE = '/docs/indicators/footprint';

export async function walkIndicators(stage: PortalStage, signedIn: Page): Promise<void> {
  await walkRecorded(stage);
  await walkMarket(signedIn);
  await walkOpened(signedIn);
}

async function walkRecorded(stage: PortalStage): Promise<void> {
  await using context = await stage.context();
  const page = await context.newPage();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(PAGE);
  const play = page.getByRole('button', { name: 'Play the recorded minute' });
  await play.waitFor();
  const early = asked.filter((path) => /live-part|\.gz$|^\/v1\//.test(path));
  assert.deepEqual(early, [], 'something of the live part was loaded before a click');
  await play.click();
  const part = page.getByRole('region', { name: 'Recorded minute' });
  await part.getByText('Recorded', { exact: true }).waitFor();
  await part.getByRole('img', { name: /Footprint of ESZ6/ }).waitFor();
  await moves(page);
  assert.equal(
    await part.getByRole('link', { name: 'Sign in to see it live' }).getAttribute('href'),
    `/sign-in?next=${encodeURIComponent(PAGE)}`,
  );
  await part.getByRole('button', { name: 'Pause' }).click();
  await part.getByRole('button', { name: 'Play' }).waitFor();
  assert.equal(await page.locator('[style], style').count(), 0, 'a style that the policy forbids');
  assert.ok(
    !asked.some((path) => path.startsWith('/v1/portal/')),
    'a stranger asked as a customer',
  );
}

async function walkMarket(page: Page): Promise<void> {
  const sockets: WebSocket[] = [];
  const sent: string[] = [];
  page.on('websocket', (socket) => {
    sockets.push(socket);
    socket.on('framesent', ({ payload }) => sent.push(String(payload)));
  });
  await page.goto('/docs/indicators/bars');
  await page.getByRole('button', { name: 'Open it live' }).click();
  const part = page.getByRole('region', { name: 'Live chart' });
  await part.getByText(/^Live/).waitFor();
  await part.getByRole('img', { name: /Bars of / }).waitFor();
  await part.getByText(/uses 1 of \d+ connections?, 1 of \d+ subscriptions?, 0 of/).waitFor();
  await moves(page);
  await part.getByText('Instrument and parameters').click();
  await part.getByLabel('size').fill('0');
  await part.getByRole('button', { name: 'Apply' }).click();
  await part.getByText(/Must be a whole number from 1 to/).waitFor();
  await part.getByLabel('size').fill('5');
  await part.getByRole('button', { name: 'Apply' }).click();
  await part.getByText(/1 of \d+ custom configurations?/).waitFor();
  await part.getByText(/^Live/).waitFor();
  await moves(page);
  const asked = sent.filter((text) => text.includes('"subscribe"'));
  assert.match(asked.at(-1)!, /"indicator":"bars".*"params":\{"size":5\}/);
  assert.equal(asked.length, 2);
  assert.ok(!sent.some((text) => /svc_(?:live|test)_/.test(text)), 'a key in a page');
  await part.getByRole('button', { name: 'Stop' }).click();
  await part.getByText('Closed', { exact: true }).waitFor();
  const deadline = AbortSignal.timeout(WAIT_LIMIT_MS);
  while (sockets.some((socket) => !socket.isClosed())) {
    deadline.throwIfAborted();
    await page.waitForTimeout(50);
  }
}

/** Opened by a replay's link: the live chart starts by itself and is in view. */
async function walkOpened(page: Page): Promise<void> {
  await page.goto(`${PAGE}?live`);
  const part = page.getByRole('region', { name: 'Live chart' });
  await part.getByText(/^Live/).waitFor();
  await part.getByRole('img', { name: /Footprint of / }).waitFor();
  const { y } = (await part.boundingBox())!;
  const { height } = page.viewportSize()!;
  assert.ok(y >= 0 && y < height / 2, `the chart begins at ${y} of ${height} px`);
  await part.getByRole('button', { name: 'Stop' }).click();
}

/** A further message arrives and the chart is redrawn. */
async function moves(page: Page): Promise<void> {
  const message = page.locator('.live-message code');
  const chart = page.locator('.live-chart svg');
  await chart.waitFor();
  const [text, drawing] = [await message.textContent(), await chart.innerHTML()];
  const deadline = AbortSignal.timeout(WAIT_LIMIT_MS);
  while ((await message.textContent()) === text || (await chart.innerHTML()) === drawing) {
    deadline.throwIfAborted();
    await page.waitForTimeout(100);
  }
}
