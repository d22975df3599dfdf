/**
 * DuckDB on one thread over the same trades in its own memory, for the indicators that SQL can
 * express: the fastest of several queries each, with minutes and sessions computed by arithmetic.
 * Results are fetched as column chunks, without converting values to JavaScript objects.
 */

import {
  BIGINT,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  INTEGER,
  TINYINT,
} from '@duckdb/node-api';
import { epochNs } from '@tapeloom/core/utc-day';
import type { SimTape } from '../shared/sim-tape.ts';

const CHUNK_ROWS = 2_048;
const COLUMN_TYPES = [BIGINT, INTEGER, INTEGER, TINYINT];
const MINUTE = 'ts // 60000000000 AS minute';
/** Volume, delta and volume with a known side: bid and ask follow from these. */
const VOLUMES = 'sum(size), sum(size * side), sum(size * side * side)';
/** Sessions of the simulated tape open at 23:00 UTC. */
const SESSION_OF_TS = '(ts + 3600000000000) // 86400000000000';
const SESSION_OF_MINUTE = '(minute + 60) // 1440';

/** The report's notes list what a query leaves out. */
export const PEER_SQL: ReadonlyMap<string, string> = new Map([
  [
    'bars',
    `SELECT ${MINUTE}, first(price), max(price), min(price), last(price), ${VOLUMES}, count(*)
     FROM trades GROUP BY minute ORDER BY minute`,
  ],
  [
    'footprint',
    `SELECT ${MINUTE}, price, ${VOLUMES} FROM trades GROUP BY minute, price ORDER BY minute, price`,
  ],
  [
    'volume-profile',
    `SELECT ${SESSION_OF_TS} AS session, price, ${VOLUMES}
     FROM trades GROUP BY session, price ORDER BY session, price`,
  ],
  [
    'delta',
    // A running sum over all rows can stream; sessions are split afterwards, on few rows.
    `WITH running AS (
       SELECT ${MINUTE}, size, (sum(size * side) OVER (ROWS UNBOUNDED PRECEDING))::BIGINT AS total
       FROM trades),
     candles AS (
       SELECT minute, max(total) AS high, min(total) AS low, last(total) AS close, sum(size) AS volume
       FROM running GROUP BY minute),
     opened AS (SELECT *, lag(close, 1, 0) OVER (ORDER BY minute) AS open FROM candles),
     based AS (
       SELECT *, first_value(open) OVER (PARTITION BY ${SESSION_OF_MINUTE} ORDER BY minute) AS base
       FROM opened)
     SELECT minute, open - base, greatest(high, open) - base, least(low, open) - base, close - base, volume
     FROM based ORDER BY minute`,
  ],
  [
    'vwap',
    `WITH sums AS (
       SELECT ${MINUTE}, sum(size) AS volume, sum(price::BIGINT * size) AS first,
         sum(price::BIGINT * price * size) AS second
       FROM trades GROUP BY minute),
     running AS (
       SELECT minute, sum(volume) OVER session AS volume, sum(first) OVER session AS first,
         sum(second) OVER session AS second
       FROM sums WINDOW session AS (PARTITION BY ${SESSION_OF_MINUTE} ORDER BY minute))
     SELECT minute, first / volume, sqrt(greatest(second / volume - (first / volume) ** 2, 0)), volume
     FROM running ORDER BY minute`,
  ],
]);

export class DuckDbPeer implements Disposable {
  readonly #connection: DuckDBConnection;

  private constructor(connection: DuckDBConnection) {
    this.#connection = connection;
  }

  static async load(tape: SimTape): Promise<DuckDbPeer> {
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
    const connection = await instance.connect();
    await connection.run(
      'CREATE TABLE trades (ts BIGINT, price INTEGER, size INTEGER, side TINYINT)',
    );
    const appender = await connection.createAppender('trades');
    for (const { day, count, ts, price, size, side } of tape.batches) {
      const midnight = epochNs(day, 0);
      for (let from = 0; from < count; from += CHUNK_ROWS) {
        const to = Math.min(from + CHUNK_ROWS, count);
        const chunk = DuckDBDataChunk.create(COLUMN_TYPES, to - from);
        chunk.setColumns([
          Array.from(ts.subarray(from, to), (ns) => midnight + BigInt(ns)),
          Array.from(price.subarray(from, to)),
          Array.from(size.subarray(from, to)),
          Array.from(side.subarray(from, to)),
        ]);
        appender.appendDataChunk(chunk);
      }
    }
    appender.closeSync();
    return new DuckDbPeer(connection);
  }

  /** Runs the indicator's query to its end and returns the number of rows. */
  async query(indicatorId: string): Promise<number> {
    const reader = await this.#connection.runAndReadAll(PEER_SQL.get(indicatorId)!);
    return reader.currentRowCount;
  }

  [Symbol.dispose](): void {
    this.#connection.closeSync();
  }
}
