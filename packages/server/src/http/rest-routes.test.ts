import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { calendarNamed } from '@tapeloom/core/calendar/calendars';
import { extendSessionBook, sessionTable } from '@tapeloom/core/calendar/session-book';
import type { EpochNs } from '@tapeloom/core/numbers';
import { publishedDefinitions } from '@tapeloom/core/studies/catalogue';
import { parseParams } from '@tapeloom/core/studies/params';
import { addDays, dayOf, utcDay } from '@tapeloom/core/utc-day';
import type { EngineState } from '@tapeloom/protocol/status-states';
import { Check } from 'typebox/value';
import { DevKeyAuthenticator } from '../accounts/dev-key-authenticator.ts';
import { createLog } from '../platform/log.ts';
import { createSimUniverse, SIM_DATASET } from '../sources/sim-universe.ts';
import { createHttpServer } from './http-server.ts';
import { catalogueFacts } from './indicators-route.ts';
import type { InstrumentView } from './instrument-view.ts';
import { restRoutes } from './rest-routes.ts';

const KEY = 'svc_live_0123456789abcdefghijklmnopq';
const AUTHORIZED = { authorization: `Bearer ${KEY}` };
/** A Wednesday in Chicago's morning: every market is open. */
const WEDNESDAY = instant('2026-11-11T16:00:00Z');
const SATURDAY = instant('2026-11-14T16:00:00Z');

function instant(text: string): EpochNs {
  return (BigInt(Date.parse(text)) * 1_000_000n) as EpochNs;
}

const universe = createSimUniverse({ seed: 1, printsScale: 0.01 }, utcDay(20261111));
const service = { now: WEDNESDAY, engine: 'up' as EngineState, source: true };
const catalogue = catalogueFacts(
  publishedDefinitions(),
  join(import.meta.dirname, '../../../core/src'),
);

function fullSessions(symbol: string) {
  const calendar = calendarNamed(universe.book.contract(symbol)!.calendar);
  const day = dayOf(service.now);
  const book = extendSessionBook(null, calendar, addDays(day, -10), addDays(day, 10), service.now);
  return sessionTable(book, 'full');
}

const routes = restRoutes({
  version: '1.2.3',
  catalogue: () => catalogue,
  engineState: () => service.engine,
  instruments: () => ({
    book: universe.book,
    now: service.now,
    day: dayOf(service.now),
    isSourceUp: service.source,
    isStreamed: (symbol) =>
      universe.streamedOn(dayOf(service.now)).some((contract) => contract.symbol === symbol),
    fullSessions,
    lastTradeAt: (symbol) => (symbol === 'ESZ6' ? ((service.now - 7n) as EpochNs) : null),
  }),
});
const { app } = createHttpServer({
  routes,
  authenticator: new DevKeyAuthenticator(KEY),
  log: createLog({ level: 'silent', readable: false, write: () => {} }),
  docsUrl: () => 'https://docs.example',
});
after(() => app.close());

/** Gets a route and checks its answer against the schema it publishes. */
async function get<T>(url: string, headers: Record<string, string> = {}): Promise<T> {
  const response = await app.inject({ method: 'GET', url, headers });
  assert.equal(response.statusCode, 200, response.body);
  assert.match(String(response.headers['content-type']), /^application\/json/);
  const body: unknown = response.json();
  const route = routes.find(({ path }) => path === url.split('?')[0])!;
  assert.ok(Check(route.answer, body), `the answer of ${url} fits its schema`);
  return body as T;
}

async function instruments(query = ''): Promise<InstrumentView[]> {
  const path = `/v1/instruments${query}`;
  return (await get<{ instruments: InstrumentView[] }>(path, AUTHORIZED)).instruments;
}

test('the catalogue is public and complete, and the same at every call [CAT-01, CAT-02, CAT-03, CAT-04]', async () => {
  const answer = await get<typeof catalogue>('/v1/indicators');
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
  const { indicators } = await get<typeof catalogue>('/v1/indicators');
  for (const indicator of indicators) {
    // Depth is the one parameter of display there is; a few indicators have no need of it.
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
    assert.ok(BigInt(entry.updatedAt) <= service.now && BigInt(entry.updatedAt) > 0n);
    assert.equal(entry.alias === null, entry.rolls === undefined);
  }
  const es = list.find(({ symbol }) => symbol === 'ESZ6')!;
  assert.equal(es.alias, 'ES.c.0');
  assert.equal(es.tickSizeNanos, 250_000_000);
  assert.equal(es.updatedAt, (service.now - 7n).toString());
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
  const response = await app.inject({ method: 'GET', url, headers: AUTHORIZED });
  assert.equal(response.statusCode, 400);
  assert.equal(response.json().errors[0].path, '/dataset');
});

test('the instruments need a key, the status and the catalogue need none', async () => {
  const statusOf = async (url: string) => (await app.inject({ method: 'GET', url })).statusCode;
  assert.equal(await statusOf('/v1/instruments'), 401);
  assert.equal(await statusOf('/v1/status'), 200);
  assert.equal(await statusOf('/v1/indicators'), 200);
});

interface ServiceStatus {
  readonly engine: { readonly state: EngineState };
  readonly instruments: readonly { symbol: string; alias: string | null; state: string }[];
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

  service.engine = 'down';
  service.source = false;
  const down = await get<ServiceStatus>('/v1/status');
  assert.equal(down.engine.state, 'down');
  assert.ok(down.instruments.every(({ state }) => state === 'down'));

  service.engine = 'up';
  service.source = true;
  service.now = SATURDAY;
  const weekend = await get<ServiceStatus>('/v1/status');
  for (const { symbol, state } of weekend.instruments) {
    assert.equal(state, symbol.startsWith('BTC') ? 'open' : 'closed', symbol);
  }
  service.now = WEDNESDAY;
});

test('every route lies below /v1 and is documented [VER-01]', async () => {
  for (const { path } of routes) {
    assert.match(path, /^\/v1\//);
    const bare = await app.inject({ method: 'GET', url: path.slice('/v1'.length) });
    assert.equal(bare.statusCode, 404);
    assert.equal(bare.json().code, 'NOT_FOUND');
  }
});
