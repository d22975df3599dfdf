/** An export's results in order, page by page. A page is requested only when the one before was taken. */

import type { HistoryQuery } from '../history/history-query.ts';
import { Refusal } from '../platform/refusal.ts';
import type { DaysPage, DaysRead } from '../results/settled-days.ts';

export async function* exportPages(
  { indicator, allowsGaps = false }: Pick<HistoryQuery, 'indicator' | 'allowsGaps'>,
  read: DaysRead,
): AsyncGenerator<DaysPage, void> {
  for (;;) {
    const page = await read.next();
    if (page === null) return;
    const cold = allowsGaps ? undefined : page.parts.find(({ isWarm }) => !isWarm);
    if (cold !== undefined) throw new Refusal({ t: 'not-warm', indicator, day: cold.day });
    yield page;
  }
}
