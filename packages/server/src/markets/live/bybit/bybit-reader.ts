/**
 * Reads the messages of one connection to Bybit. Trades count from the last subscription of the connection on: those that
 * come earlier are held until then, because a page that is requested at that time must know all before it.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { MS_NS_BIG } from '@tapeloom/core/units';
import type { FeedContract, FeedMessage, Reading, VenueReader } from '../feed.ts';
import { FieldError, fieldsOf, listOf, shownText, textOf } from '../venue-answers.ts';
import { BLOCK_TRADE, bybitTrade } from './bybit-trades.ts';

const TOPIC = 'publicTrade.';
const MILLISECONDS = /^\d{13}$/;
/** The contract in the text of an error: `error:handler not found,topic:publicTrade.BTCUSDT`. */
const NAMED = /publicTrade\.([\w-]+)/;
/** Another attempt would say the same. */
const PERMANENT = /invalid symbol|handler not found/i;

export class BybitReader implements VenueReader {
  readonly #contracts: ReadonlyMap<string, FeedContract>;
  /** Subscriptions without an answer. */
  #unanswered: number;
  #held: Reading[] = [];

  constructor(contracts: readonly FeedContract[]) {
    this.#contracts = new Map(contracts.map((contract) => [contract.venueSymbol, contract]));
    this.#unanswered = contracts.length;
  }

  read(message: FeedMessage): readonly Reading[] {
    if (typeof message !== 'string') return [{ kind: 'garbled', why: 'bytes instead of text' }];
    const fields = fieldsOf(JSON.parse(message), 'message');
    if (fields.topic !== undefined) return this.#trades(fields);
    if (fields.op === 'subscribe') return this.#answer(fields);
    if (fields.op === 'pong' || fields.op === 'ping') return [aliveOf(fields.args)];
    // A message with data that belongs to no topic may have trades.
    if (fields.data !== undefined) throw new FieldError('topic', fields.topic);
    return [];
  }

  #trades({ topic, data }: Readonly<Record<string, unknown>>): readonly Reading[] {
    const name = textOf(topic, 'topic');
    if (!name.startsWith(TOPIC)) return [];
    const contract = this.#contracts.get(name.slice(TOPIC.length));
    if (contract === undefined) return [];
    const { symbol } = contract;
    const readings: Reading[] = [];
    const rows = listOf(data, 'data').map((row) => bybitTrade(contract, row));
    const trades = rows.filter((trade) => trade !== null);
    if (trades.length > 0) readings.push({ kind: 'trades', symbol, trades });
    for (let count = trades.length; count < rows.length; count += 1) {
      readings.push({ kind: 'leftOut', symbol, what: BLOCK_TRADE });
    }
    if (this.#unanswered === 0) return readings;
    this.#held.push(...readings);
    return [];
  }

  #answer({ success, ret_msg, req_id }: Readonly<Record<string, unknown>>): readonly Reading[] {
    if (typeof success !== 'boolean') throw new FieldError('success', success);
    if (success) return this.#answered([]);
    const why = shownText(`${ret_msg}`);
    const named = NAMED.exec(why)?.[1] ?? `${req_id}`;
    const contract = this.#contracts.get(named);
    if (contract === undefined || !PERMANENT.test(why)) return [{ kind: 'garbled', why }];
    return this.#answered([{ kind: 'refused', symbol: contract.symbol, why }]);
  }

  #answered(readings: readonly Reading[]): readonly Reading[] {
    if (this.#unanswered === 0) return readings;
    this.#unanswered -= 1;
    if (this.#unanswered > 0) return readings;
    const held = this.#held;
    this.#held = [];
    return [...readings, { kind: 'subscribed' }, ...held];
  }
}

/** The answer to a ping names the venue's time, or nothing. */
function aliveOf(args: unknown): Reading {
  const time: unknown = Array.isArray(args) ? args[0] : null;
  const isTime = typeof time === 'string' && MILLISECONDS.test(time);
  return {
    kind: 'alive',
    venueTime: isTime ? ((BigInt(time) * MS_NS_BIG) as EpochNs) : null,
  };
}
