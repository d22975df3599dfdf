/**
 * The page that opens Paddle's checkout. Paddle is not reachable here: without its script the page
 * reports that. With a stand-in script the checkout is opened, closed, opened again and paid.
 */

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { PortalStage } from './portal-stage.ts';

const PAGE =
  '/pay/paddle?return=%2Fplans%3Fpaid&back=%2Fplans%3Fback&_ptxn=txn_01h00000000000000000000007';
/** The part of Paddle.js that we use, and a frame from the checkout's origin. */
const STAND_IN = `window.Paddle = {
  calls: [],
  Environment: { set: (world) => Paddle.calls.push(world) },
  Initialize({ token, eventCallback }) {
    Paddle.tell = (name) => eventCallback({ name });
    Paddle.calls.push(token.slice(0, 5) + location.search);
  },
  Checkout: {
    open({ transactionId, settings }) {
      Paddle.calls.push(transactionId + ' ' + settings.displayMode + ' ' + settings.successUrl);
      const frame = document.createElement('iframe');
      frame.src = 'https://sandbox-buy.paddle.com/checkout';
      document.body.append(frame);
      Paddle.tell('checkout.loaded');
    },
  },
};`;

export async function walkPaddle(stage: PortalStage): Promise<void> {
  await using context = await stage.context();
  const page = await context.newPage();
  await page.route('https://cdn.paddle.com/**', (route) => route.abort());
  await page.goto(PAGE);
  const failed = page.getByRole('alert');
  await failed.waitFor();
  assert.match(
    String(await failed.textContent()),
    /could not be opened\s+Nothing was charged here/,
  );
  await page.unroute('https://cdn.paddle.com/**');
  await page.route('https://cdn.paddle.com/**', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: STAND_IN }),
  );
  await page.route('https://sandbox-buy.paddle.com/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<p>Card number</p>' }),
  );
  await failed.getByRole('link', { name: 'Try again' }).click();
  await page.frameLocator('iframe').getByText('Card number').waitFor();
  const opened = `txn_01h00000000000000000000007 overlay ${stage.url}/plans?paid`;
  assert.deepEqual(await callsOf(page), ['sandbox', 'test_', opened]);
  assert.ok(page.url().endsWith(PAGE), 'whoever loads the page again finds it again');
  await page.evaluate(`Paddle.tell('checkout.closed')`);
  await page.getByRole('button', { name: 'Open it again' }).click();
  assert.equal((await callsOf(page)).length, 4);
  await page.evaluate(`Paddle.tell('checkout.completed')`);
  await page.waitForURL('**/plans?paid');
}

function callsOf(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>('Paddle.calls');
}
