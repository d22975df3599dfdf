/**
 * A simulated Binance on sockets of this machine in a process of its own. The words on its command line: how many
 * contracts, and how many trades a second of each. It is quiet until it is told to trade.
 */

import { BinanceDialect } from '../../packages/server/testing/live/dialects/binance-dialect.ts';
import { VenueServer } from '../../packages/server/testing/live/venue-server.ts';
import { contractOf, type VenueOrder } from './venue-contracts.ts';

const [contracts = 1, tradesPerSecond = 20] = process.argv.slice(2).map(Number);
const dialect = new BinanceDialect(
  'binance-usdm',
  Array.from({ length: contracts }, (_, index) => contractOf(index + 1)),
);
let server = await VenueServer.start({ dialect, tradesPerSecond });
const { venue, ports } = server;
venue.faults.isQuiet = true;

const ORDERS: Readonly<Record<VenueOrder, () => unknown>> = {
  addresses: () => server.addresses,
  trade: () => {
    venue.faults.isQuiet = false;
  },
  quiet: () => {
    venue.faults.isQuiet = true;
  },
  down: () => server[Symbol.asyncDispose](),
  up: async () => {
    server = await VenueServer.start({ dialect, tradesPerSecond, venue, ports });
    return Date.now();
  },
  times: () => ({
    counts: [...venue.trades].map(([symbol, trades]) => [symbol, trades.length]),
    first: venue.trades.get(contractOf(1).venueSymbol)!.map(({ ms }) => ms),
  }),
};

process.on('message', async (order: VenueOrder) => {
  process.send!({ answer: (await ORDERS[order]()) ?? null });
});
process.on('disconnect', () => process.exit());
process.send!({ answer: null });
