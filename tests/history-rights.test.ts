/** What holds over REST and WebSocket alike, and what changes as time goes by. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Entitlements } from '@tapeloom/core/entitlement/entitlements';
import type { EpochNs } from '@tapeloom/core/numbers';
import { Connection } from '@tapeloom/server/gateway/connection/connection';
import { createResolver } from '@tapeloom/server/gateway/delivery/stream-request';
import { RIGHT_BOOK, RIGHT_CASES } from '../simulation/accounts/right-cases.ts';
import { fillMarket, TRADES_A_DAY } from '../simulation/history/history-market.ts';
import { checkProblem } from '../simulation/rest/problem-check.ts';
import { DOCS_URL, instantOf, RestService } from '../simulation/rest/rest-service.ts';

const HOUR = 3_600_000_000_000n;
const RANGE = { instrument: 'ESZ6', indicator: 'bars', from: '2026-11-09', to: '2026-11-11' };

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
        // What a stream is asked for, history is asked for over the last hour.
        from: String(from ?? now - HOUR),
      };
      for (const path of ['/v1/history', '/v1/history/estimate', '/v1/export']) {
        const answer = await service.get(address(path, fields), { key });
        // There is no tape: who is let in is told so.
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

/** The code of the error with which a subscription is refused. */
function subscribed(
  resolve: ReturnType<typeof createResolver>,
  instrument: string,
  indicator: string,
  { clock }: RestService,
): string {
  const entitlements = Entitlements.of(
    {
      environment: 'live',
      scopes: ['stream'],
      allowedIps: null,
      instruments: null,
      expiresAt: null,
    },
    'live',
  );
  const caller = { accountId: 'a', keyId: 'k', isSuspended: false, entitlements };
  const connection = new Connection({ resolve, nextNumber: () => 1 });
  connection.step({ t: 'opened', authorization: 'Bearer x', address: '192.0.2.1' });
  connection.step({ t: 'judged', authentication: { verdict: 'accepted', caller } });
  connection.step({ t: 'admitted', isGranted: true });
  const text = JSON.stringify({ t: 'subscribe', sub: 's', instrument, indicator });
  const now = clock.now();
  const [action] = connection.step({ t: 'text', text, now, tapeTime: now });
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
  // A next of another day of the same range is still good, though its start has left the window.
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
  // The market trades until 15:45; with the delay it is 15:40.
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
