/**
 * The chart workspace on the free plan, by keyboard alone: chosen, scrolled back to yesterday within the
 * budget, live again, drawn on, saved, restored, shared, replayed.
 */

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { ChartsPage } from './charts-page.ts';
import type { PortalStage } from './portal-stage.ts';
import { signIn } from './walks.ts';

const shots = join(import.meta.dirname, '../../.test-results/shots');
const EMAIL = 'charts@example.com';
/** This market never closes. */
const INSTRUMENT = 'BTC.c.0';
const PARAMS = { size: 60 };
const MONTH_UNITS = 50_000_000;
const GESTURE_UNITS_MAX = MONTH_UNITS / 100;
const NAME = 'Morning <b>';

export async function chartsContext(stage: PortalStage, visit = {}): Promise<BrowserContext> {
  const context = await stage.context(visit);
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: stage.url });
  return context;
}

export async function walkCharts(stage: PortalStage): Promise<void> {
  mkdirSync(shots, { recursive: true });
  await using context = await chartsContext(stage);
  await (await signIn(stage, context, EMAIL)).close();
  const charts = await ChartsPage.open(context);
  await charts.live();
  await choose(charts);
  await addIndicator(charts);
  await goBack(stage, charts);
  await returnToNow(charts);
  await draw(charts);
  await keepLayouts(charts);
  await share(stage, charts);
  await replay(charts);
  assert.equal(await charts.page.locator('[style*="javascript"], .desk b > b').count(), 0);
}

async function choose(charts: ChartsPage): Promise<void> {
  const { page } = charts;
  await page.getByText('Scroll to zoom, drag to move').waitFor();
  await charts.choose('ES.c.0', INSTRUMENT);
  await page.getByRole('button', { name: '5 min' }).press('Enter');
  await page
    .getByRole('dialog', { name: 'Bars' })
    .getByRole('button', { name: '1 min', exact: true })
    .press('Enter');
  await page.getByRole('button', { name: '1 min' }).waitFor();
  await charts.live();
  await charts.press('2');
  await page.getByRole('button', { name: 'Delta', exact: true }).waitFor();
  await page.getByText('Scroll to zoom, drag to move').waitFor({ state: 'detached' });
  await charts.press('1');
  await charts.barsThat('bars of the session', (bars) => bars.length > 3);
}

async function addIndicator(charts: ChartsPage): Promise<void> {
  const { page } = charts;
  await charts.press('/');
  const drawer = page.locator('.drawer');
  await drawer.getByLabel('Search indicators and presets').fill('large');
  await drawer.getByRole('button', { name: /^Large trades/ }).press('Enter');
  await drawer.getByRole('button', { name: 'Add to chart' }).waitFor();
  await page.screenshot({ path: join(shots, 'charts-indicators.png') });
  await drawer.getByRole('button', { name: 'Add to chart' }).press('Enter');
  await drawer.waitFor({ state: 'detached' });
  await charts.legend.getByRole('button', { name: /Large/ }).first().waitFor();
}

/** Older bars come by a gesture until the day before, and no gesture spends more than its share of the month. */
async function goBack(stage: PortalStage, charts: ChartsPage): Promise<void> {
  const first = (await charts.bars())[0]!.time;
  let oldest = first;
  for (let gesture = 0; oldest.slice(0, 10) === first.slice(0, 10); gesture += 1) {
    assert.ok(gesture < 12, `no bar before ${oldest} after ${gesture} gestures`);
    const before = charts.spent.length;
    await charts.press('Home');
    const hem = charts.page.getByRole('group', { name: 'Begin of the chart' });
    const bars = await charts
      .barsThat('older bars', (now) => now[0]!.time < oldest)
      .catch(async (error) => {
        const words = (await hem.isVisible()) ? await hem.textContent() : 'no hem';
        throw new Error(`${(error as Error).message}; ${words}`);
      });
    oldest = bars[0]!.time;
    const units = charts.spent.slice(before).reduce((sum, each) => sum + each, 0);
    assert.ok(units <= GESTURE_UNITS_MAX, `a gesture spent ${units} units`);
  }
  await charts.page.screenshot({ path: join(shots, 'charts-yesterday.png') });
  await charts.assertAsHistory(stage, INSTRUMENT, PARAMS, `${first.slice(0, 10)}T00:00:00Z`);
}

async function returnToNow(charts: ChartsPage): Promise<void> {
  await charts.press('End');
  const newest = (await charts.bars()).at(-1)!;
  await charts.barsThat('a further trade', (bars) => {
    const now = bars.at(-1)!;
    return now.time > newest.time || now.numbers.join() !== newest.numbers.join();
  });
}

/** A drawn line is saved with the layout and is there after a reload. */
async function draw(charts: ChartsPage): Promise<void> {
  const { page } = charts;
  await charts.press('ArrowLeft', 'ArrowLeft', 'ArrowUp', 'h', 'Enter');
  await layoutOf(page, ({ charts: [chart] }) => chart?.drawings.length === 1);
  await page.reload();
  await charts.live();
  await charts.press('Enter');
  assert.match(await charts.says(/line/i), /line/i);
  await page.screenshot({ path: join(shots, 'charts-drawn.png') });
}

async function keepLayouts(charts: ChartsPage): Promise<void> {
  const { page } = charts;
  const menu = () => page.getByRole('dialog', { name: 'Layouts' });
  const openMenu = async () => {
    await page
      .locator('.menu-place', { has: page.locator('.layout-name') })
      .locator('button')
      .first()
      .press('Enter');
    await menu().waitFor();
  };
  await openMenu();
  await menu()
    .getByRole('button', { name: /Rename|Save with a name/ })
    .press('Enter');
  await menu().getByLabel('Name of the layout').fill(NAME);
  await menu().getByRole('button', { name: 'Save', exact: true }).press('Enter');
  await page.locator('.layout-name', { hasText: NAME }).waitFor();
  await charts.press('3');
  await layoutOf(page, ({ charts: [chart] }) => chart?.look === 'volume');
  await openMenu();
  await menu().getByRole('button', { name: 'Earlier states' }).press('Enter');
  await menu().getByRole('heading', { name: 'Earlier states' }).waitFor();
  await page.screenshot({ path: join(shots, 'charts-states.png') });
  await menu().locator('.menu-item:not([aria-disabled])').first().press('Enter');
  await page.getByRole('button', { name: 'Bid × Ask' }).waitFor();
}

/** A session that is over is played, step by step and fast, and the present comes back. */
async function replay(charts: ChartsPage): Promise<void> {
  const { page } = charts;
  await page.getByRole('button', { name: 'Replay', exact: true }).press('Enter');
  const bar = page.getByRole('region', { name: 'Replay' });
  await bar.getByRole('button', { name: 'Play (Space)' }).waitFor();
  const load = bar.getByRole('button', { name: 'Load it' });
  const slider = bar.getByRole('slider', { name: 'Position in the session' });
  await load.or(bar.locator('.replay-note[hidden]')).first().waitFor({ state: 'attached' });
  if (await load.isVisible()) await load.press('Enter');
  await bar.getByRole('button', { name: '100×' }).press('Enter');
  const before = await bar.locator('time').textContent();
  // Nothing plays before it is loaded.
  const pause = bar.getByRole('button', { name: 'Pause (Space)' });
  while ((await pause.count()) === 0) {
    await bar.getByRole('button', { name: 'Play (Space)' }).press('Enter');
    await page.waitForTimeout(500);
  }
  await bar.locator('time').filter({ hasNotText: before! }).waitFor();
  await slider.press('PageUp');
  await charts.barsThat('bars of the replay', (bars) => bars.length > 5);
  await page.locator('.desk-pill', { hasText: /^Replay, / }).waitFor();
  await page.screenshot({ path: join(shots, 'charts-replay.png') });
  await bar.getByRole('button', { name: 'Back to live' }).press('Enter');
  await charts.live();
}

/** Another account opens the link: the arrangement and the line, and no right of the first account. */
async function share(stage: PortalStage, charts: ChartsPage): Promise<void> {
  const { page } = charts;
  await page.getByRole('button', { name: 'Share or save as a picture' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Share this layout' }).press('Enter');
  const field = page.getByLabel('Link to this layout');
  await field.waitFor();
  while ((await field.inputValue()) === '') await page.waitForTimeout(50);
  const link = await field.inputValue();
  assert.ok(link.startsWith(`${stage.url}/charts#`) && link.length < 32_000, link.slice(0, 80));
  await page.keyboard.press('Escape');
  await using elsewhere = await chartsContext(stage);
  // Signed out: the sign-in page comes first, and the link is not lost.
  const stranger = await elsewhere.newPage();
  await stranger.goto(link);
  await stranger.waitForURL((url) => url.pathname === '/sign-in');
  await stranger.close();
  await (await signIn(stage, elsewhere, 'shared@example.com')).close();
  const other = await ChartsPage.open(elsewhere, link);
  await other.page.getByText(/A shared layout/).waitFor();
  await other.page.getByRole('button', { name: /^BTC\.c\.0/ }).waitFor();
  await other.live();
  assert.equal(new URL(other.page.url()).hash, '', 'the link is still in the address bar');
  await other.press('Enter');
  await other.says(/line/i);
  await other.page.screenshot({ path: join(shots, 'charts-shared.png') });
}

interface SavedLayout {
  readonly charts: readonly { readonly look: string; readonly drawings: readonly unknown[] }[];
}

/** Waits until the newest saved layout is like this. */
async function layoutOf(page: Page, is: (layout: SavedLayout) => boolean): Promise<void> {
  for (let look = 0; ; look += 1) {
    const saved = await page.evaluate<SavedLayout | null>(`(async () => {
      const { layouts } = await (await fetch('/v1/portal/layouts')).json();
      if (layouts.length === 0) return null;
      return (await (await fetch('/v1/portal/layouts/' + layouts[0].id)).json()).layout;
    })()`);
    if (saved !== null && is(saved)) return;
    assert.ok(look < 60, `the layout was not saved: ${JSON.stringify(saved)}`);
    await page.waitForTimeout(250);
  }
}
