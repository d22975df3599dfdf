/** Gaps of a live dataset: refused and allowed as those of imported days, from the commit that records them on. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { fillMarket } from '../../../testing/history/history-market.ts';
import {
  type Fields,
  type HistoryPath,
  HistoryReader,
} from '../../../testing/history/history-requests.ts';
import { checkAnswer } from '../../../testing/rest/answer-check.ts';
import { instantOf, RestService } from '../../../testing/rest/rest-service.ts';

const TODAY: Fields = {
  instrument: 'ESZ6',
  indicator: 'bars',
  params: '{"bar":"tick","size":2,"session":"utc"}',
  from: '2026-11-11',
  to: '2026-11-11T17:00:00Z',
};
const EARLIER: Fields = { ...TODAY, to: '2026-11-11T15:00:00Z' };
const PATHS: readonly HistoryPath[] = ['/v1/history', '/v1/history/estimate', '/v1/export'];

let service: RestService;
let reader: HistoryReader;
before(async () => {
  service = await RestService.start();
  fillMarket(service);
  const key = await service.customer('live_history');
  reader = new HistoryReader(service, key, checkAnswer);
});
after(() => service[Symbol.asyncDispose]());

const at = (time: string) => instantOf(`2026-11-11T${time}Z`);
const listed = (from: string, to: string) => [
  { from: String(at(from)), to: String(at(to)), why: 'partial' },
];

/** The tape reaches this time. */
function pass(time: string, ...gaps: { from: EpochNs; to: EpochNs | null }[]): void {
  const ms = Number((at(time) - service.clock.now()) / 1_000_000n);
  service.clock.advance(ms);
  service.tape.commit('ESZ6', [], at(time), gaps);
  service.market.tapeTime = at(time);
}

async function todayIn(): Promise<unknown> {
  const { body } = await service.get<{
    readonly instruments: readonly {
      readonly symbol: string;
      readonly history: { readonly quality: readonly unknown[] };
    }[];
  }>('/v1/instruments?dataset=SIM', { key: reader.key });
  const found = body.instruments.find(({ symbol }) => symbol === 'ESZ6')!;
  return found.history.quality.at(-1);
}

test('a gap is refused as soon as it is recorded, listed as far as the tape has come, and changes no page before it [HIST-17]', async () => {
  const open = { from: '2026-11-11', to: '2026-11-11', state: 'open', origin: 'live' };
  pass('16:10:00');
  const [whole, earlier] = [await reader.page(TODAY), await reader.page(EARLIER)];
  assert.deepEqual(await todayIn(), open);
  pass('16:20:00', { from: at('16:10:00'), to: null });
  for (const path of PATHS) {
    const refused = await reader.refused(TODAY, 402, 'NOT_COVERED', path);
    assert.deepEqual(refused.missingDays, ['2026-11-11']);
  }
  const growing = await reader.page({ ...TODAY, gaps: 'allow' });
  assert.deepEqual([growing.gaps, growing.gapsTotal], [listed('16:10:00', '16:20:00'), 1]);
  assert.deepEqual(growing.items, whole.items);
  assert.deepEqual(await reader.page(EARLIER), earlier);
  pass('16:40:00', { from: at('16:10:00'), to: at('16:30:00') });
  const over = await reader.page({ ...TODAY, gaps: 'allow' });
  assert.deepEqual(over.gaps, listed('16:10:00', '16:30:00'));
  const estimate = await reader.estimate({ ...TODAY, gaps: 'allow' });
  assert.deepEqual([estimate.gaps, estimate.missingDays], [over.gaps, ['2026-11-11']]);
  const gaps = [{ from: String(at('16:10:00')), to: String(at('16:30:00')) }];
  assert.deepEqual(await todayIn(), { ...open, gaps });
});
