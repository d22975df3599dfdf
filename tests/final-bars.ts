/** Final bars that a service must still return after any fault or upgrade. */

import assert from 'node:assert/strict';
import type { RunningService } from './running-service.ts';

interface Bar {
  readonly id: string;
  readonly final: boolean;
  readonly data: unknown;
}

/** Bars by id. */
export type Bars = ReadonlyMap<string, Bar>;

const DAY_MS = 86_400_000;
const midnightMs = Math.floor(Date.now() / DAY_MS) * DAY_MS;
export const BARS = { instrument: 'BTC.c.0', indicator: 'bars' };
/** Yesterday, which a service has from its first moment on. */
const YESTERDAY = new URLSearchParams({
  ...BARS,
  mode: 'confirmed',
  from: new Date(midnightMs - DAY_MS / 2).toISOString(),
  to: new Date(midnightMs).toISOString(),
});

/** Final bars of yesterday and of a current snapshot, which may have none yet. */
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

/** Compares days that both have: a snapshot after midnight covers another day. */
export function assertContains(all: Bars, part: Bars): void {
  const dayOf = (id: string) => id.split('.')[0];
  const days = new Set([...all.keys()].map(dayOf));
  const shared = [...part].filter(([id]) => days.has(dayOf(id)));
  assert.ok(shared.length > 0);
  for (const [id, item] of shared) assert.deepEqual(all.get(id), item, id);
}
