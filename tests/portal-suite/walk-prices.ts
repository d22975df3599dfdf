/** Prices, plans and limits align and nothing is cut off, at real screen widths. */

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { PortalStage } from './portal-stage.ts';

const WIDTHS = [768, 1_100, 1_280, 1_440];
/** Widths around those where the documentation's bar has the least room. */
const DOCS_WIDTHS = [768, 870, 1_024];

export async function walkPrices(stage: PortalStage): Promise<void> {
  await using context = await stage.context();
  const page = await context.newPage();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto('/');
    await page.locator('.plan .price', { hasText: '+' }).waitFor();
    assert.deepEqual(await faults(page, LANDING_FAULTS), [], `landing page, ${width} px`);
    await page.goto('/plans');
    await page.locator('.plan-lines').first().waitFor();
    assert.deepEqual(await faults(page, PLANS_FAULTS), [], `plans, ${width} px`);
  }
  for (const width of DOCS_WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto('/docs');
    const hidden = await page.evaluate<number>(OUT_OF_SIGHT);
    assert.equal(hidden, 0, `${hidden} px of the documentation are out of sight, ${width} px`);
  }
}

function faults(page: Page, expression: string): Promise<readonly string[]> {
  return page.evaluate(expression);
}

/** Finds price notes that touch the sentence below, and limit columns outside the view. */
const LANDING_FAULTS = `(() => {
  const found = [];
  for (const plan of document.querySelectorAll('.plan')) {
    const note = plan.querySelector('.per');
    const range = document.createRange();
    range.selectNodeContents(note);
    const gap = plan.querySelector('p').getBoundingClientRect().top - range.getBoundingClientRect().bottom;
    if (gap < 4) found.push(note.textContent + ': ' + gap + ' px above the sentence');
  }
  const limits = document.querySelector('.limits');
  const hidden = limits.scrollWidth - limits.clientWidth;
  if (hidden > 0) found.push(hidden + ' px of the limits are out of sight');
  return found;
})()`;

const OUT_OF_SIGHT = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

/** Finds lines of adjacent plans that start at different heights. */
const PLANS_FAULTS = `(() => {
  const found = [];
  const lists = [...document.querySelectorAll('.plan-lines')];
  const topOf = (element) => Math.round(element.getBoundingClientRect().top);
  for (const list of lists) {
    const beside = lists.filter((other) => topOf(other) === topOf(list));
    for (const [index, line] of [...list.children].entries()) {
      const tops = beside.map((other) => topOf(other.children[index]));
      if (new Set(tops).size > 1) found.push(line.textContent + ': ' + tops.join(', '));
    }
  }
  return found;
})()`;
