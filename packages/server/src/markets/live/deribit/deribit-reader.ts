/** Reads the messages of one connection to Deribit: JSON-RPC answers, heartbeats, and batches of trades. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { FeedContract, FeedMessage, Reading, VenueReader } from '../feed.ts';
import { FieldError, fieldsOf, listOf, wholeOf } from '../venue-answers.ts';
import { deribitTrade } from './deribit-rows.ts';

export const SUBSCRIBE_ID = 1;
export const HEARTBEAT_ID = 2;
const TEST_ID = 3;
const MICROSECOND_NS = 1_000n;

export class DeribitReader implements VenueReader {
  readonly #contracts: ReadonlyMap<unknown, FeedContract>;

  constructor(contracts: readonly FeedContract[]) {
    this.#contracts = new Map(contracts.map((contract) => [channelOf(contract), contract]));
  }

  read(message: FeedMessage): readonly Reading[] {
    const read = fieldsOf(JSON.parse(String(message)), 'of the message');
    const { method, id, error, result } = read;
    if (method === 'subscription') return this.#batch(read.params);
    if (method === 'heartbeat') return heartbeat(read.params);
    if (id === undefined) return [];
    if (error !== undefined) return [{ kind: 'garbled', why: `error ${JSON.stringify(error)}` }];
    const micros = wholeOf(read.usOut, 'usOut');
    const venueTime = (BigInt(micros) * MICROSECOND_NS) as EpochNs;
    const alive: Reading = { kind: 'alive', venueTime };
    return id === SUBSCRIBE_ID ? [alive, ...this.#subscribed(listOf(result, 'result'))] : [alive];
  }

  #batch(value: unknown): readonly Reading[] {
    const { channel, data } = fieldsOf(value, 'params');
    const contract = this.#contracts.get(channel);
    if (contract === undefined) return [];
    const trades = listOf(data, 'data').map((row) => deribitTrade(row, contract));
    return [{ kind: 'trades', symbol: contract.symbol, trades }];
  }

  /** The answer lists the channels that exist. */
  #subscribed(channels: readonly unknown[]): readonly Reading[] {
    const served = new Set(channels);
    const readings: Reading[] = [{ kind: 'subscribed' }];
    for (const [channel, { symbol, venueSymbol }] of this.#contracts) {
      const why = `Deribit does not serve ${venueSymbol}.`;
      if (!served.has(channel)) readings.push({ kind: 'refused', symbol, why });
    }
    return readings;
  }
}

export function channelOf({ venueSymbol }: FeedContract): string {
  return `trades.${venueSymbol}.100ms`;
}

/** A `test_request` without an answer ends the connection. */
function heartbeat(value: unknown): readonly Reading[] {
  const { type } = fieldsOf(value, 'params');
  if (type === 'heartbeat') return [{ kind: 'alive', venueTime: null }];
  if (type !== 'test_request') throw new FieldError('type', type);
  const test = { jsonrpc: '2.0', id: TEST_ID, method: 'public/test', params: {} };
  return [{ kind: 'reply', message: JSON.stringify(test) }];
}
