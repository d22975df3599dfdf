/**
 * The recorded gaps that a batch touches. A trade inside one never reaches the tape: readers have been shown that it is
 * missing. It belongs to a gap by its time, or by its number where the gap's numbers are known.
 */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { epochNs } from '@tapeloom/core/utc-day';
import type { PushGap } from '@tapeloom/protocol/push';
import type { TapeGap } from '../../tape/tape-gap.ts';

export class RecordedGaps {
  readonly #bySymbol: ReadonlyMap<string, readonly TapeGap[]>;
  readonly #watermark: EpochNs | null;
  readonly #touched = new Set<TapeGap>();
  /** How many trades were found inside gaps. */
  count = 0;

  constructor(gaps: readonly TapeGap[], watermark: EpochNs | null) {
    this.#bySymbol = Map.groupBy(gaps, ({ symbol }) => symbol);
    this.#watermark = watermark;
  }

  get isEmpty(): boolean {
    return this.#bySymbol.size === 0;
  }

  get touched(): readonly TapeGap[] {
    return [...this.#touched];
  }

  /** Counts the trade if a gap has it. */
  has(symbol: string, day: UtcDay, ns: number, id: number): boolean {
    const gaps = this.#bySymbol.get(symbol);
    if (gaps === undefined) return false;
    const instant = epochNs(day, ns);
    const gap = gaps.find((one) => this.#isInside(one, instant, id));
    if (gap === undefined) return false;
    this.#touched.add(gap);
    this.count += 1;
    return true;
  }

  #isInside({ from, to, firstId, lastId }: TapeGap, instant: EpochNs, id: number): boolean {
    if (firstId !== null && lastId !== null && id >= firstId && id <= lastId) return true;
    const end = to ?? this.#watermark;
    return instant >= from && end !== null && instant < end;
  }
}

export function pushGap({ symbol, from, to, firstId, lastId, reason }: TapeGap): PushGap {
  return { contract: symbol, from: `${from}`, to: to && `${to}`, firstId, lastId, reason };
}
