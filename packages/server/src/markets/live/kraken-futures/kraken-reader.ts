/** Reads the messages of one connection to Kraken Futures: each subscription begins with the newest 100 trades. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { MS_NS_BIG } from '@tapeloom/core/units';
import type { FeedContract, FeedMessage, Reading, VenueReader } from '../feed.ts';
import { fieldsOf, listOf, wholeOf } from '../venue-answers.ts';
import { streamTrade } from './kraken-rows.ts';

type Fields = Readonly<Record<string, unknown>>;

export class KrakenReader implements VenueReader {
  readonly #contracts: ReadonlyMap<unknown, FeedContract>;

  constructor(contracts: readonly FeedContract[]) {
    this.#contracts = new Map(contracts.map((contract) => [contract.venueSymbol, contract]));
  }

  read(message: FeedMessage): readonly Reading[] {
    const read = fieldsOf(JSON.parse(String(message)), 'of the message');
    if (read.event !== undefined) return this.#event(read);
    const { feed } = read;
    if (feed === 'heartbeat') return heartbeat(read);
    if (feed !== 'trade' && feed !== 'trade_snapshot') return [];
    const contract = this.#contracts.get(read.product_id);
    if (contract === undefined) return [];
    const { symbol } = contract;
    if (feed === 'trade') {
      return [{ kind: 'trades', symbol, trades: [streamTrade(read, contract)] }];
    }
    const trades = listOf(read.trades, 'trades').map((row) => streamTrade(row, contract));
    // A new line begins with the first trade that it is given: the newest one.
    return [{ kind: 'trades', symbol, trades: trades.sort((a, b) => b.id - a.id) }];
  }

  #event(read: Fields): readonly Reading[] {
    const { event, feed } = read;
    if (event === 'error') return [{ kind: 'garbled', why: `error ${JSON.stringify(read)}` }];
    if (feed !== 'trade') return [];
    if (event === 'subscribed') return [{ kind: 'subscribed' }];
    if (event !== 'subscribed_failed') return [];
    return listOf(read.product_ids, 'product_ids').flatMap((product) => {
      const symbol = this.#contracts.get(product)?.symbol;
      const why = `Kraken Futures does not serve ${product}.`;
      return symbol === undefined ? [] : [{ kind: 'refused', symbol, why }];
    });
  }
}

function heartbeat({ time }: Fields): readonly Reading[] {
  const venueTime =
    time === undefined ? null : ((BigInt(wholeOf(time, 'time')) * MS_NS_BIG) as EpochNs);
  return [{ kind: 'alive', venueTime }];
}
