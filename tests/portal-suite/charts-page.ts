/** The chart workspace as a walk uses it: its keys, its table, its wire, and what it asked and spent. */

import assert from 'node:assert/strict';
import type { BrowserContext, Page, WebSocketRoute } from 'playwright-core';
import { WAIT_LIMIT_MS } from '../running-service.ts';
import type { PortalStage } from './portal-stage.ts';

export interface CsvBar {
  readonly time: string;
  readonly isFinal: boolean;
  /** Prices and volumes as written. */
  readonly numbers: readonly string[];
}

interface HistoryAnswer {
  readonly items: readonly {
    readonly ts: string;
    readonly final: boolean;
    readonly data: Readonly<
      Record<'volume' | 'bid' | 'ask' | 'unknown' | 'delta' | 'trades', number>
    >;
  }[];
  readonly next: string | null;
}

export class ChartsPage {
  readonly page: Page;
  /** Refuses and ends the stream's connections while true. */
  #isCut = false;
  readonly #sockets = new Set<WebSocketRoute>();
  /** Units of each answer of history. */
  readonly spent: number[] = [];
  readonly requests: string[] = [];
  sockets = 0;

  private constructor(page: Page) {
    this.page = page;
  }

  static async open(context: BrowserContext, path = '/charts'): Promise<ChartsPage> {
    const charts = new ChartsPage(await context.newPage());
    const { page } = charts;
    await page.routeWebSocket(/\/v1$/, (route) => charts.#connect(route));
    page.on('request', (request) => charts.requests.push(request.url()));
    page.on('response', async (response) => {
      const { pathname } = new URL(response.url());
      if (!pathname.endsWith('/try/history') || response.status() !== 200) return;
      const { computeUnits } = (await response.json()) as { computeUnits: number };
      charts.spent.push(computeUnits);
    });
    await page.goto(path);
    await charts.stage.waitFor();
    return charts;
  }

  /** The place of the chart in use that takes keys and pointers. */
  get stage() {
    return this.page.locator('.tl-stage').first();
  }

  get legend() {
    return this.page.locator('.legend').first();
  }

  /** Waits until bars arrive. */
  async live(): Promise<void> {
    await this.page.locator('.desk-pill', { hasText: /^(?:Live|\d+ minutes late)$/ }).waitFor();
    await this.legend.filter({ hasText: /\d{3}/ }).waitFor();
  }

  /** By the search of the instrument's menu. */
  async choose(from: string, to: string): Promise<void> {
    const { page } = this;
    await page.getByRole('button', { name: from }).first().press('Enter');
    const menu = page.getByRole('dialog', { name: 'Instrument' });
    await menu.getByLabel('Search instruments').fill(to.toLowerCase());
    await page.keyboard.press('Enter');
    await menu.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: to }).waitFor();
    await this.live();
  }

  async press(...keys: readonly string[]): Promise<void> {
    await this.stage.focus();
    for (const key of keys) await this.page.keyboard.press(key);
  }

  cut(): void {
    this.#isCut = true;
    for (const route of this.#sockets) void route.close({ code: 3_000, reason: 'cut by the test' });
  }

  restore(): void {
    this.#isCut = false;
  }

  /** The loaded bars, oldest first, as the table copies them. */
  async bars(): Promise<readonly CsvBar[]> {
    const { page } = this;
    const drawer = page.locator('.drawer');
    if (!(await drawer.isVisible())) await this.press('v');
    await drawer.getByRole('button', { name: /Copy as CSV|Copied/ }).click();
    await drawer.getByRole('status').filter({ hasText: 'Copied' }).waitFor({ state: 'attached' });
    const text = await page.evaluate<string>('navigator.clipboard.readText()');
    await drawer.getByRole('button', { name: 'Close' }).click();
    return barsOf(text);
  }

  /** Bars once they satisfy this. */
  async barsThat(
    what: string,
    is: (bars: readonly CsvBar[]) => boolean,
  ): Promise<readonly CsvBar[]> {
    const deadline = performance.now() + WAIT_LIMIT_MS / 6;
    for (;;) {
      const bars = await this.bars();
      if (is(bars)) return bars;
      assert.ok(performance.now() < deadline, `${what} did not happen: ${bars.length} bars`);
      await this.page.waitForTimeout(300);
    }
  }

  /** The chart in the page's own words, below its keys. */
  async says(pattern: RegExp): Promise<string> {
    const status = this.page.locator('.tl-status').filter({ hasText: pattern }).first();
    await status.waitFor({ state: 'attached' });
    return (await status.textContent()) ?? '';
  }

  /** Every final bar of history since then is here once, with its numbers, and no other one is. */
  async assertAsHistory(stage: PortalStage, instrument: string, params: object, from: string) {
    const past = await this.#history(instrument, params, from);
    assert.ok(past.length > 0, `no history since ${from}`);
    const until = past.at(-1)!.time;
    const here = (await this.bars()).filter(
      ({ time, isFinal }) => isFinal && time >= past[0]!.time && time <= until,
    );
    assert.deepEqual(here, past, `bars since ${from} differ from history at ${stage.url}`);
  }

  async #history(instrument: string, params: object, from: string): Promise<readonly CsvBar[]> {
    const query = new URLSearchParams({
      ...{ instrument, indicator: 'footprint', params: JSON.stringify(params), from },
    });
    const answer = await this.page.evaluate<HistoryAnswer>(
      `fetch('/v1/portal/try/history?${query}').then((it) => it.json())`,
    );
    const final = answer.items.filter((item) => item.final);
    return final.map(({ ts, data: { volume, bid, ask, unknown, delta, trades } }) => ({
      time: secondsOf(ts),
      isFinal: true,
      numbers: [volume, bid, ask, unknown, delta, trades].map(String),
    }));
  }

  #connect(route: WebSocketRoute): void {
    this.sockets += 1;
    if (this.#isCut) {
      void route.close({ code: 3_000, reason: 'cut by the test' });
      return;
    }
    this.#sockets.add(route);
    const service = route.connectToServer();
    route.onMessage((message) => service.send(message));
    service.onMessage((message) => route.send(message));
    service.onClose((code, reason) => {
      this.#sockets.delete(route);
      void route.close({ ...(code === undefined ? {} : { code }), ...(reason ? { reason } : {}) });
    });
    route.onClose((code, reason) => {
      this.#sockets.delete(route);
      void service.close({
        ...(code === undefined ? {} : { code }),
        ...(reason ? { reason } : {}),
      });
    });
  }
}

function barsOf(csv: string): readonly CsvBar[] {
  const [header, ...lines] = csv.trim().split('\n');
  assert.match(header!, /^time,open,high,low,close,volume,bid,ask,unknown,delta,trades,final$/);
  return lines.map((line) => {
    const [time, , , , , ...rest] = line.split(',');
    return { time: time!, isFinal: rest.at(-1) === 'true', numbers: rest.slice(0, -1) };
  });
}

/** As the table writes a time of whole seconds. */
function secondsOf(ns: string): string {
  return `${new Date(Number(BigInt(ns) / 1_000_000n)).toISOString().slice(0, 19)}Z`;
}
