/** The chart workspace in both themes and four widths: axe, no sideways scroll, and pictures of what opens. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { ChartsPage } from './charts-page.ts';
import { axeFaults } from './looks.ts';
import type { PortalStage, Visit } from './portal-stage.ts';
import { chartsContext } from './walk-charts.ts';
import { signIn } from './walks.ts';

const shots = join(import.meta.dirname, '../../.test-results/shots');
const TABS_MAX = 45;
const VISITS: readonly Visit[] = [
  { theme: 'light', width: 1_440, height: 900 },
  { theme: 'dark', width: 1_440, height: 900 },
  { theme: 'light', width: 320, height: 640 },
  { theme: 'dark', width: 390, height: 844 },
  { theme: 'light', width: 3_840, height: 1_600 },
];

export async function walkChartsLooks(stage: PortalStage): Promise<void> {
  await using first = await chartsContext(stage);
  await (await signIn(stage, first, 'charts-looks@example.com')).close();
  const cookies = await first.cookies();
  const faults: string[] = [];
  for (const visit of VISITS) {
    await using context = await chartsContext(stage, visit);
    await context.addCookies(cookies);
    const charts = await ChartsPage.open(context);
    await charts.live();
    const name = `charts-${visit.theme}-${visit.width}`;
    for (const [part, open] of partsOf(charts, visit)) {
      await open();
      await charts.page.waitForTimeout(400);
      await charts.page.screenshot({ path: join(shots, `${name}-${part}.png`) });
      const found = [...(await axeFaults(charts.page)), ...(await widthFaults(charts.page))];
      faults.push(...found.map((fault) => `${name}, ${part}: ${fault}`));
    }
  }
  await walkTabs(first);
  if (faults.length > 0) throw new Error(faults.join('\n'));
}

/** What is looked at, and how to open it. */
function partsOf(charts: ChartsPage, { theme, width }: Visit) {
  const { page } = charts;
  const close = () => page.keyboard.press('Escape');
  const all: [string, () => Promise<unknown>][] = [['chart', () => charts.stage.focus()]];
  if (width !== 1_440) return all;
  all.push(
    ['crosshair', () => charts.press('ArrowLeft', 'ArrowLeft', 'ArrowUp')],
    ['table', () => charts.press('Escape', 'v')],
    ['indicators', async () => [await close(), await charts.press('/')]],
    ['keys', async () => [await close(), await charts.press('?')]],
  );
  if (theme === 'dark') return all;
  all.push(
    [
      'far',
      async () => [await close(), await charts.press('-', '-', '-', '-', '-', '-', '-', '-')],
    ],
    [
      'range',
      () => charts.press('ArrowLeft', ...Array.from({ length: 6 }, () => 'Shift+ArrowLeft')),
    ],
  );
  return all;
}

async function widthFaults(page: Page): Promise<readonly string[]> {
  const over = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  return over > 0 ? [`${over} px wider than the window`] : [];
}

/** Tab reaches every part of the page, the chart as one stop, and leaves it again. */
async function walkTabs(context: BrowserContext): Promise<void> {
  const { page } = await ChartsPage.open(context);
  await page.locator('.desk-pill').waitFor();
  const stops: string[] = [];
  for (let stop = 0; stop < TABS_MAX; stop += 1) {
    await page.keyboard.press('Tab');
    stops.push(
      await page.evaluate<string>(`(() => {
        const it = document.activeElement;
        return it.classList.contains('tl-stage') ? 'the chart' : it.ariaLabel || it.textContent.trim();
      })()`),
    );
  }
  for (const part of [
    /^Skip to the chart/,
    /^ES\.c\.0/,
    /^Indicators/,
    /^Crosshair/,
    /^the chart$/,
    /Keys$/,
  ]) {
    assert.ok(
      stops.some((stop) => part.test(stop)),
      `${part} is no tab stop: ${stops.join(' | ')}`,
    );
  }
  const again = stops.indexOf('the chart') + 1;
  assert.notEqual(stops[again], 'the chart', 'the focus cannot leave the chart');
}
