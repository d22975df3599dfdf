/**
 * The contracts that an instrument's name has meant, as stretches of time: an alias rolls at midnight UTC. A request for
 * history must not cross a roll, since it reads the contract that the alias meant at its start.
 */

import type { Instrument } from '@tapeloom/client';
import type { Roll } from '../series/sessions.ts';

export interface Segment {
  readonly contract: string;
  /** Null: as far back as there is anything. */
  readonly fromNs: bigint | null;
  /** Null: the contract that is meant now. */
  readonly endNs: bigint | null;
  /** 0 is the oldest of the table. */
  readonly number: number;
}

interface Begin {
  readonly contract: string;
  readonly fromNs: bigint;
}

export class Segments {
  /** Ascending; of a symbol one, which never ends. */
  #segments: readonly Segment[];
  /** Rolls that were still to come, ascending. */
  readonly #planned: readonly Begin[];

  constructor(segments: readonly Segment[], planned: readonly Begin[] = []) {
    this.#segments = segments;
    this.#planned = planned;
  }

  /** `nowNs`: planned rolls after it are no segments yet. */
  static of(name: string, instrument: Instrument | null, nowNs: bigint): Segments {
    const isAlias = instrument !== null && instrument.alias === name && name !== instrument.symbol;
    const rolls = isAlias ? (instrument.rolls ?? []) : [];
    const all = rolls
      .map(({ from, symbol }) => ({ fromNs: BigInt(from), contract: symbol }))
      .sort((a, b) => (a.fromNs < b.fromNs ? -1 : 1));
    const begun = all.filter(({ fromNs }) => fromNs <= nowNs);
    const planned = all.filter(({ fromNs }) => fromNs > nowNs);
    if (begun.length === 0) {
      const contract = instrument?.symbol ?? name;
      return new Segments([{ contract, fromNs: null, endNs: null, number: 0 }], planned);
    }
    return new Segments(
      begun.map(({ contract, fromNs }, number) => ({
        ...{ contract, fromNs, number },
        endNs: begun[number + 1]?.fromNs ?? null,
      })),
      planned,
    );
  }

  get current(): Segment {
    return this.#segments.at(-1)!;
  }

  /**
   * The alias means another contract, at the latest from this instant on: a page that slept hears of it later than it
   * was planned.
   */
  roll(atNs: bigint, contract: string): void {
    const since = this.current.fromNs ?? 0n;
    const passed = this.#planned.filter(({ fromNs }) => fromNs > since && fromNs <= atNs);
    if (passed.at(-1)?.contract === contract) {
      for (const begin of passed) this.#begin(begin.fromNs, begin.contract);
    } else this.#begin(atNs, contract);
  }

  #begin(atNs: bigint, contract: string): void {
    const { current } = this;
    if (current.contract === contract) return;
    const ended = { ...current, endNs: atNs };
    const next = { contract, fromNs: atNs, endNs: null, number: current.number + 1 };
    this.#segments = [...this.#segments.slice(0, -1), ended, next];
  }

  /** The stream is of this contract: an alias may still mean an earlier one, where the stream is late. */
  settle(contract: string, atNs: bigint): void {
    const at = this.#segments.findLastIndex((segment) => segment.contract === contract);
    if (at === -1) this.roll(atNs, contract);
    else {
      const current = { ...this.#segments[at]!, endNs: null };
      this.#segments = [...this.#segments.slice(0, at), current];
    }
  }

  /** The segment that contains the instant; null before the first. */
  at(ns: bigint): Segment | null {
    return this.#segments.findLast(({ fromNs }) => fromNs === null || fromNs <= ns) ?? null;
  }

  /** The segment before, whose end is this one's start. */
  before({ number }: Segment): Segment | null {
    return this.#segments.find((segment) => segment.number === number - 1) ?? null;
  }

  /** Those after the instant, ascending. */
  rollsSince(ns: bigint): readonly Roll[] {
    return this.#segments.flatMap((segment) => {
      const { fromNs } = segment;
      const before = this.before(segment);
      if (fromNs === null || before === null || fromNs <= ns) return [];
      return [{ atNs: fromNs, from: before.contract, to: segment.contract }];
    });
  }
}

/** The first planned roll after the instant; null if none is known. */
export function nextRoll(
  name: string,
  instrument: Instrument | null,
  nowNs: bigint,
): bigint | null {
  if (instrument === null || instrument.alias !== name) return null;
  const later = (instrument.rolls ?? []).map(({ from }) => BigInt(from)).filter((ns) => ns > nowNs);
  return later.sort((a, b) => (a < b ? -1 : 1))[0] ?? null;
}
