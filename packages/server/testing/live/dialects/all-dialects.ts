/** A fresh dialect of every venue, by the name of its feed. */

import type { Dialect } from '../dialect.ts';
import { BinanceDialect } from './binance-dialect.ts';
import { coinbaseDialect } from './coinbase-dialect.ts';
import { deribitDialect } from './deribit-dialect.ts';

export const ALL_DIALECTS: Readonly<Record<string, () => Dialect>> = {
  'binance-usdm': () => new BinanceDialect('binance-usdm'),
  'binance-coinm': () => new BinanceDialect('binance-coinm'),
  coinbase: () => coinbaseDialect,
  deribit: () => deribitDialect,
};
