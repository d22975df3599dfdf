/** A fresh dialect of every venue, by the name of its feed. */

import type { Dialect } from '../dialect.ts';
import { BinanceDialect } from './binance-dialect.ts';
import { bybitDialect } from './bybit-dialect.ts';
import { coinbaseDialect } from './coinbase-dialect.ts';
import { databentoDialect } from './databento-dialect.ts';
import { deribitDialect } from './deribit-dialect.ts';
import { krakenFuturesDialect } from './kraken-futures-dialect.ts';
import { okxDialect } from './okx-dialect.ts';

export const ALL_DIALECTS: Readonly<Record<string, () => Dialect>> = {
  'binance-usdm': () => new BinanceDialect('binance-usdm'),
  'binance-coinm': () => new BinanceDialect('binance-coinm'),
  okx: () => okxDialect,
  'bybit-linear': () => bybitDialect,
  coinbase: () => coinbaseDialect,
  databento: () => databentoDialect(),
  deribit: () => deribitDialect,
  'kraken-futures': () => krakenFuturesDialect,
};
