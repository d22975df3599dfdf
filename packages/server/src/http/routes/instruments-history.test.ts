/** The history that instruments report as available. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import { fillMarket } from '../../../testing/history/history-market.ts';
import { RestService } from '../../../testing/rest/rest-service.ts';

interface Days {
  readonly firstDay: string;
  readonly lastDay: string;
  readonly missingDays: readonly string[];
  readonly missingDaysTotal: number;
  readonly quality?: readonly unknown[];
}

let service: RestService;
before(async () => {
  service = await RestService.start();
  fillMarket(service);
});
after(() => service[Symbol.asyncDispose]());

async function daysOf(
  symbol: string,
  key: string,
  query = '',
  asked = service,
): Promise<Days | null> {
  const { body } = await asked.get<{
    readonly instruments: readonly { readonly symbol: string; readonly history: Days | null }[];
  }>(`/v1/instruments${query}`, { key });
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

test('with a dataset it says how good its days are, as ranges that weekends do not cut', async () => {
  const key = await service.customer('live_history');
  assert.equal((await daysOf('CLF7', key))?.quality, undefined);
  const live = { origin: 'live', state: 'complete' };
  const days = await daysOf('CLF7', key, '?dataset=SIM');
  const [first, missing, second] = days!.quality!;
  assert.deepEqual(first, { from: '2026-11-02', to: '2026-11-04', ...live });
  const none = { state: 'missing', origin: null };
  assert.deepEqual(missing, { from: '2026-11-05', to: '2026-11-05', ...none });
  assert.deepEqual(second, { ...live, from: '2026-11-06', to: dayBefore(days!.lastDay) });
  // A partial day, and one that cannot be read, as reported a second later.
  const tape = service.tape.of('CLF7');
  tape.partial.set(utcDay(20261103), [[3_600_000_000_000, 7_200_000_000_000]]);
  tape.damaged.set(utcDay(20261104), 'index');
  service.clock.advance(1_000);
  const later = await daysOf('CLF7', key, '?dataset=SIM');
  assert.deepEqual(later!.missingDays, ['2026-11-03', '2026-11-04', '2026-11-05']);
  const gaps = [{ from: '1793667600000000000', to: '1793671200000000000' }];
  assert.deepEqual(later!.quality!.slice(0, 4), [
    { from: '2026-11-02', to: '2026-11-02', ...live },
    { from: '2026-11-03', to: '2026-11-03', origin: 'imported', state: 'partial', gaps },
    { from: '2026-11-04', to: '2026-11-04', state: 'damaged', origin: null },
    { from: '2026-11-05', to: '2026-11-05', ...none },
  ]);
});

function dayBefore(day: string): string {
  const text = String(addDays(utcDay(Number(day.replaceAll('-', ''))), -1));
  return `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`;
}

test('without the right to it there is none: by plan, by scope, by instrument', async () => {
  assert.equal(await daysOf('ESZ6', await service.customer('live')), null);
  const account = await service.account('live_history');
  const { secret: streamOnly } = await service.key(account, { scopes: ['stream'] });
  assert.equal(await daysOf('ESZ6', streamOnly), null);
  const { secret: other } = await service.key(account, { instruments: ['CLF7'] });
  assert.equal(await daysOf('ESZ6', other), null);
  assert.notEqual(await daysOf('CLF7', other), null);
});

test('history begins with a day on which the market traded', async () => {
  await using quiet = await RestService.start();
  quiet.tape.commit('ESZ6', [], epochNs(utcDay(20261031), 3_600_000_000_000));
  fillMarket(quiet);
  const days = await daysOf('ESZ6', await quiet.customer('live_history'), '', quiet);
  assert.equal(
    days!.firstDay,
    (await daysOf('ESZ6', await service.customer('live_history')))!.firstDay,
  );
  assert.notEqual(days!.firstDay, '2026-10-31', 'a Saturday');
});
