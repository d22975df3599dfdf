/** The first day: a key whose commands work when pasted, a drawn bar, a bar streamed elsewhere. */

import assert from 'node:assert/strict';
import { TapeloomClient } from '@tapeloom/client';
import type { Page } from 'playwright-core';
import type { PortalStage } from './portal-stage.ts';
import { signIn } from './walks.ts';

/** This market never closes. */
const INSTRUMENT = 'BTC.c.0';

export async function walkFirstRun(stage: PortalStage): Promise<void> {
  await using context = await stage.context();
  const page = await signIn(stage, context, 'first-run@example.com');
  const secret = await makeKey(page);
  await requestUsage(stage, secret);
  await page.goto('/dashboard');
  await page.getByText('2 of 3 done').waitFor();
  {
    // A program of the same account uses the sandbox's only connection.
    await using client = new TapeloomClient({ url: stage.url, key: secret });
    const subscription = client.subscribe({ indicator: 'footprint', instrument: INSTRUMENT });
    await subscription.ready;
    const asked = performance.now();
    await page.getByRole('button', { name: 'Open a stream' }).click();
    await page.getByText('All connections of your plan are in use').waitFor();
    assert.ok(performance.now() - asked < 10_000, 'it was not said at once');
    for await (const _ of subscription) if (subscription.state.objects.size > 0) break;
  }
  // The program's stream completes the step, in every browser.
  await page.getByText('Your first day').waitFor({ state: 'detached' });
  await using elsewhere = await stage.context();
  const other = await signIn(stage, elsewhere, 'first-run@example.com');
  await other.getByText('REST requests').waitFor();
  assert.equal(await other.getByText('Your first day').count(), 0);
}

/** The bar appears after a click and stays until the reader closes it. */
export async function walkFirstBar(stage: PortalStage): Promise<void> {
  await using context = await stage.context();
  const page = await signIn(stage, context, 'first-bar@example.com');
  await requestUsage(stage, await makeKey(page));
  await page.goto('/dashboard');
  await page.getByRole('button', { name: 'Open a stream' }).click();
  await page.getByText('Your first bar arrived').waitFor();
  const canvas = page.locator('.bar-canvas canvas');
  await canvas.waitFor();
  const colours = (await page.evaluate(`(() => {
    const canvas = document.querySelector('.bar-canvas canvas');
    const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(pixels.data.buffer)).size;
  })()`)) as number;
  assert.ok(colours > 20, `a chart has more than ${colours} colours`);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('Your first day').waitFor({ state: 'detached' });
}

async function makeKey(page: Page): Promise<string> {
  await page.goto('/keys#new');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: /create/i }).click();
  const name = dialog.getByLabel('Name');
  assert.equal(await name.getAttribute('aria-invalid'), 'true');
  await name.fill('first');
  assert.equal(await name.getAttribute('aria-invalid'), null, 'the fault of a right value stays');
  await dialog.getByRole('button', { name: /create/i }).click();
  const secret = ((await dialog.locator('.secret-value').textContent()) ?? '').trim();
  const lines = ((await dialog.locator('.paste').textContent()) ?? '').trim().split('\n');
  assert.equal(lines[0], `export TAPELOOM_KEY=${secret}`);
  await dialog.getByRole('button', { name: 'Copy lines' }).waitFor();
  await dialog.getByLabel('I have stored it').check();
  await dialog.getByRole('button', { name: 'Done' }).click();
  return secret;
}

async function requestUsage(stage: PortalStage, secret: string): Promise<void> {
  const headers = { authorization: `Bearer ${secret}` };
  assert.equal((await fetch(`${stage.url}/v1/usage`, { headers })).status, 200);
}
