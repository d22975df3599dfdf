/**
 * The trades of one batch as flat columns in the order of the body, and then as batches for the tape: per contract, and
 * a new one wherever its day changes, so that its trades stay in their order.
 */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { dayFromNumber, dayNumber, dayOf, epochNs, nsOfDay } from '@tapeloom/core/utc-day';
import { PUSH_TRADES_MAX } from '@tapeloom/protocol/push';
import type { IntakeBatch } from '../../tape/write/intake.ts';
import { type BatchContract, BatchContracts, type PushRules } from './push-contracts.ts';
import { PushRefusal } from './push-refusal.ts';

/** Whether a trade belongs to a recorded gap and stays out. */
export type IsLeftOut = (symbol: string, day: UtcDay, ns: number, id: number) => boolean;

export class PushRows {
  readonly contracts: BatchContracts;
  /** The latest accepted time, also by its parts. */
  readonly latest: EpochNs;
  readonly latestDay: number;
  readonly latestNs: number;
  count = 0;
  readonly #capacity: number;
  readonly #contract: Uint32Array;
  readonly #day: Uint32Array;
  readonly #ns: Float64Array;
  readonly #id: Float64Array;
  readonly #price: Int32Array;
  readonly #size: Int32Array;
  readonly #side: Int8Array;

  /** `trades`: at most this many will come, as far as the body's length says. */
  constructor(rules: PushRules, trades: number) {
    this.contracts = new BatchContracts(rules);
    this.latest = rules.latest;
    this.latestDay = dayNumber(dayOf(rules.latest));
    this.latestNs = nsOfDay(rules.latest);
    const capacity = Math.min(trades, PUSH_TRADES_MAX);
    this.#capacity = capacity;
    this.#contract = new Uint32Array(capacity);
    this.#day = new Uint32Array(capacity);
    this.#ns = new Float64Array(capacity);
    this.#id = new Float64Array(capacity);
    this.#price = new Int32Array(capacity);
    this.#size = new Int32Array(capacity);
    this.#side = new Int8Array(capacity);
  }

  /** Adds a trade that was checked. */
  add(
    contract: BatchContract,
    day: number,
    ns: number,
    id: number,
    price: number,
    size: number,
    side: number,
  ): void {
    const row = this.count;
    if (row === this.#capacity) throw tooMany();
    this.#contract[row] = contract.index;
    this.#day[row] = day;
    this.#ns[row] = ns;
    this.#id[row] = id;
    this.#price[row] = price;
    this.#size[row] = size;
    this.#side[row] = side;
    contract.lastId = id;
    contract.count += 1;
    this.count = row + 1;
  }

  /** The time of the newest trade; null without one. */
  newest(): EpochNs | null {
    let [day, ns] = [-1, -1];
    for (let row = 0; row < this.count; row += 1) {
      const isLater = this.#day[row]! > day || (this.#day[row] === day && this.#ns[row]! > ns);
      if (isLater) [day, ns] = [this.#day[row]!, this.#ns[row]!];
    }
    return day < 0 ? null : epochNs(dayFromNumber(day), ns);
  }

  /** The time of the oldest trade; null without one. */
  oldest(): EpochNs | null {
    let [day, ns] = [Number.POSITIVE_INFINITY, 0];
    for (let row = 0; row < this.count; row += 1) {
      const isEarlier = this.#day[row]! < day || (this.#day[row] === day && this.#ns[row]! < ns);
      if (isEarlier) [day, ns] = [this.#day[row]!, this.#ns[row]!];
    }
    return this.count === 0 ? null : epochNs(dayFromNumber(day), ns);
  }

  /** The last trade of each contract. */
  lastTrades(): readonly {
    readonly symbol: string;
    readonly id: number;
    readonly time: EpochNs;
  }[] {
    const rows = new Map<number, number>();
    for (let row = 0; row < this.count; row += 1) rows.set(this.#contract[row]!, row);
    return [...rows].map(([index, row]) => ({
      symbol: this.contracts.list[index]!.symbol,
      id: this.#id[row]!,
      time: epochNs(dayFromNumber(this.#day[row]!), this.#ns[row]!),
    }));
  }

  /** The trades for the tape, without those that `isLeftOut` names. */
  batches(isLeftOut: IsLeftOut | null): IntakeBatch[] {
    const batches: IntakeBatch[] = [];
    for (const [index, columns] of this.#byContract().entries()) {
      const { symbol } = this.contracts.list[index]!;
      for (let from = 0; from < columns.count; ) {
        const day = columns.day[from]!;
        let to = from + 1;
        while (to < columns.count && columns.day[to] === day) to += 1;
        const run = runOf(symbol, dayFromNumber(day), columns, from, to);
        const kept = isLeftOut === null ? run : without(run, isLeftOut);
        if (kept.count > 0) batches.push(kept);
        from = to;
      }
    }
    return batches;
  }

  #byContract(): readonly ContractColumns[] {
    const all = this.contracts.list.map(({ count }) => new ContractColumns(count));
    for (let row = 0; row < this.count; row += 1) {
      const columns = all[this.#contract[row]!]!;
      const at = columns.count;
      columns.day[at] = this.#day[row]!;
      columns.id[at] = this.#id[row]!;
      columns.ts[at] = this.#ns[row]!;
      columns.price[at] = this.#price[row]!;
      columns.size[at] = this.#size[row]!;
      columns.side[at] = this.#side[row]!;
      columns.count = at + 1;
    }
    return all;
  }
}

class ContractColumns {
  count = 0;
  readonly day: Uint32Array;
  readonly id: Float64Array;
  readonly ts: Float64Array;
  readonly price: Float64Array;
  readonly size: Float64Array;
  readonly side: Int8Array;

  constructor(rows: number) {
    this.day = new Uint32Array(rows);
    this.id = new Float64Array(rows);
    this.ts = new Float64Array(rows);
    this.price = new Float64Array(rows);
    this.size = new Float64Array(rows);
    this.side = new Int8Array(rows);
  }
}

function runOf(
  symbol: string,
  day: UtcDay,
  { id, ts, price, size, side }: ContractColumns,
  from: number,
  to: number,
): IntakeBatch {
  return {
    symbol,
    day,
    count: to - from,
    id: id.subarray(from, to),
    ts: ts.subarray(from, to),
    price: price.subarray(from, to),
    size: size.subarray(from, to),
    side: side.subarray(from, to),
  };
}

/** Moves the rows that stay together, in place. */
function without(batch: IntakeBatch, isLeftOut: IsLeftOut): IntakeBatch {
  const { symbol, day, id, ts, price, size, side } = batch;
  let count = 0;
  for (let row = 0; row < batch.count; row += 1) {
    if (isLeftOut(symbol, day, ts[row]!, id[row]!)) continue;
    for (const column of [id, ts, price, size, side]) column[count] = column[row]!;
    count += 1;
  }
  return { ...batch, count };
}

function tooMany(): PushRefusal {
  return new PushRefusal('TOO_LARGE', {
    line: null,
    path: '',
    message: `The batch has more than ${PUSH_TRADES_MAX} trades. Send them in several batches.`,
  });
}
