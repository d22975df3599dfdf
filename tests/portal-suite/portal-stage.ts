/** Shared by the walks: a running service with its portal, a browser, and the mails it sent. */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import PostalMime from 'postal-mime';
import { freePort } from '../../packages/server/testing/platform/free-ports.ts';
import { launchChromium } from '../headless-chromium.ts';
import { RunningService, WAIT_LIMIT_MS } from '../running-service.ts';
import { SERVICE_OF_SOURCES } from '../tapeloom-program.ts';

/** These settings enable the page that opens Paddle's checkout; nothing listens at the address. */
const PADDLE_SETTINGS = {
  TAPELOOM_PADDLE_KEY: `pdl_sdbx_apikey_${'0'.repeat(26)}`,
  TAPELOOM_PADDLE_CLIENT_TOKEN: `test_${'0'.repeat(27)}`,
  TAPELOOM_PADDLE_WEBHOOK_SECRETS: `pdl_ntfset_${'0'.repeat(26)}`,
  TAPELOOM_PADDLE_URL: 'http://127.0.0.1:9',
};

export interface Visit {
  readonly theme: 'light' | 'dark';
  readonly width: number;
  readonly height: number;
}

export class PortalStage implements AsyncDisposable {
  readonly url: string;
  readonly service: RunningService;
  readonly browser: Browser;
  readonly #data: string;
  readonly #read = new Set<string>();
  #contexts = 0;
  /** Faults of pages: uncaught errors and policy violations. */
  readonly complaints: string[] = [];

  private constructor(url: string, data: string, service: RunningService, browser: Browser) {
    this.url = url;
    this.#data = data;
    this.service = service;
    this.browser = browser;
  }

  static async start(): Promise<PortalStage> {
    const data = mkdtempSync(join(tmpdir(), 'tapeloom-portal-'));
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const env = {
      TAPELOOM_PORT: `${port}`,
      TAPELOOM_PUBLIC_URL: url,
      // Every browser has its own address, as different people do: see `context`.
      TAPELOOM_TRUSTED_PROXIES: '127.0.0.1',
      TAPELOOM_SIM_DAYS: '1',
      // Trades must arrive while a walk watches.
      TAPELOOM_SIM_SCALE: '0.3',
      ...PADDLE_SETTINGS,
      TAPELOOM_PORTAL: join(import.meta.dirname, '../../packages/portal/dist'),
    };
    const service = new RunningService({ data, env, program: SERVICE_OF_SOURCES });
    await service.ready();
    return new PortalStage(url, data, service, await launchChromium());
  }

  /** A separate browser context with its own address, as for another person. */
  async context(visit: Partial<Visit> = {}): Promise<BrowserContext> {
    const { theme = 'light', width = 1_440, height = 900 } = visit;
    this.#contexts += 1;
    const context = await this.browser.newContext({
      baseURL: this.url,
      colorScheme: theme,
      viewport: { width, height },
      reducedMotion: 'no-preference',
      extraHTTPHeaders: { 'x-forwarded-for': `10.1.${this.#contexts}.1` },
    });
    context.setDefaultTimeout(WAIT_LIMIT_MS);
    context.on('page', (page) => this.#watch(page));
    return context;
  }

  #watch(page: Page): void {
    page.on('pageerror', (error) => this.complaints.push(`${page.url()}: ${error}`));
    page.on('console', (message) => {
      // The browser logs error statuses as errors, even if the page requests and handles them.
      const isAnswer = message.text().startsWith('Failed to load resource');
      if (message.type() !== 'error' || isAnswer) return;
      this.complaints.push(`${page.url()}: ${message.text()}`);
    });
  }

  /** The newest unread mail to an address; its subject matches `about`. */
  async mail(
    to: string,
    about = /(?:)/,
  ): Promise<{ readonly subject: string; readonly text: string }> {
    const folder = join(this.#data, 'outbox');
    for (let waited = 0; waited < WAIT_LIMIT_MS; waited += 100) {
      for (const name of namesIn(folder).sort().reverse()) {
        if (this.#read.has(name) || !name.endsWith('.eml')) continue;
        const mail = await PostalMime.parse(readFileSync(join(folder, name)));
        if (!mail.to?.some(({ address }) => address?.toLowerCase() === to.toLowerCase())) continue;
        if (!about.test(mail.subject ?? '')) continue;
        this.#read.add(name);
        return { subject: mail.subject ?? '', text: mail.text ?? '' };
      }
      await pause(100);
    }
    throw new Error(`no mail to ${to} about ${about} came`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.browser.close();
    await this.service.stop('SIGTERM');
    rmSync(this.#data, { recursive: true, force: true });
  }
}

export function linkIn(text: string): string {
  const link = /https?:\/\/\S+\/sign-in#\S+/.exec(text)?.[0];
  if (link === undefined) throw new Error(`no link in:\n${text}`);
  return link;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
