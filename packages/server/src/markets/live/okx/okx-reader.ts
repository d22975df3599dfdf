/**
 * Reads the messages of one connection to OKX. Trades count from the moment at which every subscription is answered: a
 * contract that is not subscribed yet would seem to be without trades.
 */

import type { FeedContract, FeedMessage, Reading, VenueReader } from '../feed.ts';
import { fieldsOf, listOf, shownText, textOf } from '../venue-answers.ts';
import { okxTrade } from './okx-trades.ts';

export const OKX_CHANNEL = 'trades-all';

const PONG = 'pong';
/** The contract in the text of an error: `…,instId:BTC-USDT-SWAP doesn't exist`. */
const NAMED = /instId:([^\s,]+)/;
/** The service is busy or limits us: another attempt may succeed. */
const TEMPORARY_CODES: ReadonlySet<string> = new Set([
  '50001',
  '50004',
  '50011',
  '50013',
  '50026',
  '60014',
  '63999',
]);

export class OkxReader implements VenueReader {
  readonly #contracts: ReadonlyMap<unknown, FeedContract>;
  /** Names of contracts whose subscription has no answer. */
  readonly #unanswered: Set<unknown>;

  constructor(contracts: readonly FeedContract[]) {
    this.#contracts = new Map(contracts.map((contract) => [contract.venueSymbol, contract]));
    this.#unanswered = new Set(this.#contracts.keys());
  }

  read(message: FeedMessage): readonly Reading[] {
    if (typeof message !== 'string') return [{ kind: 'garbled', why: 'bytes instead of text' }];
    if (message === PONG) return [{ kind: 'alive', venueTime: null }];
    const { event, arg, data, code, msg } = fieldsOf(JSON.parse(message), 'message');
    if (event === 'error') return this.#refused(`${code}`, `${msg}`);
    if (event === 'subscribe') return this.#answered(fieldsOf(arg, 'arg').instId);
    // Notices and counts of connections.
    if (event !== undefined || data === undefined) return [];
    const { channel, instId } = fieldsOf(arg, 'arg');
    if (textOf(channel, 'arg.channel') !== OKX_CHANNEL) return [];
    const contract = this.#contracts.get(textOf(instId, 'arg.instId'));
    if (contract === undefined || this.#unanswered.size > 0) return [];
    const trades = listOf(data, 'data').map((row) => okxTrade(contract, row));
    return trades.length === 0 ? [] : [{ kind: 'trades', symbol: contract.symbol, trades }];
  }

  /** An error that names one of our contracts is about its subscription. */
  #refused(code: string, said: string): readonly Reading[] {
    const why = shownText(`${said} (${code})`);
    const contract = this.#contracts.get(NAMED.exec(said)?.[1]);
    if (contract === undefined || TEMPORARY_CODES.has(code)) return [{ kind: 'garbled', why }];
    const { symbol, venueSymbol } = contract;
    return [{ kind: 'refused', symbol, why }, ...this.#answered(venueSymbol)];
  }

  #answered(venueSymbol: unknown): readonly Reading[] {
    const isNew = this.#unanswered.delete(venueSymbol);
    return isNew && this.#unanswered.size === 0 ? [{ kind: 'subscribed' }] : [];
  }
}
