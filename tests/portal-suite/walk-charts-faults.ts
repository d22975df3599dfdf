/** The chart workspace when its stream is cut, and when another tab holds the only connection. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { ChartsPage } from './charts-page.ts';
import type { PortalStage } from './portal-stage.ts';
import { chartsContext } from './walk-charts.ts';
import { signIn } from './walks.ts';

const shots = join(import.meta.dirname, '../../.test-results/shots');
const AWAY_MS = 3_500;

export async function walkChartsFaults(stage: PortalStage): Promise<void> {
  await using context = await chartsContext(stage);
  await (await signIn(stage, context, 'charts-faults@example.com')).close();
  const charts = await ChartsPage.open(context);
  await charts.live();
  await charts.choose('ES.c.0', 'BTC.c.0');
  await charts.live();
  await cut(stage, charts);
  await otherTab(charts);
}

/** Away for some seconds in the middle of a bar: no bar is missing or doubled afterwards. */
async function cut(stage: PortalStage, charts: ChartsPage): Promise<void> {
  const { page } = charts;
  const before = await charts.bars();
  const last = before.at(-1)!;
  charts.cut();
  const message = page.getByRole('status').filter({ hasText: /^Reconnecting, away for \d+ s\./ });
  await message.waitFor();
  await message.getByRole('button', { name: 'Try now' }).waitFor();
  await page.screenshot({ path: join(shots, 'charts-lost.png') });
  await page.waitForTimeout(AWAY_MS);
  charts.restore();
  await message.getByRole('button', { name: 'Try now' }).click();
  await message.waitFor({ state: 'detached' });
  await charts.live();
  await charts.barsThat('a trade after the cut', (bars) => {
    const now = bars.at(-1)!;
    return now.time > last.time || now.numbers.join() !== last.numbers.join();
  });
  await charts.assertAsHistory(stage, 'BTC.c.0', { size: 300 }, before[0]!.time);
}

/** The second tab says so and takes nothing until it is asked to. */
async function otherTab(charts: ChartsPage): Promise<void> {
  const second = await ChartsPage.open(charts.page.context());
  const held = /^Another tab holds your only connection\./;
  const message = second.page.getByRole('status').filter({ hasText: held });
  await message.waitFor();
  await second.page.screenshot({ path: join(shots, 'charts-other-tab.png') });
  await charts.page.bringToFront();
  await charts.live();
  assert.equal(await charts.page.getByText(held).count(), 0, 'the connection was taken');
  await second.page.bringToFront();
  await message.getByRole('button', { name: 'Use it here' }).click();
  await second.live();
  await charts.page.bringToFront();
  await charts.page.getByText(held).waitFor();
  await second.page.close();
}
