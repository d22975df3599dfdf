/**
 * The chart workspace on a plan with streams and without history: where the snapshot begins and why, four charts over
 * one connection with one crosshair, and a session that ends while one watches.
 */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { ChartsPage } from './charts-page.ts';
import type { PortalStage } from './portal-stage.ts';
import { chartsContext } from './walk-charts.ts';
import { signIn } from './walks.ts';

const shots = join(import.meta.dirname, '../../.test-results/shots');

/** The account has a plan with streams only. */
export async function walkChartsLive(stage: PortalStage, email: string): Promise<void> {
  await using context = await chartsContext(stage);
  // A session of its own, which ends here.
  await (await signIn(stage, context, email)).close();
  const charts = await ChartsPage.open(context);
  await charts.live();
  await noHistory(charts);
  await fourCharts(charts);
  await sessionEnds(stage, charts);
}

async function noHistory(charts: ChartsPage): Promise<void> {
  const { page } = charts;
  await charts.press('Home', 'Alt+ArrowLeft');
  const hem = page.getByRole('group', { name: 'Begin of the chart' });
  await hem.getByText('The snapshot starts here. Your plan, Live, has no history.').waitFor();
  await hem.getByRole('button', { name: 'See what Historical adds' }).waitFor();
  await page.screenshot({ path: join(shots, 'charts-no-history.png') });
  assert.deepEqual(charts.spent, [], 'history was asked for');
  await page.getByRole('button', { name: 'Replay', exact: true }).click();
  const bar = page.getByRole('region', { name: 'Replay' });
  await bar.getByRole('link', { name: 'See what Historical adds' }).waitFor();
  await bar.getByRole('button', { name: 'Close' }).click();
  await charts.press('End');
}

async function fourCharts(charts: ChartsPage): Promise<void> {
  const { page } = charts;
  const places = page.locator('.tl-stage');
  for (let count = 2; count <= 4; count += 1) {
    await page
      .locator('.menu-place', { has: page.locator('.layout-name') })
      .locator('button')
      .first()
      .click();
    await page
      .getByRole('dialog', { name: 'Layouts' })
      .getByRole('button', { name: 'Add a chart' })
      .click();
    await places.nth(count - 1).waitFor();
  }
  await page.locator('.legend').nth(3).filter({ hasText: /\d{3}/ }).waitFor();
  assert.equal(charts.sockets, 1, `${charts.sockets} connections`);
  const legend = await page.locator('.legend-values').nth(3).textContent();
  const newest = /\d\d:\d\d/.exec(legend ?? '')?.[0];
  await places.nth(3).focus();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  // The crosshair of one is read in the legends of the others: two bars before the newest.
  await page.waitForFunction(`(() => {
    const legends = [...document.querySelectorAll('.legend-values')];
    const times = legends.map((it) => /\\d\\d:\\d\\d/.exec(it.textContent)?.[0]);
    const isOne = times.length === 4 && new Set(times).size === 1;
    return isOne && times[0] !== undefined && times[0] !== ${JSON.stringify(newest)};
  })()`);
  await page.screenshot({ path: join(shots, 'charts-four.png') });
}

/** Signed out elsewhere: the picture stays, and the page says so. */
async function sessionEnds(stage: PortalStage, charts: ChartsPage): Promise<void> {
  const { page } = charts;
  const own = await page.evaluate<string>(
    `fetch('/v1/portal/session', { method: 'DELETE' }).then((it) => String(it.status))`,
  );
  assert.match(own, /^2/, `${stage.url} answers ${own}`);
  await page
    .getByText('You are signed out. The picture stays; nothing new arrives.')
    .first()
    .waitFor();
  await page.screenshot({ path: join(shots, 'charts-signed-out.png') });
  await page
    .getByRole('link', { name: 'Sign in' })
    .or(page.getByRole('button', { name: 'Sign in' }))
    .first()
    .waitFor();
}
