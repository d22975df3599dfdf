/** Bars that a service must find again whatever happened to it, and whichever program runs it. */

import assert from 'node:assert/strict';
import type { RunningService } from './running-service.ts';

interface Bar {
  readonly id: string;
  readonly final: boolean;
  readonly data: unknown;
}

/** By id. */
export type Bars = ReadonlyMap<string, Bar>;

const DAY_MS = 86_400_000;
const midnightMs = Math.floor(Date.now() / DAY_MS) * DAY_MS;
export const BARS = { instrument: 'BTC.c.0', indicator: 'bars' };
/** Of the day before this process began, which is there from the first moment on. */
const YESTERDAY = new URLSearchParams({
  ...BARS,
  mode: 'confirmed',
  from: new Date(midnightMs - DAY_MS / 2).toISOString(),
  to: new Date(midnightMs).toISOString(),
});

/** Those of yesterday, and those of a snapshot now, if there are any yet. */
export async function finalBars(service: RunningService): Promise<Bars> {
  const answer = await service.get(`/v1/history?${YESTERDAY}`, service.authorized);
  if (answer.status !== 200) assert.fail(await answer.text());
  const { items } = (await answer.json()) as { items: (Bar & { t: string; cursor: string })[] };
  assert.ok(items.length > 0 && items.every(({ final }) => final));
  const subscriber = service.connect();
  await subscriber.send({ t: 'subscribe', sub: 'bars', ...BARS, params: { depth: 5000 } });
  const snapshot = await subscriber.first(({ t }) => t === 'snapshot');
  await subscriber.close();
  const past = items.map(({ t, cursor, ...item }): Bar => item);
  const now = (snapshot.items as Bar[]).filter(({ final }) => final);
  return new Map([...past, ...now].map((item) => [item.id, item]));
}

/** Of days that both have: a snapshot after midnight is of another day than one before. */
export function assertContains(all: Bars, part: Bars): void {
  const dayOf = (id: string) => id.split('.')[0];
  const days = new Set([...all.keys()].map(dayOf));
  const shared = [...part].filter(([id]) => days.has(dayOf(id)));
  assert.ok(shared.length > 0);
  for (const [id, item] of shared) assert.deepEqual(all.get(id), item, id);
}
