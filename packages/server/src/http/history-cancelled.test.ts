/** Clients that go before they have what they asked for. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { fillMarket, TRADES_A_DAY } from '../../../../simulation/history-market.ts';
import {
  address,
  HistoryReader,
  RANGE,
  readingBy,
} from '../../../../simulation/history-requests.ts';
import { RestService } from '../../../../simulation/rest-service.ts';

const BUDGET = 20_000_000_000;

let service: RestService;
let port = 0;
before(async () => {
  service = await RestService.start();
  fillMarket(service);
  port = await service.listen();
});
after(() => service[Symbol.asyncDispose]());

test('a client that goes before its page is ready ends the work and is charged nothing', async () => {
  const reader = new HistoryReader(service, await service.customer('history'));
  const { sources } = service;
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<unknown>();
  service.sources = readingBy(sources, (_request, signal) => {
    begun.resolve();
    return new Promise((_resolve, reject) => {
      signal!.addEventListener('abort', () => {
        ended.resolve(signal!.reason);
        reject(signal!.reason);
      });
    });
  });
  const logged = service.logged.length;
  try {
    const client = new AbortController();
    const answer = fetch(`http://127.0.0.1:${port}${address('/v1/history', RANGE)}`, {
      headers: { authorization: `Bearer ${reader.key}` },
      signal: client.signal,
    });
    await begun.promise;
    const held = (await reader.usage()).remaining.computeUnits;
    assert.equal(held, BUDGET - 2 * TRADES_A_DAY);
    client.abort();
    await assert.rejects(answer);
    await ended.promise;
  } finally {
    service.sources = sources;
  }
  for (;;) {
    const { used, remaining } = await reader.usage();
    assert.equal(used.computeUnits, 0);
    if (remaining.computeUnits === BUDGET) break;
    await turn();
  }
  assert.deepEqual(service.logged.slice(logged), []);
});
