/**
 * `npm run test:portal` tests the portal in Chromium against the real service: the walks, the looks
 * of every page (wide in light or narrow in dark) and of some documentation pages, axe, and how
 * soon the landing page paints. `--all` covers all documentation, and each theme in three widths.
 * Screenshots go to `.test-results/shots/`.
 */

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { chromiumMissing } from '../headless-chromium.ts';
import { ALL_VISITS, lookAt, paintOf, SOME_VISITS } from './looks.ts';
import { PortalStage } from './portal-stage.ts';
import { walkBoth } from './walk-both.ts';
import { walkCharts } from './walk-charts.ts';
import { walkChartsFaults } from './walk-charts-faults.ts';
import { walkChartsLive } from './walk-charts-live.ts';
import { walkChartsLooks } from './walk-charts-looks.ts';
import { DOCS_PAGES, walkDocs } from './walk-docs.ts';
import { walkFirstBar, walkFirstRun } from './walk-first-run.ts';
import { walkIndicators } from './walk-indicators.ts';
import { walkFocus, walkServiceDown, walkSessionEnds } from './walk-interrupted.ts';
import { walkLanding } from './walk-landing.ts';
import { walkLeaving } from './walk-leaving.ts';
import { walkOverview } from './walk-overview.ts';
import { walkPaddle } from './walk-paddle.ts';
import { walkPasskeys } from './walk-passkeys.ts';
import { walkPrices } from './walk-prices.ts';
import { walkReference } from './walk-reference.ts';
import {
  signIn,
  walkAccount,
  walkCheckout,
  walkKeys,
  walkSignIn,
  walkTwoPeople,
  walkWithdrawal,
} from './walks.ts';

const PUBLIC = ['/', '/sign-in', '/plans', '/status', '/imprint', '/nothing-here'];
/** One page of each kind for each visitor. The walk through the reference covers the reference. */
const SOME_DOCS = [
  ['/docs', '/docs/indicators/footprint'],
  ['/docs/concepts/resume', '/docs/limits'],
];
const ALL_DOCS = [...DOCS_PAGES, '/docs/reference/rest', '/docs/reference/stream'];
const OWN = [
  '/dashboard',
  '/keys',
  '/plans',
  '/checkout?offer=history',
  '/orders',
  '/withdraw',
  '/account',
];
const LCP_MS_MAX = 1_000;
const SHIFT_MAX = 0.02;
const SCRIPT_BYTES_MAX = 150_000;

if (chromiumMissing !== false) {
  console.error(chromiumMissing);
  process.exit(1);
}
const root = join(import.meta.dirname, '../..');
const built = spawnSync(process.execPath, ['packages/portal/build.ts'], {
  cwd: root,
  stdio: 'inherit',
});
if (built.status !== 0) process.exit(1);

let failures = 0;
await using stage = await PortalStage.start();
await step('a session replayed, cut and resumed', () => walkLanding(stage));
await step('prices and plans, aligned; nothing out of sight', () => walkPrices(stage));
await step('the docs searched, read and printed', () => walkDocs(stage));
await step('sign in by mail, once, in one browser', () => walkSignIn(stage));
await step('a first day: a key, a request, a bar streamed elsewhere', () => walkFirstRun(stage));
await step('passkeys: added, signed in with, lost, kept, removed', () => walkPasskeys(stage));
await step('a first bar is drawn', () => walkFirstBar(stage));
await step('two people in one browser', () => walkTwoPeople(stage));
const email = 'buyer@example.com';
await using context = await stage.context();
const page = await signIn(stage, context, email);
await step('another address, and the end of an account', () => walkLeaving(stage));
await step('a key made, used, rotated, revoked', () => walkKeys(stage, page));
// Before any purchase, because Live alone has no history to request.
await step('the reference, tried by the session', () => walkReference(stage, page));
await step('a plan bought, cancelled, kept', () => walkCheckout(stage, page, email));
await step('charts: chosen, scrolled back, drawn on, shared, replayed', () => walkCharts(stage));
await step('charts: a stream cut, another tab', () => walkChartsFaults(stage));
await step('charts without history, four of them, signed out', () => walkChartsLive(stage, email));
await step('charts in both themes and four widths', () => walkChartsLooks(stage));
await step('both offers, one order after the other', () => walkBoth(stage));
await step('the page of Paddle, with its script and without', () => walkPaddle(stage));
await step('a session ended in the middle', () => walkSessionEnds(stage));
await step('the focus stays', () => walkFocus(page));
await step('the page of an indicator, recorded and live', () => walkIndicators(stage, page));
await step('the overview stands still while it loads, and is read without colours', () =>
  walkOverview(stage, context),
);
await step('the service away, and back', () => walkServiceDown(context));
await step('other sessions ended, data exported', () => walkAccount(stage, page, email));
const isAll = process.argv.includes('--all');
for (const [index, visit] of (isAll ? ALL_VISITS : SOME_VISITS).entries()) {
  const docs = isAll ? ALL_DOCS : SOME_DOCS[index]!;
  await step(`looks, ${visit.theme}, ${visit.width} px`, async () => {
    await using visitor = await stage.context(visit);
    // One visitor per page; with `--all`, every visitor.
    const mine = (_path: string, place: number) => isAll || place % SOME_VISITS.length === index;
    const faults = [...(await lookAt(visitor, [...PUBLIC.filter(mine), ...docs], visit))];
    await visitor.addCookies(await context.cookies());
    faults.push(...(await lookAt(visitor, OWN.filter(mine), visit)));
    if (faults.length > 0) throw new Error(faults.join('\n'));
  });
}
await step('a contract withdrawn from', () => walkWithdrawal(stage, page, email));
await step('the landing page is painted soon, with little script', async () => {
  const paints = [await paintOf(stage, '/'), await paintOf(stage, '/'), await paintOf(stage, '/')];
  const { lcpMs, shift, scriptBytes } = paints.sort((a, b) => a.lcpMs - b.lcpMs)[1]!;
  console.log(
    `  LCP ${lcpMs.toFixed(0)} ms, shift ${shift.toFixed(3)}, script ${scriptBytes} bytes`,
  );
  if (lcpMs > LCP_MS_MAX || shift > SHIFT_MAX || scriptBytes > SCRIPT_BYTES_MAX) {
    throw new Error('the landing page is over its budget');
  }
});
await step('no page complained', async () => {
  if (stage.complaints.length > 0) throw new Error([...new Set(stage.complaints)].join('\n'));
});
process.exitCode = failures === 0 ? 0 : 1;

/** A failed step does not stop the other steps. */
async function step(name: string, walk: () => Promise<void>): Promise<void> {
  const start = performance.now();
  try {
    await walk();
    console.log(`✔ ${name} (${Math.round(performance.now() - start)} ms)`);
  } catch (error) {
    failures += 1;
    console.error(`✖ ${name}\n${error instanceof Error ? error.message : error}`);
  }
}
