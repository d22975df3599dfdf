/** Counts the calls of one history request to the compute threads. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fillMarket } from '../../../testing/history/history-market.ts';
import { HistoryReader, RANGE, TICK_BARS } from '../../../testing/history/history-requests.ts';
import { RestService } from '../../../testing/rest/rest-service.ts';

let service: RestService;
let reader: HistoryReader;
let calls: string[] = [];
before(async () => {
  service = await RestService.start();
  fillMarket(service);
  const { days, replays } = service.sources;
  service.sources = { days: watched(days), replays: watched(replays) };
  reader = new HistoryReader(service, await service.customer('live_history'));
});
after(() => service[Symbol.asyncDispose]());

function watched<T extends object>(port: T): T {
  return new Proxy(port, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...of: unknown[]) => {
        calls.push(String(name));
        return Reflect.apply(member, target, of);
      };
    },
  });
}

test('a page with both cursors calls the compute threads twice: to cover its range, and to read it', async () => {
  const { to: _to, ...range } = RANGE;
  const open = { ...range, params: TICK_BARS };
  const { items } = await reader.page({ ...RANGE, ...open });
  const [cursor, last] = [items[2]!.cursor, items.at(-3)!.cursor];
  for (const untilCursor of [items[9]!.cursor, last]) {
    calls = [];
    const page = await reader.page({ ...open, cursor, untilCursor, limit: '5' });
    assert.equal(page.items.length, 5);
    assert.notEqual(page.next, null);
    assert.deepEqual(calls, ['cover', 'read']);
  }
  calls = [];
  await reader.page({ ...open, untilCursor: last, snapshot: 'true', limit: '5' });
  assert.deepEqual(calls, ['cover', 'open']);
});

test('an estimate calls them once', async () => {
  calls = [];
  await reader.estimate(RANGE);
  assert.deepEqual(calls, ['cover']);
});
