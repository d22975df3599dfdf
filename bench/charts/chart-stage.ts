/** Headless Chromium with the bench's page: it is bundled here and served without a server, from one origin. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { launchChromium } from '../../tests/headless-chromium.ts';
import { type FrameScript, frameScripts, type TraceEvent } from './frame-scripts.ts';

const root = join(import.meta.dirname, '../..');
const PAGE = join(root, 'packages/charts/testing/bench-page.ts');
const TOKENS = join(root, 'packages/portal/src/styles/tokens.css');
const VIEW_STYLES = join(root, 'packages/charts/src/view/view.css');
const FONT = join(
  root,
  'node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2',
);
const ORIGIN = 'http://bench.localhost';
/** Frames, scripts with their processor time, and collections. */
const CATEGORIES = ['devtools.timeline', 'blink.user_timing', 'v8'];
const STYLES = `
  @font-face { font-family: "Inter Variable"; src: url(/inter.woff2); font-weight: 100 900; }
  html, body { margin: 0; height: 100%; background: var(--bg); }
  body.four { display: grid; grid-template: 1fr 1fr / 1fr 1fr; gap: 1px; }
  .chart { position: relative; width: 100%; height: 100%; min-width: 0; min-height: 0; }
`;

export interface Heap {
  readonly usedBytes: number;
  /** Typed arrays and other memory outside of the heap. */
  readonly outsideBytes: number;
}

export class ChartStage implements AsyncDisposable {
  readonly #browser: Browser;
  readonly page: Page;
  readonly #session: CDPSession;
  /** Errors of the page. */
  readonly faults: string[] = [];

  private constructor(browser: Browser, page: Page, session: CDPSession) {
    this.#browser = browser;
    this.page = page;
    this.#session = session;
    page.on('pageerror', (error) => this.faults.push(`${error.stack ?? error}`));
  }

  static async start(): Promise<ChartStage> {
    const script = await bundled(PAGE);
    const browser = await launchChromium();
    const page = await browser.newPage({
      viewport: { width: 1_440, height: 900 },
      locale: 'en-US',
    });
    await page.route(`${ORIGIN}/**`, (route) => {
      if (new URL(route.request().url()).pathname === '/inter.woff2') {
        return route.fulfill({ path: FONT, contentType: 'font/woff2' });
      }
      return route.fulfill({
        contentType: 'text/html',
        body: document(),
        // Only an isolated page has a clock of five microseconds.
        headers: {
          'cross-origin-opener-policy': 'same-origin',
          'cross-origin-embedder-policy': 'require-corp',
        },
      });
    });
    await page.goto(`${ORIGIN}/`);
    await page.addScriptTag({ content: script });
    await page.evaluate('document.fonts.load("12px Inter Variable").then(() => true)');
    return new ChartStage(browser, page, await page.context().newCDPSession(page));
  }

  /** Calls a function of the page. */
  async call<T>(name: string, ...given: readonly unknown[]): Promise<T> {
    const result = await this.page.evaluate<T>(`bench.${name}(...${JSON.stringify(given)})`);
    if (this.faults.length > 0) throw new Error(`the page failed: ${this.faults[0]}`);
    return result;
  }

  /** What the frames of this work cost. */
  async traced(work: () => Promise<void>): Promise<readonly FrameScript[]> {
    const session = await this.#browser.newBrowserCDPSession();
    const events: TraceEvent[] = [];
    session.on('Tracing.dataCollected', ({ value }) => {
      events.push(...(value as unknown as readonly TraceEvent[]));
    });
    await session.send('Tracing.start', {
      transferMode: 'ReportEvents',
      traceConfig: { includedCategories: CATEGORIES },
    });
    await work();
    const whole = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
    await session.send('Tracing.end');
    await whole;
    await session.detach();
    return frameScripts(events);
  }

  /** From the last byte of `globalThis.pages` to the first picture. */
  async load(): Promise<{ readonly clockMs: number; readonly cpuMs: number }> {
    await this.#session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const before = await this.#taskSeconds();
    const clockMs = await this.page.evaluate<number>('bench.load(globalThis.pages)');
    const cpuMs = ((await this.#taskSeconds()) - before) * 1_000;
    if (this.faults.length > 0) throw new Error(`the page failed: ${this.faults[0]}`);
    return { clockMs, cpuMs };
  }

  /** Processor time of the page's main thread, in script, styles, layout and painting. */
  async #taskSeconds(): Promise<number> {
    const { metrics } = await this.#session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')!.value;
  }

  /** After a collection of garbage. */
  async heap(): Promise<Heap> {
    for (let time = 0; time < 2; time += 1) await this.#session.send('HeapProfiler.collectGarbage');
    const { usedSize, backingStorageSize } = (await this.#session.send('Runtime.getHeapUsage')) as {
      usedSize: number;
      backingStorageSize?: number;
    };
    return { usedBytes: usedSize, outsideBytes: backingStorageSize ?? 0 };
  }

  /** The functions that took most of this call, as shares of its samples, busiest first. */
  async profiled(name: string, ...given: readonly unknown[]): Promise<readonly string[]> {
    await this.#session.send('Profiler.enable');
    await this.#session.send('Profiler.setSamplingInterval', { interval: 200 });
    await this.#session.send('Profiler.start');
    await this.call(name, ...given);
    const { profile } = await this.#session.send('Profiler.stop');
    const samples = new Map<number, number>();
    for (const id of profile.samples ?? []) samples.set(id, (samples.get(id) ?? 0) + 1);
    const own = new Map<string, number>();
    for (const { id, callFrame } of profile.nodes) {
      const place = `${callFrame.functionName || '(anonymous)'}:${callFrame.lineNumber + 1}`;
      own.set(place, (own.get(place) ?? 0) + (samples.get(id) ?? 0));
    }
    own.delete('(idle):0');
    const all = [...own.values()].reduce((sum, value) => sum + value, 0);
    return [...own]
      .sort(([, a], [, b]) => b - a)
      .slice(0, 25)
      .map(([place, count]) => `${((count / all) * 100).toFixed(1).padStart(5)} %  ${place}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
  }
}

/** The page's code as one script with the name `bench`; minified as customers get it. */
async function bundled(input: string): Promise<string> {
  await using bundle = await rolldown({
    input,
    cwd: root,
    platform: 'browser',
    tsconfig: false,
    onwarn(warning) {
      throw new Error(warning.message);
    },
  });
  const { output } = await bundle.generate({
    format: 'iife',
    name: 'bench',
    minify: { mangle: false, compress: true, codegen: { removeWhitespace: false } },
  });
  return output[0].code;
}

function document(): string {
  const styles = [TOKENS, VIEW_STYLES].filter((path) => existsSync(path));
  const texts = styles.map((path) => readFileSync(path, 'utf8'));
  return `<!doctype html><html lang="en"><title>Charts</title><style>${texts.join('\n')}${STYLES}</style><body></body></html>`;
}
