/** Every page in both themes and three widths: a screenshot, and no serious axe violations. */

import { mkdirSync, readFileSync } from 'node:fs';

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BrowserContext, Page } from 'playwright-core';
import type { PortalStage, Visit } from './portal-stage.ts';

const shots = join(import.meta.dirname, '../../.test-results/shots');
const axePath = fileURLToPath(import.meta.resolve('axe-core/axe.min.js'));

const LIGHT = { theme: 'light' } as const;
const DARK = { theme: 'dark' } as const;
const WIDE = { width: 1_440, height: 900 };
const TABLET = { width: 768, height: 1_024 };
const PHONE = { width: 360, height: 740 };

export const SOME_VISITS: readonly Visit[] = [
  { ...LIGHT, ...WIDE },
  { ...DARK, ...PHONE },
];
/** Every theme in every width. */
export const ALL_VISITS: readonly Visit[] = [LIGHT, DARK].flatMap((theme) =>
  [WIDE, TABLET, PHONE].map((size) => ({ ...theme, ...size })),
);

interface AxeResult {
  readonly id: string;
  readonly impact: string | null;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly target: readonly string[] }[];
}

/** Returns the visual faults of these pages for one visitor. */
export async function lookAt(
  context: BrowserContext,
  paths: readonly string[],
  visit: Visit,
): Promise<readonly string[]> {
  mkdirSync(shots, { recursive: true });
  const page = await context.newPage();
  const faults: string[] = [];
  for (const path of paths) {
    await page.goto(path);
    await page.locator('h1').first().waitFor();
    await settled(page);
    const name = path === '/' ? 'landing' : path.slice(1).replaceAll(/[/?=]/g, '-');
    const picture = `${name}-${visit.theme}-${visit.width}.png`;
    await page.screenshot({ path: join(shots, picture), fullPage: true });
    const where = `${path} (${visit.theme}, ${visit.width} px)`;
    faults.push(...(await shapeFaults(page)).map((fault) => `${where}: ${fault}`));
    faults.push(...(await axeFaults(page)).map((fault) => `${where}: ${fault}`));
  }
  await page.close();
  return faults;
}

/** Waits until the network is quiet for a moment and fonts are loaded. */
async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('load');
  await page.evaluate('document.fonts.ready.then(() => true)');
  await page.waitForTimeout(150);
}

async function shapeFaults(page: Page): Promise<readonly string[]> {
  const { headings, overflow, styled } = (await page.evaluate(`({
    headings: document.querySelectorAll('h1').length,
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    styled: 0,
  })`)) as { headings: number; overflow: number; styled: number };
  const faults: string[] = [];
  if (headings !== 1) faults.push(`${headings} headings of the first level`);
  if (overflow > 0) faults.push(`${overflow} px wider than the window`);
  if (styled > 0) faults.push(`${styled} style attributes`);
  return faults;
}

/** The serious axe violations of the page as it is now. */
export async function axeFaults(page: Page): Promise<readonly string[]> {
  // Through the debugger, which the page's content policy does not restrict.
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: readFileSync(axePath, 'utf8') });
  const { result } = await session.send('Runtime.evaluate', {
    expression: `axe.run(document, { resultTypes: ['violations'] }).then((it) => JSON.stringify(it.violations))`,
    awaitPromise: true,
  });
  await session.detach();
  const found = JSON.parse(result.value as string) as readonly AxeResult[];
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, help, nodes }) =>
        `axe ${id}: ${help}: ${nodes[0]!.target.join(' ')} ${nodes[0]!.html.slice(0, 160)}`,
    );
}

/** Largest Contentful Paint and layout shift of a page, as the browser measures them. */
export async function paintOf(
  stage: PortalStage,
  path: string,
): Promise<{ readonly lcpMs: number; readonly shift: number; readonly scriptBytes: number }> {
  const context = await stage.context();
  const page = await context.newPage();
  let scriptBytes = 0;
  page.on('response', (response) => {
    if (!/javascript/.test(response.headers()['content-type'] ?? '')) return;
    scriptBytes += Number(response.headers()['content-length'] ?? 0);
  });
  await watchPaint(page);
  await page.goto(path);
  await page.waitForTimeout(1_500);
  const paint = await paintSoFar(page);
  await context.close();
  return { ...paint, scriptBytes };
}

/** Call before the page opens: from then on the browser measures. */
export async function watchPaint(page: Page): Promise<void> {
  await page.addInitScript(`
    window.paint = { lcpMs: 0, shift: 0 };
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) window.paint.lcpMs = entry.startTime;
    }).observe({ type: 'largest-contentful-paint', buffered: true });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.paint.shift += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
  `);
}

/** The measurements of the open page since it was opened. */
export async function paintSoFar(
  page: Page,
): Promise<{ readonly lcpMs: number; readonly shift: number }> {
  return (await page.evaluate('window.paint')) as { lcpMs: number; shift: number };
}
