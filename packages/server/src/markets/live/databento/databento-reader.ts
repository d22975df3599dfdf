/**
 * Reads one connection to a Databento gateway: the dialogue, then a DBN stream with trades, mappings of ids and messages
 * of the gateway. What it asks for begins where each contract's line ended.
 */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { DAY_NS_BIG, MIB, MINUTE_NS_BIG } from '@tapeloom/core/units';
import { dayNumber } from '@tapeloom/core/utc-day';
import { DbnDecoder } from '../../../feeds/dbn/dbn-decoder.ts';
import {
  ERROR_CODES,
  type GatewayRecord,
  SYSTEM_CODES,
} from '../../../feeds/dbn/gateway-records.ts';
import { FeedError, type FeedTrades } from '../../../feeds/feed-trades.ts';
import type { FeedContract, FeedMessage, Reading, VenueReader } from '../feed.ts';
import { CountedLine } from '../lines/counted-line.ts';
import type { FeedTrade, Line } from '../lines/line.ts';
import { hasWord } from '../venue-answers.ts';
import { GatewayDialogue, withoutKey } from './gateway-dialogue.ts';
import { authRefusal, endByError } from './gateway-errors.ts';
import { subscriptionLines } from './subscription-lines.ts';

/** The gateway remembers a day. The margin is for the way there, and for clocks. */
const REMEMBERED_NS = DAY_NS_BIG - 10n * MINUTE_NS_BIG;
/** A session's metadata have no lists. */
export const HEAD_BYTES_MAX = 16 * MIB;
const LOT_NANOS = 1_000_000_000;
/** Names with these would be read as several, or as another field. */
const USABLE_NAME = /^[!-+\--{}~][ -+\--{}~]*$/;

interface DatabentoReaderOptions {
  readonly key: string;
  readonly dataset: string;
  readonly contracts: readonly FeedContract[];
  readonly lines: ReadonlyMap<string, Line>;
  readonly venueNow: EpochNs;
}

export class DatabentoReader implements VenueReader {
  readonly #options: DatabentoReaderOptions;
  readonly #dialogue: GatewayDialogue;
  readonly #decoder: DbnDecoder;
  readonly #contracts: ReadonlyMap<string, FeedContract>;
  /** Contracts whose trades the gateway was asked to repeat. */
  readonly #repeating = new Set<string>();
  readonly #mapped = new Set<string>();
  #readings: Reading[] = [];
  #isOpen = false;
  #hasEnded = false;
  /** An error about a symbol that it does not name. */
  #unnamedError: string | null = null;
  #leftOut = new Map<string, number>();

  constructor(options: DatabentoReaderOptions) {
    this.#options = options;
    const { key, dataset, contracts } = options;
    this.#contracts = new Map(contracts.map((contract) => [contract.venueSymbol, contract]));
    this.#dialogue = new GatewayDialogue({ key, dataset, subscribe: () => this.#subscribe() });
    this.#decoder = new DbnDecoder({
      headBytesMax: HEAD_BYTES_MAX,
      onGatewayRecord: (record) => this.#record(record),
    });
  }

  read(message: FeedMessage): readonly Reading[] {
    if (this.#hasEnded) return [];
    const bytes = typeof message === 'string' ? new TextEncoder().encode(message) : message;
    let rest = bytes;
    if (!this.#dialogue.isOver) rest = this.#talk(bytes);
    if (!this.#hasEnded && rest.length > 0) this.#decodeOrEnd(rest);
    const readings = this.#readings;
    this.#readings = [];
    return readings;
  }

  #talk(bytes: Uint8Array): Uint8Array {
    const { steps, rest } = this.#dialogue.take(bytes);
    for (const step of steps) {
      if (step.kind === 'refused') this.#end({ kind: 'ended', ...authRefusal(step.why) });
      else if (step.kind === 'garbled') this.#end(step);
      else this.#readings.push(step);
      if (this.#hasEnded) break;
    }
    return rest;
  }

  #subscribe(): readonly string[] {
    const { contracts, lines, venueNow } = this.#options;
    const remembersFrom = (venueNow - REMEMBERED_NS) as EpochNs;
    const wanted = contracts.flatMap(({ symbol, venueSymbol }) => {
      if (!USABLE_NAME.test(venueSymbol)) {
        const why = `The venue can have no contract named ${JSON.stringify(venueSymbol)}.`;
        this.#readings.push({ kind: 'refused', symbol, why });
        return [];
      }
      const line = lines.get(symbol);
      const start = line instanceof CountedLine ? line.repeatSince(remembersFrom) : null;
      if (start !== null) this.#repeating.add(symbol);
      return [{ venueSymbol, start }];
    });
    return subscriptionLines('trades', wanted);
  }

  #decodeOrEnd(bytes: Uint8Array): void {
    try {
      this.#decode(bytes);
    } catch (error) {
      if (!(error instanceof FeedError)) throw error;
      this.#end({ kind: 'garbled', why: error.message });
    }
  }

  #decode(bytes: Uint8Array): void {
    for (const trades of this.#decoder.push(bytes)) {
      this.#open();
      if (!this.#hasEnded) this.#take(trades);
      if (this.#hasEnded) return;
    }
    this.#open();
    if (!this.#hasEnded) this.#countLeftOut();
  }

  /** The session has begun. */
  #open(): void {
    if (this.#isOpen || this.#decoder.metadata === null) return;
    this.#isOpen = true;
    this.#readings.push({ kind: 'subscribed' });
  }

  #take(trades: FeedTrades): void {
    const { instruments } = this.#decoder;
    const found = new Map<number, FeedTrade[]>();
    for (let row = 0; row < trades.count; row += 1) {
      const index = trades.instruments[row]!;
      const { symbol, instrumentId } = instruments[index]!;
      if (symbol === null) {
        const why = `a trade of the instrument ${instrumentId}, which no mapping names`;
        this.#end({ kind: 'garbled', why });
        break;
      }
      const contract = this.#contracts.get(symbol);
      if (contract === undefined) {
        const what = 'trades of contracts that were not subscribed';
        this.#readings.push({ kind: 'leftOut', symbol, what });
        continue;
      }
      found.getOrInsertComputed(index, () => []).push(tradeOf(contract, trades, row));
    }
    const readings = [...found].map(([index, some]): Reading => {
      const { symbol } = this.#contracts.get(instruments[index]!.symbol!)!;
      return { kind: 'trades', symbol, trades: some };
    });
    // An end is the last reading.
    const at = this.#hasEnded ? this.#readings.length - 1 : this.#readings.length;
    this.#readings.splice(at, 0, ...readings);
  }

  #record(record: GatewayRecord): void {
    if (this.#hasEnded) return;
    this.#open();
    if (record.kind === 'mapping') this.#mapped.add(record.symbol);
    else if (record.kind === 'error') this.#error(record.code, record.text);
    else this.#system(record);
  }

  #system({ code, event }: GatewayRecord & { readonly kind: 'system' }): void {
    this.#readings.push({ kind: 'alive', venueTime: event });
    if (code === SYSTEM_CODES.replayCompleted) {
      for (const symbol of this.#repeating) this.#readings.push({ kind: 'repeated', symbol });
      this.#repeating.clear();
    }
    // The session's mappings have been sent by now.
    const isLater = code === SYSTEM_CODES.heartbeat || code === SYSTEM_CODES.replayCompleted;
    if (isLater && this.#unnamedError !== null) this.#refuseUnmapped(this.#unnamedError);
  }

  #error(code: number | null, told: string): void {
    const text = withoutKey(told, this.#options.key);
    if (code !== ERROR_CODES.symbolResolution) {
      this.#end({ kind: 'ended', ...endByError(code, text) });
      return;
    }
    const named = this.#options.contracts.filter(({ venueSymbol }) => hasWord(text, venueSymbol));
    // A longer name may have a shorter one in it.
    const longest = named.toSorted((a, b) => b.venueSymbol.length - a.venueSymbol.length)[0];
    if (longest === undefined) this.#unnamedError = text;
    else this.#refuse(longest, text);
  }

  #refuseUnmapped(text: string): void {
    this.#unnamedError = null;
    for (const contract of this.#options.contracts) {
      if (!this.#mapped.has(contract.venueSymbol)) this.#refuse(contract, text);
    }
  }

  #refuse({ symbol, venueSymbol }: FeedContract, text: string): void {
    const why = `The venue does not know the contract ${venueSymbol}: ${text}`;
    this.#readings.push({ kind: 'refused', symbol, why });
  }

  /** Trades without a price and the like have no place on a tape: an import leaves them out too. */
  #countLeftOut(): void {
    const counts = new Map(this.#decoder.counts);
    for (const [what, count] of counts) {
      if (!what.startsWith('trades ')) continue;
      for (let known = this.#leftOut.get(what) ?? 0; known < count; known += 1) {
        this.#readings.push({ kind: 'leftOut', symbol: '', what });
      }
    }
    this.#leftOut = counts;
  }

  #end(reading: Reading & { readonly kind: 'ended' | 'garbled' }): void {
    this.#hasEnded = true;
    this.#readings.push(reading);
  }
}

function tradeOf(
  { tickSizeNanos, lotSizeNanos }: FeedContract,
  { days, ns, prices, sizes, sides }: FeedTrades,
  row: number,
): FeedTrade {
  return {
    id: -1,
    day: dayNumber(days[row]! as UtcDay),
    ns: ns[row]!,
    price: unitsOf(prices[row]!, tickSizeNanos),
    size: unitsOf(sizes[row]! * LOT_NANOS, lotSizeNanos),
    side: sides[row]!,
  };
}

/** A fraction if it is off the grid; the quotient of a large number could be rounded to a whole one. */
function unitsOf(nanos: number, unitNanos: number): number {
  const rest = nanos % unitNanos;
  return rest === 0 ? nanos / unitNanos : Math.trunc(nanos / unitNanos) + 0.5;
}
