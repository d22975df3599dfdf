/** The two futures markets of Binance and what differs between them. They share one limit of requests. */

import type { VenueAddresses } from '../venue-kind.ts';

export interface BinanceMarket {
  readonly name: 'binance-usdm' | 'binance-coinm';
  readonly title: string;
  readonly addresses: VenueAddresses;
  /** Before the name of each request. */
  readonly restPath: string;
  /** Its number in the field `st` of a message. */
  readonly number: number;
  /** A contract is a fixed amount of the price's currency. */
  readonly isInverse: boolean;
  readonly examples: readonly string[];
}

export const USD_M: BinanceMarket = {
  name: 'binance-usdm',
  title: 'Binance USD-M futures',
  // Without /market the stream acknowledges subscriptions and stays silent.
  addresses: { stream: 'wss://fstream.binance.com/market', rest: 'https://fapi.binance.com' },
  restPath: '/fapi/v1',
  number: 1,
  isInverse: false,
  examples: ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'],
};

export const COIN_M: BinanceMarket = {
  name: 'binance-coinm',
  title: 'Binance COIN-M futures',
  addresses: { stream: 'wss://dstream.binance.com', rest: 'https://dapi.binance.com' },
  restPath: '/dapi/v1',
  number: 2,
  isInverse: true,
  examples: ['BTCUSD_PERP', 'ETHUSD_PERP', 'SOLUSD_PERP'],
};
