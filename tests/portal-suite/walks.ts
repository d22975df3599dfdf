/** The main tasks in the portal, from the first page to a paid plan, in a real browser. */

import assert from 'node:assert/strict';
import type { BrowserContext, Page } from 'playwright-core';
import { linkIn, type PortalStage } from './portal-stage.ts';

/** Requests a link, opens it from the mail, and signs in. */
export async function signIn(
  stage: PortalStage,
  context: BrowserContext,
  email: string,
): Promise<Page> {
  const page = await context.newPage();
  await page.goto('/sign-in');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('E-mail').press('Enter');
  await page.getByText('Check your mail').waitFor();
  const { text } = await stage.mail(email);
  await page.goto('about:blank');
  await page.goto(linkIn(text));
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL((url) => url.pathname === '/dashboard');
  await page.getByRole('heading', { level: 1 }).waitFor();
  return page;
}

/** A link works once, shows its address, leaves the address bar; other browsers stay signed out. */
export async function walkSignIn(stage: PortalStage): Promise<void> {
  const email = 'walker@example.com';
  await using context = await stage.context();
  const page = await context.newPage();
  await page.goto('/keys');
  await page.waitForURL((url) => url.pathname === '/sign-in');
  await page.getByLabel('E-mail').fill('not an address');
  await page.getByLabel('E-mail').press('Enter');
  await page.locator('#email-error, [aria-invalid="true"]').first().waitFor();
  await page.getByLabel('E-mail').fill(email);
  assert.equal(await page.locator('[aria-invalid="true"]').count(), 0, 'an old fault stays');
  await page.getByLabel('E-mail').press('Enter');
  await page.getByText('Check your mail').waitFor();
  const link = linkIn((await stage.mail(email)).text);
  // A mail scanner opens the link with GET and HEAD and does not consume it.
  for (const method of ['GET', 'HEAD']) await fetch(link, { method });
  const other = await context.newPage();
  await other.goto(link);
  await other.getByText('w…@example.com').waitFor();
  assert.equal(new URL(other.url()).hash, '', 'the token is still in the address bar');
  await other.getByRole('button', { name: 'Sign in', exact: true }).click();
  await other.waitForURL((url) => url.pathname !== '/sign-in');
  // A signed-in visitor who opens the same mail again sees that.
  const again = await context.newPage();
  await again.goto(link);
  await again.getByRole('heading', { name: 'You are signed in' }).waitFor();
  await using elsewhere = await stage.context();
  const stranger = await elsewhere.newPage();
  await stranger.goto(link);
  await stranger.getByText('was used or is older than 15 minutes').waitFor();
  await stranger.goto('/dashboard');
  await stranger.waitForURL((url) => url.pathname === '/sign-in');
}

/** A key is made, shown once, works, is rotated and revoked. */
export async function walkKeys(stage: PortalStage, page: Page): Promise<void> {
  await page.goto('/keys');
  await page
    .getByRole('button', { name: /new key|make a key/i })
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('<b>walker</b> \u05e9\u05dc\u05d5\u05dd');
  await dialog.getByRole('button', { name: /create/i }).click();
  await dialog.getByText('We store only its fingerprint').waitFor();
  const secret = ((await dialog.locator('.secret-value').textContent()) ?? '').trim();
  assert.match(secret, /^svc_(?:live|test)_\w+$/);
  await page.keyboard.press('Escape');
  assert.ok(await dialog.isVisible(), 'Esc closed the secret');
  const usage = await fetch(`${stage.url}/v1/instruments`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  assert.equal(usage.status, 200);
  await dialog.getByLabel('I have stored it').check();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await dialog.waitFor({ state: 'hidden' });
  assert.ok(!(await page.content()).includes(secret), 'the secret is still in the page');
  assert.equal(await page.locator('bdi b').count(), 0, 'a name became markup');
  await page
    .getByRole('button', { name: /^Rotate/ })
    .first()
    .click();
  await dialog.getByRole('button', { name: /rotate/i }).click();
  await dialog.getByText('We store only its fingerprint').waitFor();
  const next = ((await dialog.locator('.secret-value').textContent()) ?? '').trim();
  await dialog.getByLabel('I have stored it').check();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: new RegExp(`^Revoke .*${next.slice(-4)}`) }).click();
  await dialog.getByRole('textbox').fill(next.slice(-4));
  await dialog.getByRole('button', { name: /revoke/i }).click();
  await dialog.waitFor({ state: 'hidden' });
  const refused = await fetch(`${stage.url}/v1/instruments`, {
    headers: { authorization: `Bearer ${next}` },
  });
  assert.equal(refused.status, 401);
  await readRestrictions(page);
}

/** A key's restrictions open by keyboard. */
async function readRestrictions(page: Page): Promise<void> {
  await page.evaluate(`fetch('/v1/portal/keys', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'bound',
      environment: 'live',
      scopes: ['stream'],
      allowedIps: ['192.0.2.0/24', '198.51.100.7'],
    }),
  })`);
  await page.goto('/keys');
  const row = page.getByRole('row').filter({ hasText: 'bound' });
  const address = row.getByText('198.51.100.7', { exact: true });
  await row.locator('summary').focus();
  assert.ok(!(await address.isVisible()));
  await page.keyboard.press('Enter');
  await address.waitFor();
}

/** Buys a plan with the test provider: declined, paid, cancelled at the period's end, resumed. */
export async function walkCheckout(stage: PortalStage, page: Page, email: string): Promise<void> {
  await page.goto('/checkout?offer=live');
  await page.getByLabel('Country').selectOption('DE');
  const go = page.getByRole('button', { name: /^Continue to payment/ });
  await go.click();
  const box = page.getByRole('checkbox').first();
  assert.ok(
    await box.evaluate((it) => it.ownerDocument.activeElement === it),
    'the box has no focus',
  );
  await box.check();
  await go.dblclick();
  await page.waitForURL(/\/pay\/test\//);
  const checkout = page.url();
  await page.goBack();
  await page.getByRole('checkbox').first().check();
  await go.click();
  await page.waitForURL(/\/pay\/test\//);
  assert.equal(page.url(), checkout, 'going back and on again began another checkout');
  await page.getByRole('button', { name: /declined/ }).click();
  await page
    .getByText(/declined/i)
    .first()
    .waitFor();
  await page.getByRole('button', { name: /^Order and pay €?[\d.,]+/ }).click();
  await page.waitForURL((url) => url.pathname === '/orders');
  await page
    .getByText(/paid|you have live/i)
    .first()
    .waitFor();
  const { text } = await stage.mail(email, /order is confirmed/);
  assert.match(text, /withdraw/i);
  const { orders } = (await page.evaluate(
    `fetch('/v1/portal/orders').then((it) => it.json())`,
  )) as { orders: readonly unknown[] };
  assert.equal(orders.length, 1, 'a double click or the way back ordered twice');
  const account = await page.evaluate(`fetch('/v1/portal/account').then((it) => it.json())`);
  assert.equal((account as { plan: string }).plan, 'live');
  await page.goto('/orders');
  await page.getByRole('link', { name: /^Open receipt/ }).waitFor();
  await walkProviderPages(page);
  await page
    .getByRole('button', { name: /^Cancel/ })
    .first()
    .click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /cancel/i })
    .click();
  await page
    .getByText(/ends on|until/i)
    .first()
    .waitFor();
  assert.match((await stage.mail(email, /is cancelled/)).text, /stays active until/);
  const keep = page.getByRole('button', { name: /^Keep Live after/ });
  await keep.waitFor();
  assert.ok(
    await keep.evaluate((it) => it.ownerDocument.activeElement === it),
    'what cancelled has no focus',
  );
  await keep.click();
  await page
    .getByRole('button', { name: /^Cancel/ })
    .first()
    .waitFor();
  await page.goto('/checkout?offer=live');
  await page
    .getByText(/already|yours|have/i)
    .first()
    .waitFor();
}

/** The receipt and the card page are separate pages of the provider. */
async function walkProviderPages(page: Page): Promise<void> {
  const receipt = page.getByRole('link', { name: /^Open receipt/ });
  assert.match((await receipt.getAttribute('href'))!, /\/receipts\//);
  await page.getByRole('button', { name: 'Update card or address' }).click();
  await page.waitForURL(/\/card$/);
  await page.getByRole('button', { name: 'Use a card that works' }).click();
  await page.getByRole('link', { name: 'Back to Billing' }).click();
  await page.waitForURL((url) => url.pathname === '/orders');
}

/** Withdraws from the purchase, from the footer, also signed out: declared, confirmed, mailed. */
export async function walkWithdrawal(stage: PortalStage, page: Page, email: string): Promise<void> {
  await using stranger = await stage.context();
  const outside = await stranger.newPage();
  await outside.goto('/status');
  await outside.getByRole('link', { name: 'Withdraw from a contract' }).click();
  await outside.waitForURL(/\/sign-in\?next=%2Fwithdraw$/);
  await page.goto('/dashboard');
  await page.getByRole('link', { name: 'Withdraw from a contract' }).click();
  await page.getByRole('link', { name: 'Withdraw from contract', exact: true }).click();
  await page.getByText('I withdraw from my contract for Live.').waitFor();
  await page.getByText(/back the way you paid/).waitFor();
  await page.getByLabel('Your name').fill('Wanda <b>Walker</b>');
  await page.getByRole('button', { name: 'Confirm withdrawal' }).dblclick();
  await page.getByText(/You withdrew from Live on/).waitFor();
  const { text } = await stage.mail(email, /received your withdrawal/);
  assert.match(text, /We received it on \d+\s\w+\s\d{4},\s\d\d:\d\d:\d\d UTC/);
  assert.match(text, /Wanda <b>Walker<\/b>/);
  assert.match(text, /Declared: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} UTC/);
  const account = await page.evaluate(`fetch('/v1/portal/account').then((it) => it.json())`);
  assert.equal((account as { plan: string }).plan, 'sandbox');
  for (let look = 0; ; look += 1) {
    await page.goto('/orders');
    await page.getByText('Withdrawn').first().waitFor();
    const done = page.getByText(/was refunded the way you paid/);
    if ((await done.count()) > 0) break;
    assert.ok(look < 20, 'the money was not given back');
    await page.waitForTimeout(250);
  }
  await page.goto('/withdraw');
  await page.getByText('There is nothing to withdraw from').waitFor();
}

/** Ends all other sessions, exports the data, requests deletion and withdraws the request. */
export async function walkAccount(stage: PortalStage, page: Page, email: string): Promise<void> {
  await using other = await stage.context();
  const second = await signIn(stage, other, email);
  await page.goto('/account');
  await page.getByRole('button', { name: /everywhere else/i }).click();
  await page.waitForTimeout(1_500);
  await second.goto('/keys');
  await second.waitForURL((url) => url.pathname === '/sign-in');
  const exported = (await page.evaluate(
    `fetch('/v1/portal/export').then((it) => it.text())`,
  )) as string;
  assert.ok(exported.includes(email) && !/svc_(?:live|test)_\w{20}/.test(exported));
}

/** Another person signs in in a second tab: no tab still shows the first person's pages. */
export async function walkTwoPeople(stage: PortalStage): Promise<void> {
  await using context = await stage.context();
  const first = await signIn(stage, context, 'first@example.com');
  await first.goto('/account');
  await first.getByText('first@example.com').first().waitFor();
  const email = 'second@example.com';
  await fetch(`${stage.url}/v1/portal/sign-in`, {
    method: 'POST',
    headers: { origin: stage.url, 'content-type': 'application/json' },
    body: JSON.stringify({ email }),
  });
  const second = await context.newPage();
  await second.goto(linkIn((await stage.mail(email)).text));
  await second.getByRole('button', { name: 'Sign in', exact: true }).click();
  await second.waitForURL((url) => url.pathname === '/dashboard');
  await first.getByText('second@example.com').first().waitFor();
  assert.equal(await first.getByText('first@example.com').count(), 0);
}
