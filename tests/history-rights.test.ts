/** Rights that hold over REST and WebSocket alike, and rights that change with time. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Entitlements } from '@tapeloom/core/entitlement/entitlements';
import type { EpochNs } from '@tapeloom/core/numbers';
import { dayOf } from '@tapeloom/core/utc-day';
import { Connection } from '@tapeloom/server/gateway/connection/connection';
import { createResolver } from '@tapeloom/server/gateway/delivery/stream-request';
import { RIGHT_BOOK, RIGHT_CASES } from '../packages/server/testing/accounts/right-cases.ts';
import { fillMarket, TRADES_A_DAY } from '../packages/server/testing/history/history-market.ts';
import { checkProblem } from '../packages/server/testing/rest/problem-check.ts';
import { DOCS_URL, instantOf, RestService } from '../packages/server/testing/rest/rest-service.ts';
import { TAPE_START, WholeService } from '../packages/server/testing/rest/whole-service.ts';
import { StreamClient, subscribe } from '../packages/server/testing/stream/stream-client.ts';

const HOUR = 3_600_000_000_000n;
const RANGE = { instrument: 'ESZ6', indicator: 'bars', from: '2026-11-09', to: '2026-11-11' };

const LIVE_RIGHTS = Entitlements.of(
  {
    environment: 'live',
    scopes: ['stream'],
    allowedIps: null,
    instruments: null,
    expiresAt: null,
  },
  'live',
);

interface Page {
  readonly items: readonly { readonly cursor: string; readonly ts: string }[];
  readonly to: string;
  readonly next: string | null;
  readonly computeUnits: number;
}
interface Usage {
  readonly used: { readonly computeUnits: number };
  readonly remaining: { readonly computeUnits: number };
  readonly limits: { readonly computeBudget: number };
}

const address = (path: string, fields: Readonly<Record<string, string>>) =>
  `${path}?${new URLSearchParams(fields)}`;

test('history, estimate and export give every entry, name and moment the verdict of the table the stream is held to [INST-06] [AUTH-16]', async () => {
  for (const [now, cases] of Map.groupBy(RIGHT_CASES, (each) => each.now)) {
    await using service = await RestService.start({ start: now, book: RIGHT_BOOK });
    service.market.tapeTime = now;
    const keys = new Map<string, string>();
    for (const { entries, name, from, isAllowed, title } of cases) {
      const about = JSON.stringify(entries);
      if (!keys.has(about)) {
        const account = await service.account('history');
        keys.set(about, (await service.key(account, { instruments: entries })).secret);
      }
      const key = keys.get(about);
      const fields = {
        instrument: name,
        indicator: 'bars',
        dataset: 'sim',
        // Requests the stream's topic as history of the last hour.
        from: String(from ?? now - HOUR),
      };
      for (const path of ['/v1/history', '/v1/history/estimate', '/v1/export']) {
        const answer = await service.get(address(path, fields), { key });
        // There is no tape, so an authorized request gets `NOT_COVERED`.
        const expected = isAllowed
          ? ({ status: 402, code: 'NOT_COVERED' } as const)
          : ({ status: 403, code: 'FORBIDDEN' } as const);
        checkProblem(answer, DOCS_URL, expected);
        assert.equal(answer.status, expected.status, title);
      }
    }
  }
});

test('an unknown name has one code over REST and WebSocket [ERR-02] [ERR-18] [ERR-19]', async () => {
  await using service = await RestService.start();
  fillMarket(service);
  const key = await service.customer('live_history');
  const resolve = createResolver({
    book: () => service.market.book,
    isStreamed: () => true,
    epochReset: () => null,
  });
  for (const [fields, code] of [
    [{ ...RANGE, indicator: 'invented' }, 'UNKNOWN_INDICATOR'],
    [{ ...RANGE, instrument: 'XXZ9' }, 'UNKNOWN_INSTRUMENT'],
  ] as const) {
    const answer = await service.get(address('/v1/history', fields), { key });
    checkProblem(answer, DOCS_URL, { status: 404, code });
    const { instrument, indicator } = fields;
    assert.equal(subscribed(resolve, instrument, indicator, service), code);
  }
});

/** The error code of a rejected subscription. */
function subscribed(
  resolve: ReturnType<typeof createResolver>,
  instrument: string,
  indicator: string,
  { clock }: RestService,
): string {
  const caller = { accountId: 'a', keyId: 'k', isSuspended: false, entitlements: LIVE_RIGHTS };
  const connection = new Connection({ resolve, nextNumber: () => 1 });
  connection.step({ t: 'opened', authorization: 'Bearer x', address: '192.0.2.1' });
  connection.step({ t: 'judged', authentication: { verdict: 'accepted', caller } });
  connection.step({ t: 'admitted', isGranted: true });
  const text = JSON.stringify({ t: 'subscribe', sub: 's', instrument, indicator });
  const now = clock.now();
  const [action] = connection.step({ t: 'text', text, now, tapeTimeOf: () => now });
  assert.ok(action?.t === 'send' && action.message.t === 'error');
  return action.message.code;
}

test('a next whose day has left the window is too old [HIST-07] [ERR-29]', async () => {
  await using service = await RestService.start();
  fillMarket(service);
  const key = await service.customer('sandbox');
  const fields = { ...RANGE, from: '2026-11-04', limit: '10' };
  const first = await service.get<Page>(address('/v1/history', fields), { key });
  assert.equal(first.status, 200, first.text);
  const next = { ...fields, cursor: first.body.next! };
  assert.match(next.cursor, /^20261104\./);
  service.clock.advanceTo(instantOf('2026-11-11T23:59:59Z'));
  assert.equal((await service.get(address('/v1/history', next), { key })).status, 200);
  service.clock.advanceTo(instantOf('2026-11-12T00:00:00Z'));
  for (const path of ['/v1/history', '/v1/history/estimate']) {
    const late = await service.get(address(path, next), { key });
    checkProblem(late, DOCS_URL, { status: 410, code: 'CURSOR_EXPIRED' });
  }
  // A `next` cursor in a later day of the same range is still valid, though the range starts before
  // the window.
  const later = { ...fields, cursor: '20261105.10.0' };
  assert.equal((await service.get(address('/v1/history', later), { key })).status, 200);
});

test('the compute budget renews with the month, lifetime access included [COUNT-27]', async () => {
  await using service = await RestService.start();
  fillMarket(service);
  const keys = [await service.customer('history'), await service.customer('live_history')];
  for (const key of keys) {
    const page = await service.get<Page>(address('/v1/history', RANGE), { key });
    assert.equal(page.status, 200, page.text);
    const { used, remaining, limits } = (await service.get<Usage>('/v1/usage', { key })).body;
    assert.equal(used.computeUnits, 2 * TRADES_A_DAY);
    assert.equal(page.body.computeUnits, used.computeUnits);
    assert.equal(remaining.computeUnits, limits.computeBudget - used.computeUnits);
  }
  service.clock.advanceTo((instantOf('2026-12-01T00:00:00Z') - 1n) as EpochNs);
  for (const key of keys) {
    const { used } = (await service.get<Usage>('/v1/usage', { key })).body;
    assert.equal(used.computeUnits, 2 * TRADES_A_DAY, 'not before');
  }
  service.clock.advanceTo(instantOf('2026-12-01T00:00:00Z'));
  for (const key of keys) {
    const renewed = (await service.get<Usage>('/v1/usage', { key })).body;
    assert.equal(renewed.used.computeUnits, 0);
    assert.equal(renewed.remaining.computeUnits, renewed.limits.computeBudget);
    assert.equal((await service.get(address('/v1/history', RANGE), { key })).status, 200);
  }
});

test('the delay holds for pages, estimates and cursors: what is ahead of it does not exist [SEC-25] [PLAN-01]', async () => {
  // The market trades until 15:45; with the delay, 15:40 is visible.
  await using service = await RestService.start({ start: instantOf('2026-11-11T15:50:00Z') });
  fillMarket(service);
  const fields = {
    instrument: 'ESZ6',
    indicator: 'bars',
    params: JSON.stringify({ bar: 'tick', size: 2 }),
    from: '2026-11-11',
    limit: '10000',
  };
  const visible = instantOf('2026-11-11T15:40:00Z');
  const live = await service.customer('live_history');
  const all = (await service.get<Page>(address('/v1/history', fields), { key: live })).body;
  const newest = all.items.at(-1)!;
  const trial = await service.key(await service.account('live_history'), { environment: 'test' });
  for (const key of [
    await service.customer('sandbox'),
    await service.customer('history'),
    trial.secret,
  ]) {
    for (const to of [{}, { to: '2026-11-11T15:45:00Z' }, { to: '2026-11-12' }]) {
      const asked = { ...fields, ...to };
      const { body } = await service.get<Page>(address('/v1/history', asked), { key });
      assert.equal(body.to, String(visible));
      assert.ok(body.items.length < all.items.length);
      assert.ok(body.items.every(({ ts }) => BigInt(ts) < visible));
      const estimate = await service.get<Page>(address('/v1/history/estimate', asked), { key });
      assert.equal(estimate.body.computeUnits, TRADES_A_DAY - 60);
    }
    for (const rest of [{ untilCursor: newest.cursor }, { cursor: newest.cursor }]) {
      const url = address('/v1/history', { ...fields, ...rest });
      const ahead = await service.get(url, { key });
      checkProblem(ahead, DOCS_URL, { status: 400, code: 'INVALID_PARAMETERS' });
      assert.equal(ahead.body.errors![0]!.path, `/${Object.keys(rest)[0]}`);
      assert.equal((await service.get(url, { key: live })).status, 200);
    }
    const late = { ...fields, from: String(visible), to: '2026-11-12' };
    const none = await service.get(address('/v1/history', late), { key });
    checkProblem(none, DOCS_URL, { status: 400, code: 'INVALID_PARAMETERS' });
  }
});

test('live_history streams without delay as live does, and reads and exports the past as history does, with one key [PLAN-06]', async () => {
  await using service = await WholeService.start();
  const params = { bar: 'tick', size: 1 };
  for (const price of [100, 101, 102]) await service.trade(60_000, { price });
  await service.jump(15 * 60_000);
  for (const price of [103, 104]) await service.trade(60_000, { price });
  const past = {
    instrument: 'A.c.0',
    indicator: 'bars',
    params: JSON.stringify(params),
    from: String(TAPE_START),
    to: String(TAPE_START + 300n * 1_000_000_000n),
  };
  const streamed = async (key: string) => {
    using client = await new StreamClient(service.stream.url, `Bearer ${key}`).opened();
    client.send(subscribe('a', { instrument: 'A.c.0', params }));
    const { topic } = await client.find('subscribed');
    const { items } = await client.find('snapshot');
    return { topic, items: items.map(({ id, data }) => ({ id, data })) };
  };
  const read = async (key: string) => {
    const { status, body } = await service.rest.get<Page>(address('/v1/history', past), { key });
    return { status, items: body.items };
  };
  const exported = async (key: string) => {
    const headers = { authorization: `Bearer ${key}` };
    const answer = await fetch(`${service.url}${address('/v1/export', past)}`, { headers });
    const bytes = Buffer.from(await answer.arrayBuffer());
    return { status: answer.status, bytes: answer.ok ? bytes.toString('hex') : '' };
  };
  const [live, history, both] = [
    await service.rest.customer('live'),
    await service.rest.customer('history'),
    await service.rest.customer('live_history'),
  ];

  const inTime = await streamed(live);
  assert.equal(inTime.items.length, 5);
  assert.ok((await streamed(history)).items.length < 5, 'ten minutes behind');
  assert.deepEqual(await streamed(both), inTime);
  const page = await read(history);
  assert.deepEqual([page.status, page.items.length], [200, 3]);
  assert.notEqual((await read(live)).status, 200);
  assert.deepEqual(await read(both), page);
  const file = await exported(history);
  assert.deepEqual([file.status, file.bytes.length > 0], [200, true]);
  assert.notEqual((await exported(live)).status, 200);
  assert.deepEqual(await exported(both), file);
});

test('an alias means the same contract over history and the stream: one a day, the next one from the roll on [INST-04]', async () => {
  for (const [day, contract] of [
    ['2026-09-11', 'ESU6'],
    ['2026-09-14', 'ESZ6'],
  ] as const) {
    const now = instantOf(`${day}T16:00:00Z`);
    await using service = await RestService.start({ start: now });
    for (const [index, symbol] of ['ESU6', 'ESZ6'].entries()) {
      const trades = [1, 2, 3].map((at) => ({
        at: (now - BigInt(at) * 60_000_000_000n) as EpochNs,
        price: 20_000 + 100 * index + at,
        size: 1,
        side: 1 as const,
      }));
      // A session is computed from its open, and this one began on the previous day.
      const before = { ...trades[0]!, at: (now - 17n * HOUR) as EpochNs };
      service.tape.commit(symbol, [before, ...trades.reverse()], now);
    }
    service.market.tapeTime = now;
    const key = await service.customer('live_history');
    const hour = { ...RANGE, from: `${day}T15:00:00Z`, to: `${day}T16:00:00Z` };
    const page = async (instrument: string) => {
      const answer = await service.get<Page & { readonly contract: string }>(
        address('/v1/history', { ...hour, instrument }),
        { key },
      );
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    };
    const [alias, named, other] = [
      await page('ES.c.0'),
      await page(contract),
      await page(contract === 'ESU6' ? 'ESZ6' : 'ESU6'),
    ];
    assert.equal(alias.contract, contract);
    assert.deepEqual(alias.items, named.items);
    assert.notDeepEqual(alias.items, other.items);
    const resolve = createResolver({
      book: () => service.market.book,
      isStreamed: () => true,
      epochReset: () => null,
    });
    const message = { t: 'subscribe', sub: 's', instrument: 'ES.c.0', indicator: 'bars' } as const;
    const request = resolve(message, { entitlements: LIVE_RIGHTS, day: dayOf(now), now });
    assert.equal('spec' in request && request.spec.contract, contract);
  }
});
