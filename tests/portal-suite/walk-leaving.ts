/**
 * A new address, approved at the old address and confirmed at the new one; then the deletion of the
 * account, confirmed by mail.
 */

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { axeFaults } from './looks.ts';
import { linkIn, type PortalStage } from './portal-stage.ts';
import { signIn } from './walks.ts';

const [OLD, NEW] = ['leaving@example.com', 'left@example.com'] as const;

export async function walkLeaving(stage: PortalStage): Promise<void> {
  await using context = await stage.context();
  const page = await signIn(stage, context, OLD);
  await page.goto('/account');
  await page.getByRole('button', { name: 'Change' }).click();
  await page.getByLabel('New address').fill(NEW);
  await page.getByRole('button', { name: 'Send the link' }).click();
  await page.getByText('Check the mail of').waitFor();
  const approval = linkIn((await stage.mail(OLD)).text);
  await open(page, approval, `Change your address to ${NEW}?`);
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('We wrote to').waitFor();
  // Opening the same mail again requests nothing and does not lead to sign-in.
  await open(page, approval, 'You are signed in');
  const confirmation = linkIn((await stage.mail(NEW)).text);
  await using elsewhere = await stage.context();
  const stranger = await elsewhere.newPage();
  await stranger.goto(confirmation);
  await stranger.getByRole('button', { name: 'Change address' }).click();
  await stranger.getByRole('heading', { name: 'Sign in first' }).waitFor();
  await open(page, confirmation, 'Change your address to');
  await page.getByRole('button', { name: 'Change address' }).click();
  await page.getByRole('heading', { name: 'Your address has changed' }).waitFor();
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByText(NEW).first().waitFor();
  await endAccount(stage, page);
}

async function endAccount(stage: PortalStage, page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Delete account' }).click();
  await page.getByLabel(/^Type/).fill('delete');
  await page.getByRole('button', { name: 'Send the link' }).click();
  await page.getByText('Check the mail of').waitFor();
  await open(page, await linkMailed(stage), 'Delete your account?');
  await page.getByRole('button', { name: 'Delete account' }).click();
  await page.getByRole('heading', { name: 'Your account will be deleted' }).waitFor();
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('button', { name: 'Keep the account' }).click();
  await page.getByText('Your keys, sessions and address are deleted 14 days after').waitFor();
}

/** The new address also gets a mail about the change, without a link, maybe just now. */
async function linkMailed(stage: PortalStage): Promise<string> {
  const { text } = await stage.mail(NEW);
  return text.includes('/sign-in#') ? linkIn(text) : linkMailed(stage);
}

/** Opens a link as a mail program does; axe finds nothing serious on the page. */
async function open(page: Page, link: string, heading: string): Promise<void> {
  await page.goto('about:blank');
  await page.goto(link);
  await page.getByRole('heading', { name: heading }).waitFor();
  assert.deepEqual(await axeFaults(page), []);
}
