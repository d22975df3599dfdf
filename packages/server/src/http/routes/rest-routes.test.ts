import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { parseParams } from '@tapeloom/core/studies/params';
import type { EngineState } from '@tapeloom/protocol/status-states';
import { Check } from 'typebox/value';
import { instantOf, RestService } from '../../../testing/rest/rest-service.ts';
import { SIM_DATASET } from '../../markets/sim/sim-universe.ts';
import type { CatalogueFacts } from './indicators-route.ts';
import type { InstrumentView } from './instrument-view.ts';

const SATURDAY = instantOf('2026-11-14T16:00:00Z');
const DELAY_NS = 600_000_000_000n;

let service: RestService;
/** A key of an account with real time. */
let key = '';
before(async () => {
  service = await RestService.start();
  service.market.lastTrades.set('ESZ6', (service.clock.now() - 7n) as EpochNs);
  key = await service.customer('live_history');
});
after(() => service[Symbol.asyncDispose]());

/** Gets a route and checks its answer against the schema it publishes. */
async function get<T>(url: string, headers: Record<string, string> = {}): Promise<T> {
  const { status, body, text, headers: answered } = await service.get<T>(url, { headers });
  assert.equal(status, 200, text);
  assert.match(answered['content-type']!, /^application\/json/);
  const route = service.routes.find(({ path }) => path === url.split('?')[0])!;
  assert.ok(Check(route.answer, body), `the answer of ${url} fits its schema`);
  return body;
}

async function instruments(query = '', secret = key): Promise<InstrumentView[]> {
  const authorization = `Bearer ${secret}`;
  const path = `/v1/instruments${query}`;
  return (await get<{ instruments: InstrumentView[] }>(path, { authorization })).instruments;
}

test('the catalogue is public and complete, and the same at every call [CAT-01, CAT-02, CAT-03, CAT-04]', async () => {
  const answer = await get<CatalogueFacts>('/v1/indicators');
  assert.deepEqual(Object.keys(answer), ['version', 'engineFingerprint', 'indicators']);
  assert.match(answer.version, /^[0-9a-f]{12}$/);
  assert.match(answer.engineFingerprint, /^[0-9a-f]{64}$/);
  const ids = answer.indicators.map(({ id }) => id);
  for (const id of ['bars', 'footprint', 'large-trades']) assert.ok(ids.includes(id), id);
  for (const indicator of answer.indicators) {
    assert.equal(indicator.computeUnitsPerTrade, 1);
    assert.ok(indicator.parameters.length > 0);
    assert.equal(typeof indicator.id, 'string');
  }
  assert.deepEqual(await get('/v1/indicators', { authorization: 'nonsense' }), answer);
});

test('a display parameter carries the category view, and the schema of params is the definition [CAT-05]', async () => {
  const { indicators } = await get<CatalogueFacts>('/v1/indicators');
  for (const indicator of indicators) {
    // Depth is the only view parameter; a few indicators have none.
    for (const { name, category } of indicator.parameters) {
      assert.equal(category, name === 'depth' ? 'view' : undefined, `${indicator.id} ${name}`);
    }
    const hasDepth = indicator.parameters.some(({ name }) => name === 'depth');
    assert.ok(Check(indicator.paramsSchema as never, {}));
    assert.equal(Check(indicator.paramsSchema as never, { depth: 5 }), hasDepth, indicator.id);
    assert.ok(!Check(indicator.paramsSchema as never, { depth: 'five' }));
    assert.ok(!Check(indicator.paramsSchema as never, { nothing: 1 }));
    for (const preset of indicator.presets) {
      assert.ok(Check(indicator.paramsSchema as never, preset.params), preset.id);
      assert.ok('params' in parseParams(indicator, preset.params), preset.id);
    }
    assert.ok(Check(indicator.data as never, indicator.example.data), `example of ${indicator.id}`);
  }
  assert.ok(indicators.some(({ parameters }) => parameters.some(({ category }) => category)));
});

test('the instruments are an object with one entry per streamed contract, all fields present [INST-01, INST-02]', async () => {
  const list = await instruments();
  assert.equal(list.length, 14);
  for (const entry of list) {
    for (const field of ['symbol', 'alias', 'tickSizeNanos', 'status', 'updatedAt'] as const) {
      assert.ok(Object.hasOwn(entry, field), `${entry.symbol} ${field}`);
    }
    assert.equal(entry.status, 'open', entry.symbol);
    assert.equal(entry.streamed, true);
    assert.ok(BigInt(entry.updatedAt) <= service.clock.now() && BigInt(entry.updatedAt) > 0n);
    assert.equal(entry.alias === null, entry.rolls === undefined);
  }
  const es = list.find(({ symbol }) => symbol === 'ESZ6')!;
  assert.equal(es.alias, 'ES.c.0');
  assert.equal(es.tickSizeNanos, 250_000_000);
  assert.equal(es.updatedAt, (service.clock.now() - 7n).toString());
  assert.ok(es.rolls!.some(({ symbol }) => symbol === 'ESH7'));
  assert.equal(new Set(list.map(({ alias }) => alias)).size, 8, 'one alias per root, and null');
});

test('with a dataset every contract of it is listed, expired ones too; an unknown one is refused', async () => {
  const all = await instruments(`?dataset=${SIM_DATASET}`);
  assert.equal(all.length, 35);
  const expired = all.filter(({ status }) => status === 'expired');
  assert.equal(expired.length, 21);
  for (const entry of expired) {
    assert.equal(entry.streamed, false);
    assert.equal(entry.updatedAt, entry.expiresAt);
  }
  const url = '/v1/instruments?dataset=NOPE';
  const { status, body } = await service.get(url, { key });
  assert.equal(status, 400);
  assert.equal(body.errors![0]!.path, '/dataset');
});

test('a delayed key sees no trade time newer than its delay', async () => {
  const now = service.clock.now();
  const { lastTrades } = service.market;
  const visible = now - DELAY_NS;
  const updatedAt = async (secret: string) =>
    (await instruments('', secret)).find(({ symbol }) => symbol === 'ESZ6')!.updatedAt;
  const trial = await service.key(await service.account('live_history'), { environment: 'test' });
  for (const secret of [await service.customer('sandbox'), trial.secret]) {
    for (const [trade, shown] of [
      [now - 7n, visible],
      [visible + 1n, visible],
      [visible, visible],
      [visible - 1n, visible - 1n],
    ] as const) {
      lastTrades.set('ESZ6', trade as EpochNs);
      assert.equal(await updatedAt(secret), `${shown}`);
      assert.equal(await updatedAt(key), `${trade}`);
    }
  }
  lastTrades.set('ESZ6', (now - 7n) as EpochNs);
});

test('the instruments need a key, the status and the catalogue need none', async () => {
  const statusOf = async (url: string) => (await service.get(url)).status;
  assert.equal(await statusOf('/v1/instruments'), 401);
  assert.equal(await statusOf('/v1/status'), 200);
  assert.equal(await statusOf('/v1/indicators'), 200);
});

interface ServiceStatus {
  readonly engine: { readonly state: EngineState };
  readonly instruments: readonly { symbol: string; alias: string | null; state: string }[];
  readonly datasets: readonly { dataset: string; state: string; instruments: string[] }[];
  readonly version: string;
}

test('the status tells the state of the engine and of every listed instrument [STATUS-01, STATUS-02]', async () => {
  const up = await get<ServiceStatus>('/v1/status');
  assert.equal(up.engine.state, 'up');
  assert.equal(up.version, '1.2.3');
  const listed = (await instruments()).map(({ symbol, alias, status }) => {
    return { symbol, alias, state: status };
  });
  assert.deepEqual(up.instruments, listed);
  assert.deepEqual(up.datasets, [
    { dataset: 'SIM', state: 'open', instruments: listed.map(({ symbol }) => symbol) },
  ]);

  service.market.engine = 'down';
  service.market.isSourceUp = false;
  const down = await get<ServiceStatus>('/v1/status');
  assert.equal(down.engine.state, 'down');
  assert.ok(down.instruments.every(({ state }) => state === 'down'));
  assert.equal(down.datasets[0]!.state, 'down');

  service.market.engine = 'up';
  service.market.isSourceUp = true;
  service.clock.advanceTo(SATURDAY);
  const weekend = await get<ServiceStatus>('/v1/status');
  for (const { symbol, state } of weekend.instruments) {
    assert.equal(state, symbol.startsWith('BTC') ? 'open' : 'closed', symbol);
  }
});

test('every route lies below /v1 and is documented [VER-01]', async () => {
  for (const { path } of service.routes) {
    assert.match(path, /^\/v1\//);
    const { status, body } = await service.get(path.slice('/v1'.length), { key });
    assert.equal(status, 404);
    assert.equal(body.code, 'NOT_FOUND');
  }
});
