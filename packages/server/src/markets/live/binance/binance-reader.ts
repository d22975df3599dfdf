/**
 * Reads the messages of one connection to Binance. Trades count from the moment at which every subscription is
 * acknowledged: a contract that is not subscribed yet would seem to be without trades.
 */

import type { FeedContract, FeedMessage, Reading, VenueReader } from '../feed.ts';
import { reasonOf } from '../reason-of.ts';
import { FieldError, fieldsOf, numberOf, wholeOf } from '../venue-answers.ts';
import { type AggregateTrade, tradeOf } from './aggregate-trade.ts';
import type { BinanceMarket } from './binance-market.ts';
import { isSubscription, subscriptionsOf } from './binance-subscription.ts';

const NOTHING: readonly Reading[] = [];
const decoder = new TextDecoder();

interface Member {
  readonly contract: FeedContract;
  /** The last aggregate trade; -1: none. */
  id: number;
  /** The last single trade in it; -1: unknown. */
  fill: number;
}

export class BinanceReader implements VenueReader {
  readonly #market: BinanceMarket;
  readonly #members: ReadonlyMap<unknown, Member>;
  /** Numbers of subscriptions without an answer. */
  readonly #unanswered: Set<number>;

  constructor(market: BinanceMarket, contracts: readonly FeedContract[]) {
    this.#market = market;
    this.#members = new Map(
      contracts.map((contract) => [contract.venueSymbol, { contract, id: -1, fill: -1 }]),
    );
    this.#unanswered = new Set(subscriptionsOf(contracts).map((_, index) => index + 1));
  }

  read(message: FeedMessage): readonly Reading[] {
    try {
      const text = typeof message === 'string' ? message : decoder.decode(message);
      return this.#read(JSON.parse(text) as unknown);
    } catch (error) {
      return [{ kind: 'garbled', why: reasonOf(error) }];
    }
  }

  #read(message: unknown): readonly Reading[] {
    // Streams over all contracts, of both markets. None is subscribed.
    if (Array.isArray(message)) return NOTHING;
    const outer = fieldsOf(message, 'of the message');
    // On /stream a message is inside of another, which names its stream.
    if (Array.isArray(outer.data)) return NOTHING;
    const fields = outer.stream === undefined ? outer : fieldsOf(outer.data, 'data');
    const event = fields.e;
    if (event === 'aggTrade') return this.#trade(fields);
    if (typeof event === 'string') return NOTHING;
    if (event === undefined && 'id' in fields) return this.#answer(fields);
    if ('code' in fields || 'error' in fields) return [refused(fields)];
    throw new FieldError('e', event);
  }

  #trade(fields: AggregateTrade): readonly Reading[] {
    const member = this.#members.get(fields.s);
    if (member === undefined) {
      if (typeof fields.s === 'string') return NOTHING;
      throw new FieldError('s', fields.s);
    }
    if (this.#unanswered.size > 0) return NOTHING;
    const { contract } = member;
    const { symbol } = contract;
    const number = fields.st;
    if (number !== undefined && wholeOf(number, 'st') !== this.#market.number) {
      return [{ kind: 'leftOut', symbol, what: 'trade of another market' }];
    }
    const trade = tradeOf(contract, fields);
    const trades: Reading = { kind: 'trades', symbol, trades: [trade] };
    if (follows(member, trade.id, fields)) return [trades];
    return [trades, { kind: 'note', symbol, what: 'hole in the numbers of single trades' }];
  }

  #answer(fields: AggregateTrade): readonly Reading[] {
    const id = Number(fields.id);
    const isError = 'code' in fields || 'error' in fields;
    if (isSubscription(id) && (isError || fields.result !== null)) return [refused(fields)];
    if (!this.#unanswered.delete(id)) return [{ kind: 'alive', venueTime: null }];
    return this.#unanswered.size === 0 ? [{ kind: 'subscribed' }] : NOTHING;
  }
}

/**
 * Whether the single trades of this one continue those of the one before. If not, nothing is missing: single trades off
 * the book take numbers too.
 */
function follows(member: Member, id: number, { f, l }: AggregateTrade): boolean {
  const isNext = id === member.id + 1 && member.fill >= 0;
  const first = f === undefined ? -1 : numberOf(f, 'f');
  const last = l === undefined ? -1 : numberOf(l, 'l');
  const isRight = !isNext || first < 0 || first === member.fill + 1;
  if (id > member.id) {
    member.id = id;
    member.fill = last;
  }
  return isRight;
}

/** No answer says which contract it is about. */
function refused(fields: AggregateTrade): Reading {
  const { code, msg } = fieldsOf(fields.error ?? fields, 'error');
  const why = msg === undefined ? JSON.stringify(fields) : `${msg} (${code})`;
  return { kind: 'garbled', why: `the venue refuses the subscription: ${why.slice(0, 200)}` };
}
