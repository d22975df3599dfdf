/** The chart workspace in both themes and four widths: axe, no sideways scroll, and pictures of what opens. */

import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { ChartsPage } from './charts-page.ts';
import { axeFaults } from './looks.ts';
import type { PortalStage, Visit } from './portal-stage.ts';
import { chartsContext } from './walk-charts.ts';
import { signIn } from './walks.ts';

const shots = join(import.meta.dirname, '../../.test-results/shots');
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
