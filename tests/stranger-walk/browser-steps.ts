/** The browser steps of the quick start: own the account, see a bar, make a key as a newcomer. */

import type { Browser, Page } from 'playwright-core';
import { WAIT_LIMIT_MS } from '../running-service.ts';
import { commandWith, type QuickStartStep } from './quick-start-steps.ts';
import { Typed } from './typed.ts';

export interface WalkedStep {
  readonly name: string;
  readonly what: string;
  readonly seconds: number;
}

export interface BrowserWalk {
  readonly steps: readonly QuickStartStep[];
  /** The folder of the clone. */
  readonly home: string;
}

const PORTAL = 'http://127.0.0.1:8080';
const MAILBOX = 'http://127.0.0.1:9464/mailbox';

export async function browserSteps(
  browser: Browser,
  { steps, home }: BrowserWalk,
): Promise<WalkedStep[]> {
  return [
    await timed('watch in the browser', 'from the claim to "Your first bar arrived."', async () => {
      await using claim = new Typed(commandWith(steps, 'account claim'), home);
      await claim.ends();
      const page = await newcomer(browser);
      await page.goto(/http\S+#\S+/.exec(claim.output)![0]);
      await signIn(page, 'owner@example.com');
      await page.getByRole('button', { name: 'Open a stream' }).click();
      await page.getByText('Your first bar arrived.').waitFor();
    }),
    await timed(
      'sign in and make a key',
      'from the first page to a secret on the screen',
      async () => {
        const page = await newcomer(browser);
        await page.goto(PORTAL);
        await page.getByRole('link', { name: 'Sign in' }).first().click();
        await signIn(page, 'newcomer@example.com');
        await page.goto(`${PORTAL}/keys`);
        await page
          .getByRole('button', { name: /new key|make a key/i })
          .first()
          .click();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('Name').fill('first');
        await dialog.getByRole('button', { name: /create/i }).click();
        await dialog.locator('.secret-value').waitFor();
      },
    ),
  ];
}

/** Types the address, reads the mail in the developer's mailbox and opens its link. */
async function signIn(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('E-mail').press('Enter');
  await page.getByText('Check your mail').waitFor();
  const mailbox = await page.context().newPage();
  await mailbox.goto(MAILBOX);
  const link = mailbox.locator(`a[href*="/sign-in#"]`).first();
  await page.goto('about:blank');
  await page.goto((await link.getAttribute('href'))!);
  await mailbox.close();
  await page.getByRole('button', { name: /^(?:sign in|own)/i }).click();
  await page.waitForURL((url) => url.pathname === '/dashboard');
}

async function newcomer(browser: Browser): Promise<Page> {
  const context = await browser.newContext();
  context.setDefaultTimeout(WAIT_LIMIT_MS);
  return await context.newPage();
}

async function timed(name: string, what: string, take: () => Promise<void>): Promise<WalkedStep> {
  const from = performance.now();
  await take();
  const seconds = (performance.now() - from) / 1_000;
  console.error(`${seconds.toFixed(1)} s  ${name}: ${what}`);
  return { name, what, seconds };
}
