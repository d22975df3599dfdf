/**
 * The delay of history endpoints. Several services have tapes that are equal up to the time a
 * delayed key may see, and differ in everything after it. Every request of such a key gets the same
 * response from all of them, byte for byte: items, tails, ends, costs, errors, headers. So no
 * hidden data leaks.
 */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { AHEAD_MS_MAX } from '@tapeloom/server/runs/ahead-wait';
import fc from 'fast-check';
import { fillMarket } from '../packages/server/testing/history/history-market.ts';
import {
  address,
  type Fields,
  type Page,
} from '../packages/server/testing/history/history-requests.ts';
import { instantOf, RestService } from '../packages/server/testing/rest/rest-service.ts';
import type { MemoryTrade } from '../packages/server/testing/tape/memory-tape.ts';
import { seededRandom } from '../simulation/clock/seeded-random.ts';

const NOW = instantOf('2026-11-11T15:30:00Z');
/** Ten minutes. */
const DELAY = 600_000_000_000n;
const VISIBLE = (NOW - DELAY) as EpochNs;
/** Every five seconds from 14:30 on; the first world has 120 more in the last ten minutes. */
const TRADES_SEEN = 600;
const SECOND = 1_000_000_000n;

/** Every kind of delayed key. */
const KINDS = ['sandbox', 'history', 'trial'] as const;
type Kind = (typeof KINDS)[number];
/** An account may send sixty requests a minute, and the clock stands still. */
const ACCOUNTS = 20;

interface World {
  readonly service: RestService;
  readonly keys: Readonly<Record<Kind, readonly string[]>>;
}

let worlds: readonly World[] = [];
before(async () => {
  worlds = await Promise.all([
    worldOf((seen) => [...seen, ...hidden(120, 5n * SECOND, 1)]),
    worldOf((seen) => seen),
    worldOf((seen) => [...seen, ...hidden(3_000, SECOND / 5n, 2)]),
    worldOf((seen) => [...seen, ...hidden(1, 1n, 3)]),
  ]);
});
after(async () => {
  for (const { service } of worlds) await service[Symbol.asyncDispose]();
});

async function worldOf(
  today: (seen: readonly MemoryTrade[]) => readonly MemoryTrade[],
): Promise<World> {
  // All earlier days are equal in all worlds.
  const service = await RestService.start({ start: instantOf('2026-11-10T23:59:59Z') });
  fillMarket(service);
  const seen = Array.from({ length: TRADES_SEEN }, (_, at) => ({
    at: (instantOf('2026-11-11T14:30:00Z') + BigInt(at) * 5n * SECOND) as EpochNs,
    price: 20_000 + ((at * 7) % 23),
    size: 1 + ((at * 5) % 17),
    side: ([-1, 1, 0] as const)[at % 3]!,
  }));
  service.tape.commit('ESZ6', today(seen), NOW);
  service.clock.advanceTo(NOW);
  service.market.tapeTime = NOW;
  const keys: Record<Kind, string[]> = { sandbox: [], history: [], trial: [] };
  for (let count = 0; count < ACCOUNTS; count += 1) {
    keys.sandbox.push(await service.customer('sandbox'));
    keys.history.push(await service.customer('history'));
    const account = await service.account('live_history');
    keys.trial.push((await service.key(account, { environment: 'test' })).secret);
  }
  return { service, keys };
}

/** Trades that a delayed key does not see, from the first hidden instant on. */
function hidden(count: number, apart: bigint, seed: number): MemoryTrade[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, at) => ({
    at: (VISIBLE + BigInt(at) * apart) as EpochNs,
    price: 20_000 + Math.trunc(random() * 500),
    size: 1 + Math.trunc(random() * 900),
    side: random() < 0.5 ? (1 as const) : (-1 as const),
  }));
}

/** Everything a client can observe of a response and its delay, except what always differs. */
async function seenOf({ service }: World, url: string, key: string): Promise<string> {
  const pausedBefore = service.pausedMs;
  const answer = await service.http.app.inject({
    url,
    headers: { authorization: `Bearer ${key}` },
  });
  const { date: _date, 'x-export-token': token, ...headers } = answer.headers;
  const shown = {
    status: answer.statusCode,
    waitedMs: service.pausedMs - pausedBefore,
    headers,
    // The token's claims; its signature depends on the account.
    token: typeof token === 'string' ? token.split('.')[0] : null,
    body: answer.rawPayload.toString('latin1'),
  };
  return JSON.stringify(shown).replaceAll(/req_[0-9a-f]{32}/g, 'req');
}

let asked = 0;
async function sameEverywhere(url: string, kind: Kind): Promise<string> {
  asked += 1;
  const [first, ...others] = await Promise.all(
    worlds.map((world) => seenOf(world, url, world.keys[kind][asked % ACCOUNTS]!)),
  );
  for (const other of others) assert.equal(other, first, url);
  return first!;
}

const instants = fc.oneof(
  fc.constantFrom(-1n, 0n, 1n, -SECOND, SECOND, 5n * SECOND, DELAY - 1n, DELAY, DELAY + 1n),
  fc.bigInt({ min: -3_600n * SECOND, max: 900n * SECOND }),
);
const instant = instants.map((off) => String(VISIBLE + off));
/** Visible trades, the last of them, the first hidden trades, and trades that do not exist. */
const cursors = fc
  .tuple(
    fc.oneof(
      fc.constantFrom(0, 1, 599, 600, 601, 602, 719, 720, 721, 3_599, 3_600, 3_601, 99_999),
      fc.nat({ max: 4_000 }),
    ),
    fc.nat({ max: 3 }),
  )
  .map(([rank, k]) => `20261111.${rank}.${k}`);
const indicators = fc.constantFrom<Fields>(
  { indicator: 'bars' },
  { indicator: 'bars', params: '{"bar":"tick","size":7}' },
  { indicator: 'bars', params: '{"bar":"volume","size":500}' },
  { indicator: 'footprint', params: '{"bar":"time","size":300}' },
  { indicator: 'vwap' },
  { indicator: 'volume-profile' },
  { indicator: 'delta' },
  { indicator: 'large-trades', params: '{"minSize":100}' },
  { indicator: 'sweeps', params: '{"levels":2,"minSize":1}' },
  { indicator: 'session-levels' },
);
/** Sets an optional field in a quarter of the cases. */
const some = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
const query = fc.record({
  of: indicators,
  from: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('2026-11-11', '2026-11-10T15:00:00Z') },
    { weight: 1, arbitrary: instant },
  ),
  to: some(fc.oneof(fc.constantFrom('2026-11-12', '2027-01-01'), instant)),
  mode: some(fc.constantFrom('live', 'confirmed')),
  snapshot: some(fc.constantFrom('true', 'false')),
  limit: some(fc.constantFrom('1', '3', '10000')),
  cursor: some(cursors),
  untilCursor: some(cursors),
});

type Asked = typeof query extends fc.Arbitrary<infer T> ? T : never;

function fieldsOf({ of, to, ...rest }: Asked): Fields {
  const fields = { ...rest, ...(rest.untilCursor === undefined ? { to } : {}) };
  const given = Object.entries(fields).filter(([, text]) => text !== undefined);
  return { instrument: 'ESZ6', ...of, ...(Object.fromEntries(given) as Fields) };
}

test('no answer of history or estimate, nor when it comes, tells anything of what a key may not see yet [SEC-25] [DET-13] [PLAN-01]', async () => {
  const statuses = new Map<string, number>();
  let waits = 0;
  await fc.assert(
    fc.asyncProperty(
      query,
      fc.constantFrom('/v1/history', '/v1/history/estimate'),
      fc.constantFrom(...KINDS),
      async (fields, path, kind) => {
        const shown = await sameEverywhere(address(path, fieldsOf(fields)), kind);
        const { status, waitedMs } = JSON.parse(shown) as { status: number; waitedMs: number };
        if (waitedMs > 0) assert.deepEqual([status, waitedMs], [400, AHEAD_MS_MAX], shown);
        waits += waitedMs > 0 ? 1 : 0;
        statuses.set(`${path} ${status}`, (statuses.get(`${path} ${status}`) ?? 0) + 1);
      },
    ),
    { numRuns: 150 },
  );
  // The run proves something only if many requests succeeded.
  for (const path of ['/v1/history', '/v1/history/estimate']) {
    assert.ok(statuses.get(`${path} 200`)! > 15, JSON.stringify([...statuses]));
    assert.ok(statuses.get(`${path} 400`)! > 8);
  }
  assert.ok(waits > 15, `${waits}`);
});

test('walking next to the end, with and without snapshot, ends at the delay everywhere [SEC-25]', async () => {
  for (const rest of [
    {},
    { mode: 'confirmed' },
    { snapshot: 'true' },
    { to: '2026-11-12' },
    { untilCursor: `20261111.${TRADES_SEEN}.0` },
  ]) {
    const params = JSON.stringify({ bar: 'tick', size: 7 });
    const fields: Fields = { instrument: 'ESZ6', indicator: 'bars', from: '2026-11-11', params };
    let last: Page | null = null;
    let trades = 0;
    for (let cursor: string | null = ''; cursor !== null; cursor = last.next) {
      const page = { ...fields, ...rest, limit: '40', ...(cursor === '' ? {} : { cursor }) };
      const shown = await sameEverywhere(address('/v1/history', page), 'history');
      const { status, body } = JSON.parse(shown) as { status: number; body: string };
      assert.equal(status, 200, body);
      last = JSON.parse(body) as Page;
      trades += last.computeUnits;
      if (last.to !== undefined) assert.ok(BigInt(last.to) <= VISIBLE);
      for (const { ts, cursor: at } of last.items) {
        assert.ok(ts === undefined || BigInt(ts) < VISIBLE);
        assert.ok(Number(at.split('.')[1]) <= TRADES_SEEN);
      }
    }
    assert.equal(trades, TRADES_SEEN);
  }
});

test('no export and no token tells anything of what a key may not see yet [SEC-25]', async () => {
  let given = 0;
  await fc.assert(
    fc.asyncProperty(query, fc.constantFrom('ndjson', 'parquet', 'arrow'), async (any, format) => {
      const { limit: _l, cursor: _c, snapshot: _s, ...fields } = fieldsOf(any);
      const url = address('/v1/export', { ...fields, format });
      const shown = await sameEverywhere(url, 'history');
      if ((JSON.parse(shown) as { status: number }).status === 200) given += 1;
    }),
    { numRuns: 60 },
  );
  assert.ok(given > 15, `${given} of 60`);
});

test('the record of usage is the same everywhere after all that [SEC-25]', async () => {
  for (const kind of KINDS) {
    for (let count = 0; count < ACCOUNTS; count += 1) await sameEverywhere('/v1/usage', kind);
  }
});
