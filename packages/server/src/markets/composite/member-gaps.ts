/**
 * The gaps that a composite has because of one member: what the member's tape lacks, and the open hours during which
 * it is left out. A gap is noted with the watermark that passes its beginning, and grows until that of its end. Pure.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { earlier, later } from '@tapeloom/core/utc-day';
import type { TapeGap } from '../../tape/tape-gap.ts';
import type { Stretch } from '../live/watermark/open-hours.ts';

export interface MissingOfMember extends Stretch {
  readonly why: string;
}

export class MemberGaps {
  readonly #symbol: string;
  readonly #member: string;
  #growing: Pick<TapeGap, 'from' | 'reason'> | null;
  closed = 0;

  /** `symbol`: the composite. `gaps`: those on its tape. */
  constructor(symbol: string, member: string, gaps: readonly TapeGap[]) {
    this.#symbol = symbol;
    this.#member = member;
    this.#growing =
      gaps.find((gap) => {
        return gap.symbol === symbol && gap.to === null && memberOf(gap) === member;
      }) ?? null;
  }

  get isGrowing(): boolean {
    return this.#growing !== null;
  }

  /**
   * The watermark moves from `from` to `to`; `missing` is what it passes, and may go on behind it. `taken`: beginnings
   * of the composite's other gaps, which a gap must not have too.
   */
  pass(
    missing: readonly MissingOfMember[],
    { from, to }: Stretch,
    taken: Set<EpochNs>,
  ): readonly TapeGap[] {
    const passed = joined(missing, from, to);
    const gaps: TapeGap[] = [];
    const growing = this.#growing;
    const goesOn = growing !== null && passed[0]?.from === from;
    if (growing !== null) {
      const end = goesOn ? passed[0]!.to : from;
      if (end < to || !goesOn) gaps.push(this.#close(growing, end));
    }
    for (const { from: begin, to: end, why } of goesOn ? passed.slice(1) : passed) {
      const gap = { from: freeFrom(begin, taken), reason: `${this.#member}: ${why}` };
      taken.add(gap.from);
      this.#growing = gap;
      gaps.push(end < to ? this.#close(gap, end) : this.#note(gap, null));
    }
    return gaps;
  }

  /** It is a member no more. */
  end(at: EpochNs): readonly TapeGap[] {
    return this.#growing === null ? [] : [this.#close(this.#growing, at)];
  }

  #close(gap: Pick<TapeGap, 'from' | 'reason'>, to: EpochNs): TapeGap {
    this.#growing = null;
    this.closed += 1;
    return this.#note(gap, later(to, (gap.from + 1n) as EpochNs));
  }

  #note({ from, reason }: Pick<TapeGap, 'from' | 'reason'>, to: EpochNs | null): TapeGap {
    return { symbol: this.#symbol, from, to, firstId: null, lastId: null, reason };
  }
}

/** The member that a composite's gap is because of. */
export function memberOf({ reason }: Pick<TapeGap, 'reason'>): string {
  return reason.slice(0, Math.max(0, reason.indexOf(':')));
}

/** The first free beginning from `from` on: a gap with the beginning of a recorded one would replace it. */
export function freeFrom(from: EpochNs, taken: ReadonlySet<EpochNs>): EpochNs {
  let free = from;
  while (taken.has(free)) free = (free + 1n) as EpochNs;
  return free;
}

/** The parts within [from, to), ascending and disjoint. */
function joined(
  missing: readonly MissingOfMember[],
  from: EpochNs,
  to: EpochNs,
): readonly MissingOfMember[] {
  const parts = missing
    .map((one) => ({ ...one, from: later(one.from, from), to: earlier(one.to, to) }))
    .filter((one) => one.from < one.to)
    .sort((a, b) => (a.from < b.from ? -1 : 1));
  const all: { from: EpochNs; to: EpochNs; why: string }[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (last !== undefined && part.from <= last.to) last.to = later(last.to, part.to);
    else all.push(part);
  }
  return all;
}
