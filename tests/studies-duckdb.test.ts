/**
 * A cross-check by another program: over one simulated trading day, DuckDB's SQL gives exactly the
 * same `bars`, `footprint`, `delta`, `vwap` (time, 60 s) and `volume-profile` as the studies.
 */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { calendarNamed } from '@tapeloom/core/calendar/calendars';
import { resolveSessions } from '@tapeloom/core/calendar/resolve-sessions';
import type { Session } from '@tapeloom/core/calendar/session';
import { createSessionTable } from '@tapeloom/core/calendar/session-table';
import type { Rank, UtcDay } from '@tapeloom/core/numbers';
import { indicatorNamed } from '@tapeloom/core/studies/catalogue';
import { parseParams } from '@tapeloom/core/studies/params';
import { StudyRun } from '@tapeloom/core/studies/run';
import type { ObjectVersion } from '@tapeloom/core/studies/study';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import { addDays, dayOf, epochNs, utcDay } from '@tapeloom/core/utc-day';
import { createSimUniverse } from '@tapeloom/server/markets/sim/sim-universe';
import { TradeColumns } from '@tapeloom/server/markets/sim/trades/trade-columns';

/** A Tuesday; its session opened on the previous evening. */
const DATE = utcDay(20260310);
const MINUTE_NS = 60_000_000_000n;

const universe = createSimUniverse({ seed: 7, printsScale: 1 }, DATE);
const contract = universe.streamedOn(DATE).find(({ root }) => root === 'ES')!;
const [session] = resolveSessions(calendarNamed(contract.calendar), 'full', DATE, DATE) as [
  Session,
];
const batches = [dayOf(session.open), DATE].map(simulatedDay);

let connection: DuckDBConnection;

describe(`one simulated day of ${contract.symbol}`, () => {
  before(async () => {
    connection = await (await DuckDBInstance.create(':memory:')).connect();
    await load(connection);
  });
  after(() => connection.closeSync());

  it('bars: open, high, low, close, volumes, delta and its extremes are those of SQL', async () => {
    const rows = await query(`
      WITH running AS (
        SELECT *, sum(size * side) OVER (PARTITION BY bar ORDER BY place) AS delta FROM trades)
      SELECT bar, arg_min(price, place) AS open, max(price) AS high, min(price) AS low,
        arg_max(price, place) AS close, sum(size) AS volume,
        coalesce(sum(size) FILTER (side = -1), 0) AS bid,
        coalesce(sum(size) FILTER (side = 1), 0) AS ask,
        coalesce(sum(size) FILTER (side = 0), 0) AS unknown,
        count(*) AS trades, sum(size * side) AS delta,
        least(0, min(delta)) AS deltaMin, greatest(0, max(delta)) AS deltaMax,
        arg_min(id, place) AS id
      FROM running GROUP BY bar ORDER BY bar`);
    assert.ok(rows.length > 1_300);
    const objects = settled('bars');
    assert.equal(objects.length, rows.length);
    for (const [index, { bar, id, ...numbers }] of rows.entries()) {
      const open = session.open + BigInt(bar as number) * MINUTE_NS;
      const data = { ...numbers, end: String(open + MINUTE_NS) };
      assert.deepEqual(objects[index], { id, final: true, ts: String(open), data });
    }
  });

  it('footprint: levels, point of control and imbalances are those of SQL', async () => {
    const rows = await query(`
      WITH levels AS (
        SELECT bar, price, sum(size) AS volume,
          coalesce(sum(size) FILTER (side = -1), 0) AS bid,
          coalesce(sum(size) FILTER (side = 1), 0) AS ask,
          coalesce(sum(size) FILTER (side = 0), 0) AS unknown
        FROM trades GROUP BY bar, price),
      ranked AS (
        SELECT *, row_number() OVER (PARTITION BY bar ORDER BY volume DESC,
          abs(2 * price - low - high), price) AS place
        FROM (SELECT *, min(price) OVER (PARTITION BY bar) AS low,
          max(price) OVER (PARTITION BY bar) AS high FROM levels))
      SELECT here.bar, here.price, here.bid, here.ask, here.unknown, here.place = 1 AS isPoc,
        here.bid >= 10 AND above.ask > 0 AND here.bid >= 3 * above.ask AS sells,
        here.ask >= 10 AND below.bid > 0 AND here.ask >= 3 * below.bid AS buys
      FROM ranked here
        LEFT JOIN levels above ON above.bar = here.bar AND above.price = here.price + 1
        LEFT JOIN levels below ON below.bar = here.bar AND below.price = here.price - 1
      ORDER BY here.bar, here.price`);
    const byBar = Map.groupBy(rows, ({ bar }) => bar);
    const expected = [...byBar.values()].map((levels) => ({
      levels: levels.map(({ price, bid, ask, unknown }) =>
        unknown === 0 ? [price, bid, ask] : [price, bid, ask, unknown],
      ),
      poc: levels.find(({ isPoc }) => isPoc)!.price,
      imbalances: levels.flatMap(({ price, sells, buys }) => [
        ...(sells ? [[price, -1]] : []),
        ...(buys ? [[price, 1]] : []),
      ]),
    }));
    assert.ok(expected.some(({ imbalances }) => imbalances.length > 0));
    const made = settled('footprint').map(({ data }) => {
      const { levels, poc, imbalances } = data as (typeof expected)[number];
      return { levels, poc, imbalances };
    });
    assert.deepEqual(made, expected);
  });

  it('delta: the candle of the cumulative delta since the open is that of SQL', async () => {
    const rows = await query(`
      WITH running AS (
        SELECT bar, place, size, sum(size * side) OVER (ORDER BY place) AS cumulative,
          sum(size * side) OVER (ORDER BY place) - size * side AS before FROM trades)
      SELECT arg_min(before, place) AS open,
        greatest(max(cumulative), arg_min(before, place)) AS high,
        least(min(cumulative), arg_min(before, place)) AS low,
        arg_max(cumulative, place) AS close, sum(size) AS volume
      FROM running GROUP BY bar ORDER BY bar`);
    assert.ok(rows.length > 1_300);
    assert.deepEqual(
      settled('delta').map(({ data }) => data),
      rows,
    );
  });

  it('vwap: the average price since the open is that of SQL', async () => {
    const rows = await query(`
      WITH sums AS (
        SELECT bar, sum(price::HUGEINT * size) AS turnover, sum(size) AS volume
        FROM trades GROUP BY bar)
      SELECT (sum(turnover) OVER (ORDER BY bar))::VARCHAR AS turnover,
        sum(volume) OVER (ORDER BY bar) AS volume
      FROM sums ORDER BY bar`);
    const objects = settled('vwap');
    assert.equal(objects.length, rows.length);
    for (const [index, { turnover, volume }] of rows.entries()) {
      const data = objects[index]!.data as { readonly vwap: number; readonly volume: number };
      assert.equal(data.volume, volume);
      const millionths = (BigInt(turnover as string) * 2_000_000n) / BigInt(volume as number);
      assert.equal(data.vwap, Number((millionths + 1n) / 2n) / 1e6);
    }
  });

  for (const period of ['session', 1_800] as const) {
    it(`volume-profile (${period}): levels, point of control, sums and extremes are those of SQL`, async () => {
      const part = period === 'session' ? '0' : `bar // ${period / 60}`;
      const rows = await query(`
        WITH levels AS (
          SELECT ${part} AS part, price, sum(size) AS total, sum(size * side) AS delta,
            coalesce(sum(size) FILTER (side = -1), 0) AS bid,
            coalesce(sum(size) FILTER (side = 1), 0) AS ask,
            coalesce(sum(size) FILTER (side = 0), 0) AS unknown
          FROM trades GROUP BY part, price),
        ends AS (SELECT part, min(price) AS low, max(price) AS high FROM levels GROUP BY part)
        SELECT part, list(CASE WHEN unknown = 0 THEN [price, bid, ask]
            ELSE [price, bid, ask, unknown] END ORDER BY price)::VARCHAR AS levels,
          list(price ORDER BY total DESC, abs(2 * price - low - high), price)[1] AS poc,
          sum(total) AS volume, sum(delta) AS delta, low, high
        FROM levels JOIN ends USING (part) GROUP BY part, low, high ORDER BY part`);
      assert.equal(rows.length, period === 'session' ? 1 : 46);
      const expected = rows.map(({ part: _, levels, ...numbers }) => {
        return { ...numbers, levels: JSON.parse(levels as string) };
      });
      const made = settled('volume-profile', { period }).map(({ data }) => {
        const { levels, poc, volume, delta, low, high } = data as Record<string, unknown>;
        return { levels, poc, volume, delta, low, high };
      });
      assert.deepEqual(made, expected);
    });
  }
});

function simulatedDay(day: UtcDay): TradeBatch {
  const columns = new TradeColumns();
  universe.market.appendDay(contract.symbol, day, columns);
  const { count, ts, price, size, side } = columns;
  return { day, firstRank: 1 as Rank, count, ts, price, size, side };
}

/** The study's final objects of the session. */
function settled(id: string, input: object = {}): ObjectVersion[] {
  const indicator = indicatorNamed(id)!;
  const parsed = parseParams(indicator, input);
  assert.ok('params' in parsed);
  const objects: ObjectVersion[] = [];
  const output = {
    upsert: (version: ObjectVersion) => {
      objects.push(version);
    },
    remove: () => assert.fail('bars are never removed'),
    openSession: () => {},
    flushed: () => assert.fail('a settled run has no flushes'),
  };
  const start = { at: epochNs(dayOf(session.open), 0), rank: 0 as Rank };
  const table = createSessionTable([session]);
  const run = new StudyRun(indicator.create(parsed.params), table, start, { output });
  for (const batch of batches) run.apply(batch);
  run.advance(epochNs(addDays(DATE, 1), 0));
  return objects;
}

/** Loads the trades of the session, each with its minute since the open. */
async function load(into: DuckDBConnection): Promise<void> {
  await into.run(
    'CREATE TABLE trades (place INTEGER, id VARCHAR, bar INTEGER, price INTEGER, size INTEGER, side INTEGER)',
  );
  const appender = await into.createAppender('trades');
  let place = 0;
  for (const { day, count, ts, price, size, side } of batches) {
    for (let row = 0; row < count; row += 1) {
      const instant = epochNs(day, ts[row]!);
      if (instant < session.open || instant >= session.close) continue;
      place += 1;
      appender.appendInteger(place);
      appender.appendVarchar(`${day}.${row + 1}`);
      appender.appendInteger(Number((instant - session.open) / MINUTE_NS));
      appender.appendInteger(price[row]!);
      appender.appendInteger(size[row]!);
      appender.appendInteger(side[row]!);
      appender.endRow();
    }
  }
  appender.closeSync();
}

async function query(sql: string): Promise<Record<string, unknown>[]> {
  const reader = await connection.runAndReadAll(sql);
  return reader.getRowObjectsJS().map((row) => {
    const entries = Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'bigint' ? Number(value) : value,
    ]);
    return Object.fromEntries(entries);
  });
}
