import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { epochNs, utcDay } from '@tapeloom/core/utc-day';
import type { Caller } from '../../accounts/auth/caller.ts';
import type { HistoryQuery } from '../../history/history-query.ts';
import { Refusal } from '../../platform/refusal.ts';
import { coveredQuery, type HistoryFacts } from './history-access.ts';

test('what needs days that only other machines have is refused until they are here, with its look-back', async () => {
  const asked: (readonly [string, UtcDay, UtcDay])[] = [];
  const facts = {
    book: () => ({ resolve: () => null }),
    now: () => 0n as EpochNs,
    tapeTime: () => null,
    daysHere: async (...days: [string, UtcDay, UtcDay]) => {
      asked.push(days);
      return false;
    },
  } as unknown as HistoryFacts;
  const caller = { entitlements: { visibleUntil: (at: EpochNs) => at } } as unknown as Caller;
  const query = {
    contract: 'ESZ6',
    indicator: 'naked-levels',
    params: { session: 'rth', lookback: 5 },
    from: epochNs(utcDay(20260130), 0),
    to: epochNs(utcDay(20260131), 1),
  } as unknown as HistoryQuery;
  await assert.rejects(
    coveredQuery(facts, query, caller, new AbortController().signal),
    (error: unknown) => {
      assert(error instanceof Refusal && error.reason.t === 'question');
      assert.equal(error.reason.fault.code, 'WARMING');
      return true;
    },
  );
  assert.deepEqual(asked, [['ESZ6', 20260110, 20260131]]);
});
