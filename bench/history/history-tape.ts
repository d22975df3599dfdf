/**
 * Seals past days of a busy simulated contract in a data directory, with any number of trades per
 * trading day. A service that starts on this directory finds the days sealed and does not build
 * them again.
 */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type EpochNs, rank, type UtcDay } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import { addDays, dayOf, epochNs } from '@tapeloom/core/utc-day';
import { createSimUniverse, SIM_DATASET } from '@tapeloom/server/markets/sim/sim-universe';
import { TradeColumns } from '@tapeloom/server/markets/sim/trades/trade-columns';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { sealDay } from '@tapeloom/server/tape/write/seal/seal';

const SEED = 1;
/** Each day is first simulated at this scale, to estimate its trades. */
const SAMPLE_SCALE = 0.05;
/** A day with less than this share of the maximum is a Sunday or a holiday. */
const TRADING_SHARE = 0.3;

export interface TapeWish {
  readonly root: 'ES' | 'NQ';
  /** Trading days before today. */
  readonly days: number;
  readonly tradesPerDay: number;
}

interface TapeDay {
  readonly day: UtcDay;
  readonly trades: number;
  /** Neither a Sunday nor a holiday. */
  readonly isTrading: boolean;
}

export interface MadeTape {
  readonly symbol: string;
  /** Ascending. The first day holds the start of the session that reaches into the second day. */
  readonly days: readonly TapeDay[];
  /** The trades of the newest trading day. */
  readonly lastDay: TradeBatch;
}

export interface DaysRange {
  readonly from: EpochNs;
  readonly to: EpochNs;
  readonly trades: number;
}

/** The newest `count` trading days, with the days between them. */
export function newestDays({ days }: MadeTape, count: number): DaysRange {
  const trading = days.filter(({ isTrading }) => isTrading).slice(-count);
  if (trading.length < count) throw new RangeError(`there are ${trading.length} trading days`);
  const [first, last] = [trading[0]!.day, trading.at(-1)!.day];
  const within = days.filter(({ day }) => day >= first && day <= last);
  return {
    from: epochNs(first, 0),
    to: epochNs(addDays(last, 1), 0),
    trades: within.reduce((sum, { trades }) => sum + trades, 0),
  };
}

/** Seals the days of a contract below a data directory. */
export async function makeTape(data: string, wish: TapeWish): Promise<MadeTape> {
  const maker = new DayMaker(wish);
  const tapeRoot = join(data, 'tape');
  mkdirSync(tapeRoot, { recursive: true });
  const days: TapeDay[] = [];
  let lastDay: TradeBatch | null = null;
  for (let day = maker.firstDay; day < maker.today; day = addDays(day, 1)) {
    const batch = maker.make(day);
    const { symbol } = maker;
    await sealDay(new NodeDisk(), tapeRoot, { dataset: SIM_DATASET, symbol, batch });
    const isTrading = maker.isTrading(day);
    if (isTrading) lastDay = batch;
    days.push({ day, trades: batch.count, isTrading });
  }
  return { symbol: maker.symbol, days, lastDay: lastDay! };
}

class DayMaker {
  readonly today = dayOf((BigInt(Date.now()) * 1_000_000n) as EpochNs);
  readonly symbol: string;
  readonly firstDay: UtcDay;
  readonly #tradesPerDay: number;
  /** An estimate of a day's trades at the usual scale. */
  readonly #usual = new Map<UtcDay, number>();
  readonly #most: number;

  constructor({ root, days, tradesPerDay }: TapeWish) {
    const contracts = universe(1, this.today).streamedOn(this.today);
    this.symbol = contracts.find((contract) => contract.root === root)!.symbol;
    this.#tradesPerDay = tradesPerDay;
    const lastWeek = Array.from({ length: 7 }, (_, ago) => addDays(this.today, -ago - 1));
    this.#most = Math.max(...lastWeek.map((day) => this.#usually(day)));
    let first = this.today;
    for (let found = 0; found < days; ) {
      first = addDays(first, -1);
      if (this.isTrading(first)) found += 1;
    }
    this.firstDay = addDays(first, -1);
  }

  isTrading(day: UtcDay): boolean {
    return this.#usually(day) >= this.#most * TRADING_SHARE;
  }

  make(day: UtcDay): TradeBatch {
    const usually = this.isTrading(day) ? this.#usually(day) : this.#most;
    return this.#scaled(day, this.#tradesPerDay / usually);
  }

  #usually(day: UtcDay): number {
    return this.#usual.getOrInsertComputed(
      day,
      () => this.#scaled(day, SAMPLE_SCALE).count / SAMPLE_SCALE,
    );
  }

  #scaled(day: UtcDay, printsScale: number): TradeBatch {
    const columns = new TradeColumns();
    universe(printsScale, this.today).market.appendDay(this.symbol, day, columns);
    const { count, ts, price, size, side } = columns;
    return { day, firstRank: rank(1), count, ts, price, size, side };
  }
}

function universe(printsScale: number, today: UtcDay) {
  return createSimUniverse({ seed: SEED, printsScale }, today);
}
