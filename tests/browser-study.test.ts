import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { build } from 'vite';
import { computeAll } from './browser-study-page.ts';
import { chromiumMissing, launchChromium } from './headless-chromium.ts';

const entry = `${import.meta.dirname}/browser-study-page.ts`;

/** The page's code in one file. Core has no dependencies, so nothing else may be bundled. */
async function bundle(): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: 'warn',
    build: {
      write: false,
      minify: true,
      lib: { entry, formats: ['iife'], name: 'page' },
    },
  });
  const [built] = [result].flat();
  assert.ok(built !== undefined && 'output' in built);
  assert.equal(built.output.length, 1);
  return built.output[0].code;
}

describe('the core in a browser', { skip: chromiumMissing }, () => {
  let browser: Browser;
  before(async () => {
    browser = await launchChromium();
  });
  after(() => browser.close());

  it('computes every indicator there as it does here, in both speeds [DET-01]', async () => {
    const page = await browser.newPage();
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(String(error)));
    await page.addScriptTag({ content: await bundle() });
    const there = await page.evaluate<Record<string, string[]>>('page.computeAll()');
    assert.deepEqual(faults, []);
    const here = computeAll();
    assert.deepEqual(Object.keys(there), Object.keys(here));
    for (const [name, log] of Object.entries(here)) assert.deepEqual(there[name], log, name);
    const footprints = here['footprint settled']!;
    assert.ok(footprints.length > 1_000, `${footprints.length} footprint bars`);
    assert.match(footprints[0]!, /"levels":\[\[\d+,\d+,\d+/);
  });
});
