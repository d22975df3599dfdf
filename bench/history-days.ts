/**
 * Sealed days of one busy simulated contract on the machine's own disk, and DuckDB's view of the last of
 * them: the same trades as zstd Parquet.
 */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { calendarNamed } from '@tapeloom/core/calendar/calendars';
import type { SessionKind, SessionTable } from '@tapeloom/core/calendar/session';
import { extendSessionBook, sessionTable } from '@tapeloom/core/calendar/session-book';
import { rank, type UtcDay } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import { NodeDisk } from '@tapeloom/server/platform/node-disk';
import { TradeColumns } from '@tapeloom/server/sources/sim/trade-columns';
import { createSimUniverse, SIM_DATASET } from '@tapeloom/server/sources/sim-universe';
import { sealDay } from '@tapeloom/server/tape/seal';

export const SYMBOL = 'ESH6';
/** A Tuesday; from here on the contract has nearly all volume of its root. */
const FIRST_DAY = utcDay(20_260_106);

export interface SealedTape {
  readonly tapeRoot: string;
  readonly days: readonly { readonly day: UtcDay; readonly trades: number }[];
  readonly lastDay: TradeBatch;
  sessions(kind: SessionKind): SessionTable;
}

/** Seals `count` days whose last has about `trades` trades. */
export async function sealTape(root: string, count: number, trades: number): Promise<SealedTape> {
  const usual = createSimUniverse({ seed: 1, printsScale: 1 }, FIRST_DAY);
  const columns = new TradeColumns();
  const lastDay = addDays(FIRST_DAY, count - 1);
  usual.market.appendDay(SYMBOL, lastDay, columns);
  const printsScale = trades / columns.count;
  const { market, book } = createSimUniverse({ seed: 1, printsScale }, FIRST_DAY);
  const tapeRoot = join(root, `tape-${count}-${trades}`);
  mkdirSync(tapeRoot);
  const days: { day: UtcDay; trades: number }[] = [];
  let last: TradeBatch | null = null;
  for (let day = FIRST_DAY; day <= lastDay; day = addDays(day, 1)) {
    const batch = dayBatch(market, day);
    await sealDay(new NodeDisk(), tapeRoot, { dataset: SIM_DATASET, symbol: SYMBOL, batch });
    days.push({ day, trades: batch.count });
    last = batch;
  }
  const calendar = calendarNamed(book.contract(SYMBOL)!.calendar);
  const [from, to] = [addDays(FIRST_DAY, -30), addDays(lastDay, 5)];
  const sessions = extendSessionBook(null, calendar, from, to, epochNs(from, 0));
  return { tapeRoot, days, lastDay: last!, sessions: (kind) => sessionTable(sessions, kind) };
}

function dayBatch(market: ReturnType<typeof createSimUniverse>['market'], day: UtcDay): TradeBatch {
  const columns = new TradeColumns();
  market.appendDay(SYMBOL, day, columns);
  const { count, ts, price, size, side } = columns;
  return { day, firstRank: rank(1), count, ts, price, size, side };
}

/** DuckDB on one thread over the trades of one day in a Parquet file, the whole query with its rows. */
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

  /** Volume of each side at each price of each minute; returns how many rows came. */
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
