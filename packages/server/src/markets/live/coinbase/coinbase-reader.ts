/**
 * Reads the messages of one connection to Coinbase. All of them are numbered, so that a lost one is noticed: then the
 * connection ends, because its trades may have been the last ones of their product.
 */

import type { FeedContract, FeedMessage, Reading, VenueReader } from '../feed.ts';
import { type FeedTrade, instantOf } from '../lines/line.ts';
import { timeOfText } from '../time-of-text.ts';
import { FieldError, fieldsOf, hasWord, listOf, shownText, wholeOf } from '../venue-answers.ts';
import { coinbaseTrade } from './coinbase-rows.ts';

export const TRADES_CHANNEL = 'market_trades';

/** Of an error about a product, for which the whole subscription is refused. Another attempt would say the same. */
const INVALID = /(?:not a valid|invalid|unknown) product/i;

type Fields = Readonly<Record<string, unknown>>;

export class CoinbaseReader implements VenueReader {
  readonly #contracts: ReadonlyMap<unknown, FeedContract>;
  /** The number of the next message; null: none has come. */
  #next: number | null = null;

  constructor(contracts: readonly FeedContract[]) {
    this.#contracts = new Map(contracts.map((contract) => [contract.venueSymbol, contract]));
  }

  read(message: FeedMessage): readonly Reading[] {
    const read = fieldsOf(JSON.parse(String(message)), 'of the message');
    const { channel, type, events } = read;
    if (type === 'error') return this.#error(JSON.stringify(read));
    if (channel === undefined) return [];
    const lost = this.#counted(wholeOf(read.sequence_num, 'sequence_num'));
    if (channel !== TRADES_CHANNEL) return [...lost, ...this.#others(channel, read)];
    const readings: Reading[] = [...lost];
    for (const event of listOf(events, 'events')) {
      this.#trades(fieldsOf(event, 'events'), readings);
    }
    return readings;
  }

  #error(said: string): readonly Reading[] {
    const garbled: Reading = { kind: 'garbled', why: `error ${said}` };
    const named = [...this.#contracts.values()].filter((it) => hasWord(said, it.venueSymbol));
    const [contract] = named;
    if (contract === undefined || named.length > 1 || !INVALID.test(said)) return [garbled];
    const why = `Coinbase does not serve ${contract.venueSymbol}: ${shownText(said)}`;
    return [{ kind: 'refused', symbol: contract.symbol, why }, garbled];
  }

  #others(channel: unknown, { events, timestamp }: Fields): readonly Reading[] {
    const time = timestamp === undefined ? null : timeOfText(timestamp, 'timestamp');
    const alive: Reading = { kind: 'alive', venueTime: time === null ? null : instantOf(time) };
    if (channel !== 'subscriptions') return [alive];
    const answers = listOf(events, 'events').flatMap((event) =>
      this.#subscribed(fieldsOf(fieldsOf(event, 'events').subscriptions, 'subscriptions')),
    );
    return [alive, ...answers];
  }

  #counted(number: number): readonly Reading[] {
    const next = this.#next ?? number;
    // A repeated message does not lower the number of the next one.
    this.#next = Math.max(next, number + 1);
    if (number <= next) return [];
    return [{ kind: 'garbled', why: `messages ${next} to ${number - 1} are missing` }];
  }

  /** The answer lists all products of each channel. */
  #subscribed(subscriptions: Fields): readonly Reading[] {
    const products = subscriptions[TRADES_CHANNEL];
    if (products === undefined) return [];
    const served = new Set(listOf(products, TRADES_CHANNEL));
    const readings: Reading[] = [{ kind: 'subscribed' }];
    for (const { symbol, venueSymbol } of this.#contracts.values()) {
      const why = `Coinbase does not serve ${venueSymbol}.`;
      if (!served.has(venueSymbol)) readings.push({ kind: 'refused', symbol, why });
    }
    return readings;
  }

  /** A new line begins with the first trade that it is given: with the newest of a snapshot, which is the past. */
  #trades({ type, trades }: Fields, readings: Reading[]): void {
    if (type !== 'snapshot' && type !== 'update') throw new FieldError('type', type);
    const found = new Map<FeedContract, FeedTrade[]>();
    for (const value of listOf(trades, 'trades')) {
      const row = fieldsOf(value, 'trades');
      const product = row.product_id;
      if (typeof product !== 'string') throw new FieldError('product_id', product);
      const contract = this.#contracts.get(product);
      if (contract === undefined) continue;
      found.getOrInsertComputed(contract, () => []).push(coinbaseTrade(row, contract));
    }
    const direction = type === 'snapshot' ? -1 : 1;
    for (const [{ symbol }, some] of found) {
      if (some.length > 1) some.sort((a, b) => direction * (a.id - b.id));
      readings.push({ kind: 'trades', symbol, trades: some });
    }
  }
}
