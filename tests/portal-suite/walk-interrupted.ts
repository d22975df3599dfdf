/** Interruptions in the middle of a task: the session, a table row or the service disappears. */

import assert from 'node:assert/strict';
import type { BrowserContext, Page } from 'playwright-core';
import type { PortalStage } from './portal-stage.ts';
import { signIn } from './walks.ts';

/** How often the overview refreshes. */
const LOOKS_AGAIN_MS = 10_000;

const focused = (page: Page) =>
  page.evaluate<string>('document.activeElement.textContent || document.activeElement.tagName');

/** The end of a session discards neither typed input nor a shown secret. */
export async function walkSessionEnds(stage: PortalStage): Promise<void> {
  const email = 'interrupted@example.com';
  await using context = await stage.context();
  const page = await signIn(stage, context, email);
  await page.goto('/keys');
  await page.getByRole('button', { name: 'New key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('half typed');
  await dialog.getByText('Restrict this key').click();
  const instruments = dialog.getByLabel('Instruments');
  for (const name of ['ES.c.0', 'NQ.c.0']) {
    // The last letter of a known name accepts it; the Enter that follows does not submit the form.
    await instruments.pressSequentially(name);
    await instruments.press('Enter');
  }
  assert.equal(await dialog.locator('.token').count(), 2, 'Enter after a name made the key');
  await context.clearCookies();
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await dialog.getByRole('link', { name: 'Sign in in another tab' }).waitFor();
  const foot = (await dialog.locator('.dialog-foot').boundingBox())!.y;
  const link = (await dialog.getByRole('link').last().boundingBox())!;
  assert.ok(link.y + link.height <= foot, 'what went wrong is out of sight');
  assert.equal(await dialog.getByLabel('Name').inputValue(), 'half typed');
  const other = await signIn(stage, context, email);
  await other.close();
  await dialog.getByRole('button', { name: 'Create key' }).click();
  const secret = dialog.locator('.secret-value');
  await secret.waitFor();
  const looked = page.waitForResponse((answer) => answer.status() === 401);
  await context.clearCookies();
  await looked;
  await page.waitForTimeout(200);
  assert.ok(await secret.isVisible(), 'the only sight of the secret went with the session');
}

/** Keyboard focus stays in place when the focused element changes. */
export async function walkFocus(page: Page): Promise<void> {
  await page.goto('/dashboard');
  const month = page.getByLabel('Month');
  await month.focus();
  await month.selectOption({ index: 1 });
  await page
    .getByText(/^By key|Nothing was used|were left/)
    .first()
    .waitFor();
  assert.match(await focused(page), /20\d\d/, 'the choice of a month lost the focus');
  await page.goto('/account');
  await page.getByRole('button', { name: 'Change' }).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  // The focus returns when the button is drawn again.
  await page.locator('button:focus', { hasText: /^Change$/ }).waitFor();
}

/** Stale numbers are marked when a refresh fails, and unmarked when one succeeds. */
export async function walkServiceDown(context: BrowserContext): Promise<void> {
  const page = await context.newPage();
  await page.clock.install();
  await page.goto('/dashboard');
  await page.getByLabel('Month').waitFor();
  await page.route('**/v1/portal/**', (route) => route.abort());
  await page.clock.fastForward(LOOKS_AGAIN_MS);
  await page.getByText('These numbers are out of date').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).first().click();
  await page.getByText('You are still signed in').waitFor();
  await page.unroute('**/v1/portal/**');
  await page.clock.fastForward(LOOKS_AGAIN_MS);
  await page.getByText('These numbers are out of date').waitFor({ state: 'hidden' });
  await page.close();
}
