/** A sealed day that was not read since it was damaged: the first request that meets it reports it as missing. */

import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { utcDay } from '@tapeloom/core/utc-day';
import { fillMarket, TRADES_A_DAY } from '../../../testing/history/history-market.ts';
import {
  address,
  type Fields,
  type HistoryPath,
  HistoryReader,
} from '../../../testing/history/history-requests.ts';
import { RestService } from '../../../testing/rest/rest-service.ts';

const FRIDAY = utcDay(20261106);
const RANGE: Fields = { instrument: 'ESZ6', from: '2026-11-04', to: '2026-11-07' };
const BARS: Fields = { ...RANGE, indicator: 'bars', params: '{"bar":"tick","size":7}' };

let service: RestService;
let reader: HistoryReader;
beforeEach(async () => {
  service = await RestService.start();
  fillMarket(service);
  reader = new HistoryReader(service, await service.customer('live_history'));
  // Found by reading alone.
  service.tape.of('ESZ6').damaged.set(FRIDAY, 'trades');
});
afterEach(() => service[Symbol.asyncDispose]());

const ASKED: readonly (readonly [HistoryPath, Fields])[] = [
  ['/v1/history', { limit: '10000' }],
  ['/v1/history', { limit: '10000', snapshot: 'true' }],
  // An export that has begun is cut: so the day is the first that is read.
  ['/v1/export', { format: 'ndjson', from: '2026-11-06' }],
  ['/v1/export', { format: 'parquet', from: '2026-11-06' }],
];

for (const [path, fields] of ASKED) {
  test(`${path} ${JSON.stringify(fields)} meets a damaged day: 402 with the day at the first request [ERR-20] [HIST-18]`, async () => {
    const before = await reader.usage();
    const computeUnits = fields.from === undefined ? 2 * TRADES_A_DAY : 0;
    for (const _ of ['first', 'second']) {
      const refused = await reader.refused({ ...BARS, ...fields }, 402, 'NOT_COVERED', path);
      assert.deepEqual(
        [refused.missingDays, refused.missingDaysTotal, refused.computeUnits],
        [['2026-11-06'], 1, computeUnits],
      );
    }
    const estimate = await reader.refused(BARS, 402, 'NOT_COVERED', '/v1/history/estimate');
    assert.deepEqual(estimate.missingDays, ['2026-11-06']);
    assert.equal((await reader.usage()).used.computeUnits, before.used.computeUnits);
  });
}

test('where only the look-back reads a damaged day, the first answer has a shorter look-back [ERR-20]', async () => {
  const fields = { instrument: 'ESZ6', indicator: 'imbalances', limit: '10000' };
  const tuesday = { ...fields, from: '2026-11-10', to: '2026-11-11' };
  const first = await reader.page(tuesday);
  assert.deepEqual(first, await reader.page(tuesday));
});

test('a page has the same ETag whether a day that it does not read is damaged or repaired', async () => {
  const tape = service.tape.of('ESZ6');
  const tagOf = async (fields: Fields) => {
    // Damaged days are checked again after a second.
    service.tape.commit('ESZ6', [], (service.tape.promise! + 1_000_000_000n) as EpochNs);
    const answer = await service.get(address('/v1/history', fields), { key: reader.key });
    assert.equal(answer.status, 200, answer.text);
    return answer.headers.etag;
  };
  const later = { ...BARS, from: '2026-11-10', to: '2026-11-11' };
  const lookingBack = { ...later, indicator: 'imbalances', params: '{}' };
  tape.damaged.set(FRIDAY, 'index');
  const damaged = [await tagOf(later), await tagOf(lookingBack)];
  assert.ok(damaged[0] !== undefined);
  tape.damaged.clear();
  const repaired = [await tagOf(later), await tagOf(lookingBack)];
  assert.equal(repaired[0], damaged[0], 'it reads nothing of the day');
  assert.notEqual(repaired[1], damaged[1], 'it looks back on the day');
});

test('a sentence that names two missing days says how many more there are, in the singular', async () => {
  service.tape.of('ESZ6').damaged.set(utcDay(20261105), 'index');
  service.tape.of('ESZ6').damaged.set(FRIDAY, 'index');
  const { detail } = await reader.refused(BARS, 402, 'NOT_COVERED');
  assert.match(detail, /2026-11-05 and 1 more day\./);
});
