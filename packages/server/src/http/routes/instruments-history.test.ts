/** What instruments say of the history that can be asked for. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fillMarket } from '../../../../../simulation/history/history-market.ts';
import { RestService } from '../../../../../simulation/rest/rest-service.ts';

interface Days {
  readonly firstDay: string;
  readonly lastDay: string;
  readonly missingDays: readonly string[];
  readonly missingDaysTotal: number;
}

let service: RestService;
before(async () => {
  service = await RestService.start();
  fillMarket(service);
});
after(() => service[Symbol.asyncDispose]());

async function daysOf(symbol: string, key: string): Promise<Days | null> {
  const { body } = await service.get<{
    readonly instruments: readonly { readonly symbol: string; readonly history: Days | null }[];
  }>('/v1/instruments', { key });
  return body.instruments.find((one) => one.symbol === symbol)!.history;
}

test('an instrument says from which day to which its history can be asked for, and what is missing', async () => {
  const key = await service.customer('live_history');
  const days = await daysOf('ESZ6', key);
  assert.ok(days !== null);
  assert.deepEqual((await daysOf('CLF7', key))?.missingDays, ['2026-11-05']);
  const estimate = async (from: string, to: string) =>
    (
      await service.get(
        `/v1/history/estimate?instrument=ESZ6&indicator=bars&from=${from}&to=${to}`,
        { key },
      )
    ).status;
  assert.equal(days.missingDaysTotal, days.missingDays.length);
  assert.equal(await estimate(days.lastDay, `${days.lastDay}T00:00:01Z`), 200);
  for (const day of days.missingDays)
    assert.equal(await estimate(day, `${day}T18:00:00Z`), 402, day);
});

test('without the right to it there is none: by plan, by scope, by instrument', async () => {
  assert.equal(await daysOf('ESZ6', await service.customer('live')), null);
  const account = await service.account('live_history');
  const { secret: streamOnly } = await service.key(account, { scopes: ['stream'] });
  assert.equal(await daysOf('ESZ6', streamOnly), null);
  const { secret: other } = await service.key(account, { instruments: ['CLF7'] });
  assert.equal(await daysOf('ESZ6', other), null);
  assert.notEqual(await daysOf('CLF7', other), null);
});
