/**
 * The results of an export in their order, page by page. Nothing is read ahead: the next page is asked for
 * when the one before was taken.
 */

import { Refusal } from '../platform/refusal.ts';
import type { DaysPage, DaysRead } from '../results/settled-days.ts';

export async function* exportPages(
  indicator: string,
  read: DaysRead,
): AsyncGenerator<DaysPage, void> {
  for (;;) {
    const page = await read.next();
    if (page === null) return;
    const cold = page.parts.find(({ isWarm }) => !isWarm);
    if (cold !== undefined) throw new Refusal({ t: 'not-warm', indicator, day: cold.day });
    yield page;
  }
}
