/** The delay of a key is measured on the tape: a fast clock shows nothing sooner, and a slow one shows no more. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { fillMarket } from '../../../testing/history/history-market.ts';
import type { Page } from '../../../testing/history/history-requests.ts';
import { instantOf, RestService } from '../../../testing/rest/rest-service.ts';

const OPEN = instantOf('2026-11-11T14:30:00Z');
const TAPE = instantOf('2026-11-11T15:30:00Z');
const MINUTE = 60_000_000_000n;
const DELAY = 10n * MINUTE;

/** One trade a minute up to the end of the tape, and a clock at this distance from it. */
async function serviceAt(aheadNs: bigint): Promise<RestService> {
  const service = await RestService.start({ start: instantOf('2026-11-10T23:59:59Z') });
  const trades = Array.from({ length: 60 }, (_, at) => ({
    at: (OPEN + BigInt(at) * MINUTE) as EpochNs,
    price: 20_000,
    size: 1,
    side: 1 as const,
  }));
  fillMarket(service);
  service.tape.commit('ESZ6', trades, TAPE);
  service.clock.advanceTo((TAPE + aheadNs) as EpochNs);
  service.market.tapeTime = TAPE;
  service.market.lastTrades.set('ESZ6', trades.at(-1)!.at);
  return service;
}

/** The time of the last trade that history shows to a key, and the time that instruments report. */
async function lastSeen(service: RestService, key: string) {
  const asked = new URLSearchParams({
    ...{ instrument: 'ESZ6', indicator: 'bars', params: '{"bar":"tick","size":1}' },
    ...{ from: '2026-11-11T14:00:00Z', limit: '10000' },
  });
  const { status, body } = await service.get<Page>(`/v1/history?${asked}`, { key });
  assert.equal(status, 200, JSON.stringify(body));
  const { body: told } = await service.get<{
    readonly instruments: readonly { readonly symbol: string; readonly updatedAt: string }[];
  }>('/v1/instruments', { key });
  const instrument = told.instruments.find(({ symbol }) => symbol === 'ESZ6');
  const times = body.items.map(({ ts }) => BigInt(ts ?? 0));
  return {
    history: times.reduce((a, b) => (a > b ? a : b), 0n),
    updatedAt: BigInt(instrument!.updatedAt),
  };
}

test('a fast clock shows a delayed key nothing sooner, a slow one no more than its own time allows', async () => {
  for (const aheadNs of [-5n * MINUTE, 0n, 5n * MINUTE, 60n * MINUTE]) {
    await using service = await serviceAt(aheadNs);
    const visible = TAPE + (aheadNs < 0n ? aheadNs : 0n) - DELAY;
    const seen = await lastSeen(service, await service.customer('sandbox'));
    // A trade at the very end is not part of it.
    assert.deepEqual(seen, { history: visible - MINUTE, updatedAt: visible }, `${aheadNs} ns`);
    const live = await lastSeen(service, await service.customer('live_history'));
    const last = aheadNs < 0n ? TAPE + aheadNs : TAPE - MINUTE;
    assert.equal(live.updatedAt, last);
  }
});

test('up to a cursor of the last moment, what the tape had when it was asked for is waited for, also by a slow clock', async () => {
  for (const [aheadNs, isAwaited] of [
    [-300_000_000n, true],
    [0n, false],
    [300_000_000n, true],
  ] as const) {
    await using service = await serviceAt(aheadNs);
    const asked = new URLSearchParams({
      ...{ instrument: 'ESZ6', indicator: 'bars', from: '2026-11-11T14:00:00Z' },
      ...{ snapshot: 'true', untilCursor: '20261111.60.1' },
    });
    const key = await service.customer('live_history');
    const { status, body } = await service.get<Page>(`/v1/history?${asked}`, { key });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(service.pausedMs > 0, isAwaited, `${aheadNs} ns`);
  }
});

test('a cursor of the tape that lies ahead of a slow clock is asked for later, not refused as wrong', async () => {
  await using service = await serviceAt(-2n * MINUTE);
  const asked = new URLSearchParams({
    ...{ instrument: 'ESZ6', indicator: 'bars', from: '2026-11-11T14:00:00Z' },
    ...{ snapshot: 'true', untilCursor: '20261111.60.1' },
  });
  const key = await service.customer('live_history');
  const ahead = await service.get(`/v1/history?${asked}`, { key });
  assert.deepEqual([ahead.status, ahead.headers['retry-after'] !== undefined], [503, true]);
  service.clock.advanceTo(TAPE);
  const seen = await service.get(`/v1/history?${asked}`, { key });
  assert.equal(seen.status, 200, seen.text);
});
