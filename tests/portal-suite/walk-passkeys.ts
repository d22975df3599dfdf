/**
 * Passkeys with Chromium's virtual authenticator: added, used to sign in and to confirm a key,
 * required beside a link, lost and recovered, stopped by mail, removed. It uses `localhost`,
 * because browsers have no passkeys for IP addresses. npm's headless Chromium has no resident
 * credentials. So the test changes two responses: registration requests none, and sign-in names the
 * existing passkey.
 */

import assert from 'node:assert/strict';
import type { BrowserContext, Page } from 'playwright-core';
import { axeFaults } from './looks.ts';
import { linkIn, type PortalStage } from './portal-stage.ts';

const OWNER = 'passkeys@example.com';

export async function walkPasskeys(stage: PortalStage): Promise<void> {
  await using context = await stage.context();
  const page = await context.newPage();
  await addAuthenticator(context, page);
  await signInByLink(stage, page, 'Sign in');
  await addFirst(stage, page);
  await lookAtDialogs(stage, context);
  await createConfirmedKey(stage, page);
  await signOutAndIn(stage, page);
  await secondFactor(stage, page);
  await recoverAndStop(stage, page);
  await removeLast(stage, page);
}

async function addAuthenticator(context: BrowserContext, page: Page): Promise<void> {
  const session = await context.newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await change(context, '**/v1/portal/passkeys/new', async () => ({
    authenticatorSelection: { residentKey: 'discouraged', userVerification: 'required' },
  }));
  await change(context, '**/v1/portal/sign-in/passkey', async () => {
    const { credentials } = await session.send('WebAuthn.getCredentials', { authenticatorId });
    const idOf = (text: string) => Buffer.from(text, 'base64').toString('base64url');
    const allowCredentials = credentials.map(({ credentialId }) => ({
      id: idOf(credentialId),
      type: 'public-key',
    }));
    return { allowCredentials };
  });
}

async function change(
  context: BrowserContext,
  path: string,
  fields: () => Promise<object>,
): Promise<void> {
  await context.route(path, async (route) => {
    const response = await route.fetch();
    if (!response.ok()) return await route.fulfill({ response });
    await route.fulfill({ response, json: { ...(await response.json()), ...(await fields()) } });
  });
}

/** The same service by its host name. */
function atLocalhost(stage: PortalStage, path: string): string {
  const url = new URL(path, stage.url);
  url.hostname = 'localhost';
  return url.href;
}

async function signInByLink(stage: PortalStage, page: Page, button: string): Promise<void> {
  const link = await askForLink(stage, page);
  await page.goto('about:blank');
  await page.goto(atLocalhost(stage, link));
  await page.getByRole('button', { name: button, exact: true }).click();
  await page.waitForURL((url) => url.pathname === '/dashboard');
}

async function askForLink(stage: PortalStage, page: Page): Promise<string> {
  await page.goto(atLocalhost(stage, '/sign-in'));
  await page.getByLabel('E-mail').fill(OWNER);
  await page.getByLabel('E-mail').press('Enter');
  await page.getByText('Check your mail').waitFor();
  return await linkMailed(stage);
}

/** Skips mails about passkeys, which have no link or another one. */
async function linkMailed(stage: PortalStage, subject = /^Sign in/): Promise<string> {
  const mail = await stage.mail(OWNER);
  return subject.test(mail.subject) ? linkIn(mail.text) : linkMailed(stage, subject);
}

async function addFirst(stage: PortalStage, page: Page): Promise<void> {
  await page.goto(atLocalhost(stage, '/account'));
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  // An invalid name is reported before the browser creates a passkey, and the report disappears
  // with the fault.
  const name = page.getByLabel('Name');
  await name.fill('Test\u202e laptop');
  await page.getByRole('button', { name: 'Add passkey' }).click();
  await page.getByText('must have no control characters').waitFor();
  await name.fill('Test laptop');
  assert.equal(await name.getAttribute('aria-invalid'), null, 'the fault of a right name stays');
  await page.getByRole('button', { name: 'Add passkey' }).click();
  const card = page.locator('#passkeys');
  await card.getByRole('rowheader', { name: 'Test laptop' }).waitFor();
  await card.getByText('Never').waitFor();
}

/** In a separate page: Chromium's authenticator crashes in a page that axe has examined. */
async function lookAtDialogs(stage: PortalStage, context: BrowserContext): Promise<void> {
  const page = await context.newPage();
  await page.goto(atLocalhost(stage, '/account'));
  await page.getByRole('button', { name: 'Remove Test laptop' }).waitFor();
  assert.deepEqual(await axeFaults(page), []);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByRole('dialog', { name: 'Add a passkey' }).waitFor();
  assert.deepEqual(await axeFaults(page), []);
  await page.getByRole('button', { name: 'Add passkey' }).click();
  const dialog = page.getByRole('dialog', { name: 'Confirm with a passkey' });
  await dialog.getByText('To add another passkey').waitFor();
  assert.deepEqual(await axeFaults(page), []);
  await page.close();
}

async function createConfirmedKey(stage: PortalStage, page: Page): Promise<void> {
  await page.goto(atLocalhost(stage, '/keys'));
  await page.getByRole('button', { name: 'New key' }).first().click();
  await page.getByLabel('Name').fill('confirmed');
  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog', { name: 'Confirm with a passkey' });
  await dialog.getByText('To create a key').waitFor();
  // Cancelling creates nothing and leaves the form as it was.
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('This was not confirmed with a passkey.').waitFor();
  await page.getByRole('button', { name: 'Create key' }).click();
  await dialog.getByRole('button', { name: 'Use a passkey' }).click();
  await page
    .getByText(/svc_live_/)
    .first()
    .waitFor();
}

async function signOutAndIn(stage: PortalStage, page: Page): Promise<void> {
  await page.context().clearCookies();
  await page.goto(atLocalhost(stage, '/sign-in?next=/account'));
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.waitForURL((url) => url.pathname === '/account');
  await page.getByText(OWNER).first().waitFor();
  await page.locator('#passkeys').getByRole('rowheader', { name: 'Test laptop' }).waitFor();
  assert.equal(await page.locator('#passkeys').getByText('Never').count(), 0);
}

async function secondFactor(stage: PortalStage, page: Page): Promise<void> {
  await page.getByLabel('Ask for a passkey after a sign-in link.').check();
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByText('Sign-in links need a passkey.').waitFor();
  await page.context().clearCookies();
  await signInByLink(stage, page, 'Sign in with a passkey');
}

async function recoverAndStop(stage: PortalStage, page: Page): Promise<void> {
  const link = await askForLinkElsewhere(stage);
  await using elsewhere = await stage.context();
  const stranger = await elsewhere.newPage();
  await stranger.goto(atLocalhost(stage, link));
  await stranger.getByRole('button', { name: 'My passkeys are lost' }).click();
  await stranger.getByRole('heading', { name: 'Are your passkeys lost?' }).waitFor();
  assert.deepEqual(await axeFaults(stranger), []);
  await stranger.getByRole('button', { name: 'Remove them in 24 hours' }).click();
  await stranger.getByRole('heading', { name: 'Your passkeys will be removed' }).waitFor();
  await page.goto(atLocalhost(stage, '/dashboard'));
  await page.getByText('All passkeys will be removed on').waitFor();
  await page.getByRole('link', { name: 'Passkeys' }).click();
  await page.getByRole('button', { name: 'Keep the passkeys' }).waitFor();
  const stop = await linkMailed(stage, /will be removed$/);
  await stranger.goto('about:blank');
  await stranger.goto(atLocalhost(stage, stop));
  await stranger.getByRole('button', { name: 'Keep my passkeys' }).click();
  await stranger.getByRole('heading', { name: 'Your passkeys stay' }).waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'My passkeys are lost' }).waitFor();
  assert.equal(await page.getByText('All passkeys will be removed on').count(), 0);
}

/** In a browser without a passkey, as after its loss. */
async function askForLinkElsewhere(stage: PortalStage): Promise<string> {
  await using context = await stage.context();
  return await askForLink(stage, await context.newPage());
}

async function removeLast(stage: PortalStage, page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Remove Test laptop' }).click();
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByText('instead of a link').waitFor();
  await page.context().clearCookies();
  await signInByLink(stage, page, 'Sign in');
}
