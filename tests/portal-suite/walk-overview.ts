/**
 * The overview while it loads: no visible part moves, however late data arrives. With forced
 * colours, the legends of its charts still distinguish their lines.
 */

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { paintSoFar, watchPaint } from './looks.ts';
import type { PortalStage } from './portal-stage.ts';

const SHIFT_MAX = 0.02;
const WIDE = { width: 1_440, height: 900 };
const PHONE = { width: 390, height: 844 };
/** The day of the month that the pages show, on any real day. */
const TODAY = 18;
const shots = join(import.meta.dirname, '../../.test-results/shots');

/** `signedIn` belongs to an account that has paid. */
export async function walkOverview(stage: PortalStage, signedIn: BrowserContext): Promise<void> {
  for (const size of [WIDE, PHONE]) {
    for (const isBusy of [false, true]) {
      await using context = await stage.context(size);
      await context.addCookies(await signedIn.cookies());
      const page = await context.newPage();
      await watchPaint(page);
      if (isBusy) await arriveLate(page);
      await page.goto('/dashboard');
      await page.locator('.grid-3 .meter').first().waitFor();
      if (isBusy) await seeDeclined(page);
      await page.waitForTimeout(500);
      const { shift } = await paintSoFar(page);
      const name = `${size.width} px, ${isBusy ? 'much to show, late' : 'as it is'}`;
      console.log(`  overview, ${name}: shift ${shift.toFixed(3)}`);
      assert.ok(shift < SHIFT_MAX, `the overview moves by ${shift.toFixed(3)} (${name})`);
    }
  }
  await declinedUnderBilling(stage, signedIn);
  await withoutColours(stage, signedIn);
}

async function declinedUnderBilling(stage: PortalStage, signedIn: BrowserContext): Promise<void> {
  await using context = await stage.context(WIDE);
  await context.addCookies(await signedIn.cookies());
  const page = await context.newPage();
  await arriveLate(page);
  await page.goto('/orders');
  await seeDeclined(page);
}

/** After a declined renewal, the way to another card comes first. */
async function seeDeclined(page: Page): Promise<void> {
  await page.getByText(/was declined on/).waitFor();
  const update = page.getByRole('button', { name: 'Update card' });
  assert.match((await update.getAttribute('class'))!, /\bprimary\b/);
}

/** A budget that will not last, charts, both kinds of notices: each response later than before. */
async function arriveLate(page: Page): Promise<void> {
  const now = new Date();
  await page.clock.setFixedTime(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), TODAY, 12));
  await answer(page, 'usage', 150, busyUsage);
  await answer(page, 'keys', 450, (it) => it);
  await answer(page, 'account', 700, (it) => ({
    ...it,
    otherHalf: 'history',
    createdAt: String(Date.UTC(2026, 0, 1) * 1e6),
  }));
  await answer(page, 'orders', 900, ({ orders, ...rest }) => ({
    ...rest,
    orders: (orders as readonly object[]).map((order) => ({ ...order, state: 'past_due' })),
  }));
}

type Json = Readonly<Record<string, unknown>>;

async function answer(
  page: Page,
  name: string,
  lateMs: number,
  change: (json: Json) => Json,
): Promise<void> {
  await page.route(`**/v1/portal/${name}`, async (route: Route) => {
    const response = await route.fetch();
    const json = change((await response.json()) as Json);
    await page.waitForTimeout(lateMs);
    await route.fulfill({ response, json });
  });
}

/** Every month and every day until today has usage, at a pace beyond the budget. */
function busyUsage(usage: Json): Json {
  const { limits, months, period } = usage as {
    readonly limits: Json;
    readonly months: readonly { readonly period: string; readonly used: Json }[];
    readonly period: string;
  };
  const days = Array.from({ length: TODAY }, (_, index) => ({
    day: `${period}-${String(index + 1).padStart(2, '0')}`,
    used: { computeUnits: 4e8 + index * 1e7, exportBytes: 0 },
  }));
  const computeUnits = days.reduce((sum, { used }) => sum + used.computeUnits, 0);
  return {
    ...usage,
    limits: { ...limits, computeBudget: Math.round(computeUnits * 1.02), exportBytes: 1e10 },
    used: { ...(usage.used as Json), computeUnits },
    hasStreamed: true,
    days,
    months: months.map((month) => ({ ...month, used: { ...month.used, computeUnits } })),
  };
}

/** Legend entries look like the lines they explain, and differ from one another in shape. */
async function withoutColours(stage: PortalStage, signedIn: BrowserContext): Promise<void> {
  mkdirSync(shots, { recursive: true });
  for (const [theme, size] of [
    ['light', WIDE],
    ['dark', PHONE],
  ] as const) {
    await using context = await stage.context({ theme, ...size });
    await context.addCookies(await signedIn.cookies());
    const page = await context.newPage();
    await page.emulateMedia({ forcedColors: 'active', colorScheme: theme });
    await arriveLate(page);
    await page.goto('/dashboard');
    await page.locator('.chart-svg .cum').waitFor();
    await page.waitForTimeout(150);
    const picture = join(shots, `overview-forced-${theme}-${size.width}.png`);
    await page.screenshot({ path: picture, fullPage: true });
    const looks = (await page.evaluate(LOOKS)) as Looks;
    assert.deepEqual(looks.legend, ['solid line', 'frame', 'dashed line', 'dotted line']);
    assert.deepEqual(looks.lines, { cum: 'none', limit: '6px, 4px', proj: '2px, 4px' });
    assert.deepEqual(looks.unseen, [], `in the colour of the ground (${theme})`);
    assert.notEqual(looks.barFill, looks.todayFill, 'today looks as any other day');
  }
}

interface Looks {
  readonly legend: readonly string[];
  readonly lines: Readonly<Record<string, string>>;
  /** Marks that have the background colour. */
  readonly unseen: readonly string[];
  readonly barFill: string;
  readonly todayFill: string;
}

const LOOKS = `(() => {
  const style = (selector) => getComputedStyle(document.querySelector(selector));
  const ground = getComputedStyle(document.body).backgroundColor;
  const chart = '.card:has(.chart-svg .cum) ';
  const lines = Object.fromEntries(
    ['cum', 'limit', 'proj'].map((name) => [name, style(chart + '.' + name).strokeDasharray]),
  );
  const marks = [...document.querySelectorAll(chart + '.keyline i')].map((mark) => {
    const { borderTopStyle, borderBottomStyle, borderTopColor } = getComputedStyle(mark);
    const kind = borderBottomStyle === 'none' ? borderTopStyle + ' line' : 'frame';
    return { kind: borderTopStyle === 'none' ? 'nothing' : kind, colour: borderTopColor };
  });
  const strokes = ['cum', 'limit', 'proj', 'pin', 'bar', 'grid'].map((name) => ({
    kind: name,
    colour: style(chart + '.' + name).stroke,
  }));
  return {
    legend: marks.map(({ kind }) => kind),
    lines,
    unseen: [...marks, ...strokes].filter(({ colour }) => colour === ground || colour === 'none').map(({ kind }) => kind),
    barFill: style(chart + '.bar:not(.today)').fill,
    todayFill: style(chart + '.bar.today').fill,
  };
})()`;
