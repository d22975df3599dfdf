/** Indicators that carry a value over from an earlier session: rejected where the tape does not have that session. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fillMarket, TRADES_A_DAY } from '../../../testing/history/history-market.ts';
import {
  type HistoryPath,
  HistoryReader,
  readingBy,
} from '../../../testing/history/history-requests.ts';
import { RestService } from '../../../testing/rest/rest-service.ts';

const PATHS: readonly HistoryPath[] = ['/v1/history', '/v1/history/estimate', '/v1/export'];
const TAKING_OVER = ['large-trades', 'absorption', 'session-levels'];

let service: RestService;
let reader: HistoryReader;
before(async () => {
  service = await RestService.start();
  fillMarket(service);
  reader = new HistoryReader(service, await service.customer('live_history'));
});
after(() => service[Symbol.asyncDispose]());

test('before the first complete session: 402 with the days of the look-back, ahead of any page [DET-19] [HIST-18] [HIST-19] [ERR-20]', async () => {
  const before = await reader.usage();
  const first = { instrument: 'ESZ6', from: '2026-11-03', to: '2026-11-04' };
  const { sources } = service;
  service.sources = readingBy(sources, () => assert.fail('nothing is computed'));
  for (const path of PATHS) {
    for (const indicator of TAKING_OVER) {
      const refused = await reader.refused({ ...first, indicator }, 402, 'NOT_COVERED', path);
      const missing = refused.missingDays as readonly string[];
      // Ten sessions before the one of the 3rd: of the last of them the tape has the second day only.
      assert.equal(missing.at(-1), '2026-11-01');
      assert.equal(missing[0], '2026-10-19');
      assert.equal(missing.length, 12, 'without the Saturdays');
      assert.equal(refused.computeUnits, TRADES_A_DAY);
    }
  }
  service.sources = sources;
  assert.equal((await reader.usage()).used.computeUnits, before.used.computeUnits);
  const given = { ...first, indicator: 'large-trades', params: JSON.stringify({ minSize: 16 }) };
  assert.ok((await reader.page(given)).items.length > 0, 'a threshold that is given needs no past');
});

test('after a missing day the complete session before it serves [DET-19]', async () => {
  const params = JSON.stringify({ perSession: 1 });
  const after = { instrument: 'CLF7', indicator: 'large-trades', params, to: '2026-11-11' };
  const from = '2026-11-08';
  const page = await reader.page({ ...after, from });
  assert.ok(page.items.length > 0);
  const estimate = await reader.estimate({ ...after, from });
  assert.equal(estimate.computeUnits, page.computeUnits);
});
