/** Pages of sealed days have an `ETag`; a conditional request that matches gets 304 and pays nothing. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { utcDay } from '@tapeloom/core/utc-day';
import { fillMarket } from '../../../testing/history/history-market.ts';
import {
  address,
  type Fields,
  HistoryReader,
  RANGE,
  TICK_BARS,
} from '../../../testing/history/history-requests.ts';
import { RestService } from '../../../testing/rest/rest-service.ts';

const PLAIN = { 'accept-encoding': 'identity' };
const OPEN = { to: '2026-11-11T12:00:00Z' };

let service: RestService;
let reader: HistoryReader;
before(async () => {
  service = await RestService.start();
  fillMarket(service);
  reader = new HistoryReader(service, await service.customer('live_history'));
});
after(() => service[Symbol.asyncDispose]());

async function ask(fields: Fields, headers: Readonly<Record<string, string>> = PLAIN) {
  return await service.get(address('/v1/history', fields), { key: reader.key, headers });
}

async function tagOf(fields: Fields): Promise<string | undefined> {
  const { status, headers } = await ask(fields);
  assert.equal(status, 200);
  return headers.etag;
}

test('a page of sealed days is kept by the caller, who asks again and is charged no units [HIST-05, COUNT-14]', async () => {
  for (const more of [{}, { params: TICK_BARS, limit: '10' }, { snapshot: 'true' }]) {
    const fields = { ...RANGE, ...more };
    const { headers, text } = await ask(fields);
    const tag = headers.etag!;
    assert.match(tag, /^"[0-9a-f]{32}"$/);
    assert.equal(headers['cache-control'], 'private, no-cache');
    assert.equal(headers.vary, 'Accept-Encoding');
    const { used } = await reader.usage();
    const { sources } = service;
    const refuse = () => Promise.reject(new Error('nothing is to be read'));
    const { days } = sources;
    service.sources = {
      days: {
        cover: (...of) => days.cover(...of),
        read: refuse,
      },
      replays: { open: refuse },
    };
    const again = await ask(fields, { ...PLAIN, 'if-none-match': `"other", ${tag}` });
    service.sources = sources;
    assert.equal(again.status, 304);
    assert.equal(again.text, '');
    assert.equal(again.headers.etag, tag);
    assert.equal(again.headers['cache-control'], 'private, no-cache');
    assert.equal(again.headers['content-type'], undefined);
    const { used: after } = await reader.usage();
    // The request for the usage before is one of them.
    const { restRequests } = used as unknown as { readonly restRequests: number };
    assert.deepEqual(after, { ...used, restRequests: restRequests + 2 });
    const other = await ask(fields, { ...PLAIN, 'if-none-match': '"other"' });
    assert.equal(other.text, text);
  }
});

test('whatever makes another page makes another tag [HIST-01]', async () => {
  const cursor = (await reader.page({ ...RANGE, limit: '5' })).next!;
  const asked: readonly Fields[] = [
    {},
    { limit: '5' },
    { limit: '5', cursor },
    { mode: 'confirmed' },
    { snapshot: 'true' },
    { to: '2026-11-10' },
    { from: '2026-11-08' },
    { indicator: 'delta' },
    { params: TICK_BARS },
    { instrument: 'ES.c.0' },
    { untilCursor: cursor },
  ];
  const tags = new Set<string | undefined>();
  for (const more of asked) {
    const { to, ...rest } = RANGE;
    tags.add(
      await tagOf('untilCursor' in more ? { ...rest, ...more } : { ...rest, to: to!, ...more }),
    );
  }
  for (const encoding of ['gzip', 'zstd']) {
    const headers = { 'accept-encoding': encoding, 'if-none-match': '*' };
    tags.add((await ask(RANGE, headers)).headers.etag);
  }
  assert.equal(tags.size, asked.length + 2);
  assert.ok(!tags.has(undefined));
});

test('a range that may grow has no tag: its end is left out, ahead, or on a day that is not sealed', async () => {
  const { to: _to, ...endless } = RANGE;
  for (const fields of [endless, { ...RANGE, ...OPEN }, { ...RANGE, to: '2027-01-01' }]) {
    const { status, headers } = await ask(fields, { ...PLAIN, 'if-none-match': '*' });
    assert.equal(status, 200);
    assert.equal(headers.etag, undefined);
    assert.equal(headers['cache-control'], 'no-store');
  }
});

test('a day that goes, or comes back, gives another tag or none to pages that may read it, and to no other [DET-18]', async () => {
  const tag = await tagOf(RANGE);
  const snapshot = { ...RANGE, snapshot: 'true' };
  const ofSnapshot = await tagOf(snapshot);
  service.tape.hide('ESZ6', utcDay(20261104));
  assert.equal(
    await tagOf(RANGE),
    tag,
    'settled days without a look-back read nothing before them',
  );
  assert.notEqual(await tagOf(snapshot), ofSnapshot, 'a stream may begin some sessions earlier');
  service.tape.hide('ESZ6', utcDay(20261110));
  const { status, headers } = await ask(RANGE, { ...PLAIN, 'if-none-match': tag! });
  assert.equal(status, 402);
  assert.equal(headers.etag, undefined);
  service.tape.hide('ESZ6');
  assert.equal(await tagOf(RANGE), tag);
});

test('rights come before the tag', async () => {
  const tag = (await tagOf(RANGE))!;
  const { accountId } = (await service.key(await service.account('live_history'))).record;
  const { secret } = await service.key(accountId, { instruments: ['CLF7'] });
  const headers = { ...PLAIN, 'if-none-match': tag };
  const { status } = await service.get(address('/v1/history', RANGE), { key: secret, headers });
  assert.equal(status, 403);
});
