/**
 * Which composites the tape follows, as notes: so a composite that is listed no more, and one that is listed again, lack
 * the time between, whatever happened to the machine. Pure.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { dayOf, epochNs, later } from '@tapeloom/core/utc-day';
import type { TapeGap } from '../../tape/tape-gap.ts';
import type { TapeNote } from '../../tape/write/tape-note.ts';
import { freeFrom } from './member-gaps.ts';

const REASON = 'not listed';

export class CompositeListing {
  readonly #before: readonly string[];
  readonly #now: readonly string[];

  constructor(symbols: readonly string[], position: (key: string) => string | null) {
    this.#now = symbols.toSorted();
    this.#before = listedBefore(position);
  }

  /** Whether it was merged until now; true also on a tape without these notes. */
  wasListed(symbol: string): boolean {
    return this.#before.length === 0 || this.#before.includes(symbol);
  }

  /** What has changed, once. */
  notes(): readonly TapeNote[] {
    const count = Math.max(this.#before.length, this.#now.length);
    return Array.from({ length: count }, (_, index) => index)
      .filter((index) => (this.#before[index] ?? '') !== (this.#now[index] ?? ''))
      .map((index) => ({
        kind: 'position',
        key: listedKey(index),
        text: this.#now[index] ?? '',
      }));
  }

  /** Composites that are listed no more lack the rest of their day. A gap begins, which `over` ends. */
  ended(
    at: EpochNs,
    gaps: readonly TapeGap[],
    hasTraded: (symbol: string) => boolean,
  ): readonly TapeGap[] {
    if (isMidnight(at)) return [];
    return this.#before
      .filter((symbol) => !this.#now.includes(symbol) && hasTraded(symbol))
      .map((symbol) => {
        const taken = new Set(gaps.flatMap((gap) => (gap.symbol === symbol ? [gap.from] : [])));
        const from = freeFrom(at, taken);
        return { symbol, from, to: null, firstId: null, lastId: null, reason: REASON };
      });
  }

  /** What they lacked because of a member ends: they have no members any more. */
  closed(at: EpochNs, gaps: readonly TapeGap[]): readonly TapeGap[] {
    return gaps
      .filter(({ symbol, to, reason }) => {
        return to === null && reason !== REASON && !this.#now.includes(symbol);
      })
      .map((gap) => ({ ...gap, to: later(at, (gap.from + 1n) as EpochNs) }));
  }

  /** The watermark reaches a midnight: what is not listed lacks nothing from there on. */
  over(at: EpochNs, gaps: readonly TapeGap[]): readonly TapeGap[] {
    if (!isMidnight(at)) return [];
    return gaps
      .filter(
        ({ symbol, to, reason }) => reason === REASON && to === null && !this.#now.includes(symbol),
      )
      .map((gap) => ({ ...gap, to: at }));
  }

  /** The gap of a composite that was listed earlier on this day, which ends now; null: there is none. */
  resumed(symbol: string, at: EpochNs, gaps: readonly TapeGap[]): TapeGap | null {
    const gap = gaps.find(
      (one) => one.symbol === symbol && one.reason === REASON && one.to === null,
    );
    if (gap === undefined) return null;
    return { ...gap, to: later(at, (gap.from + 1n) as EpochNs) };
  }
}

function isMidnight(at: EpochNs): boolean {
  return at === epochNs(dayOf(at), 0);
}

function listedBefore(position: (key: string) => string | null): readonly string[] {
  const symbols: string[] = [];
  for (;;) {
    const symbol = position(listedKey(symbols.length)) ?? '';
    if (symbol === '') return symbols;
    symbols.push(symbol);
  }
}

function listedKey(index: number): string {
  return `listed:${index}`;
}
