/** DuckDB on one thread over a day's trades in zstd Parquet: the whole query, from file to rows. */

import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import { epochNs } from '@tapeloom/core/utc-day';

export class ParquetPeer implements Disposable {
  readonly #connection: DuckDBConnection;
  readonly #path: string;

  private constructor(connection: DuckDBConnection, path: string) {
    this.#connection = connection;
    this.#path = path;
  }

  static async write(path: string, batch: TradeBatch): Promise<ParquetPeer> {
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
    const connection = await instance.connect();
    await connection.run('CREATE TABLE day (ts BIGINT, price INTEGER, size INTEGER, side TINYINT)');
    const appender = await connection.createAppender('day');
    for (let row = 0; row < batch.count; row++) {
      appender.appendBigInt(epochNs(batch.day, batch.ts[row]!));
      appender.appendInteger(batch.price[row]!);
      appender.appendInteger(batch.size[row]!);
      appender.appendTinyInt(batch.side[row]!);
      appender.endRow();
    }
    appender.closeSync();
    await connection.run(`COPY day TO '${path}' (FORMAT parquet, COMPRESSION zstd)`);
    await connection.run('DROP TABLE day');
    return new ParquetPeer(connection, path);
  }

  /** Volume of each side at each price of each minute; returns the number of rows. */
  async footprint(): Promise<number> {
    const reader = await this.#connection.runAndReadAll(
      `SELECT ts // 60000000000 AS minute, price, sum(size), sum(size * side), sum(size * side * side)
       FROM '${this.#path}' GROUP BY minute, price ORDER BY minute, price`,
    );
    return reader.currentRowCount;
  }

  [Symbol.dispose](): void {
    this.#connection.closeSync();
  }
}
