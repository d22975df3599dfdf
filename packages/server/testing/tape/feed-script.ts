/**
 * A synthetic bad feed: an endless sequence of offers that depends on the seed alone. It contains late and unordered
 * prints, repeated numbers, zero sizes, unknown sides, prices off the grid, watermarks (`promise`) that go back or are
 * absent, trades of the next day, days that end on the nanosecond, skipped days, and notes of every kind.
 */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { DAY_NS } from '@tapeloom/core/units';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import { seededRandom } from '../../../../simulation/clock/seeded-random.ts';
import type { Random } from '../../../../simulation/disk/sim-disk.ts';
import type { IntakeBatch } from '../../src/tape/write/intake.ts';
import type { TapeNote } from '../../src/tape/write/tape-note.ts';
import { type FeedRow, intakeBatch } from './feed-rows.ts';

export const SCRIPT_SYMBOLS: readonly string[] = ['ESZ6', 'NQZ6', 'BTC-PERP'];
const FIRST_DAY = 20_260_105 as UtcDay;
const GRACE_NS = 50_000_000;

export interface ScriptedOffer {
  readonly batches: readonly IntakeBatch[];
  readonly promise: EpochNs | null;
  readonly notes: readonly TapeNote[];
}

export interface ScriptPace {
  /** The most rows of a batch. */
  readonly batchRowsMax: number;
  /** The approximate number of offers per day. */
  readonly offersPerDay: number;
}

export function* feedScript(seed: number, pace: ScriptPace): Generator<ScriptedOffer, never> {
  const random = seededRandom(seed);
  const stepNs = DAY_NS / pace.offersPerDay;
  const nextIds = new Map(SCRIPT_SYMBOLS.map((symbol) => [symbol, 0]));
  let day = FIRST_DAY;
  let nowNs = Math.floor(random() * DAY_NS);
  const notes = new ScriptedNotes(seed);
  for (;;) {
    const batches = SCRIPT_SYMBOLS.flatMap((symbol) => {
      if (random() < 0.4) return [];
      const count = 1 + Math.floor(random() * pace.batchRowsMax);
      const firstId = nextIds.get(symbol)!;
      nextIds.set(symbol, firstId + count);
      return scriptBatches(random, symbol, day, nowNs, firstId, count);
    });
    const fromNs = nowNs;
    nowNs += Math.floor(random() * 2 * stepNs);
    const isLast = nowNs >= DAY_NS;
    const promise = scriptPromise(random, day, isLast ? DAY_NS : nowNs);
    const from = epochNs(day, fromNs);
    yield { batches, promise, notes: notes.next(from, batches.length > 0 || promise !== null) };
    if (!isLast) continue;
    day = addDays(day, random() < 0.1 ? 3 : 1);
    nowNs = Math.floor(random() * stepNs);
  }
}

function scriptBatches(
  random: Random,
  symbol: string,
  day: UtcDay,
  fromNs: number,
  firstId: number,
  count: number,
): readonly IntakeBatch[] {
  const today: FeedRow[] = [];
  const tomorrow: FeedRow[] = [];
  let ts = fromNs;
  for (let row = 0; row < count; row++) {
    if (random() < 0.6) ts += Math.floor(random() * 2_000_000);
    const odd = random();
    const id = odd < 0.03 ? Math.max(0, firstId + row - Math.floor(random() * 50)) : firstId + row;
    const lateNs = odd > 0.9 ? Math.floor(random() * 4 * GRACE_NS) : 0;
    const price = odd > 0.5 && odd < 0.51 ? 100.5 : 5_000 + Math.floor(random() * 40);
    const size = odd > 0.6 && odd < 0.61 ? 0 : 1 + Math.floor(random() ** 4 * 200);
    const side = odd > 0.7 && odd < 0.71 ? 7 : Math.floor(random() * 3) - 1;
    const at = Math.max(0, ts - lateNs);
    if (at < DAY_NS) today.push([id, at, price, size, side]);
    else tomorrow.push([id, at - DAY_NS, price, size, side]);
  }
  // A feed whose clock is ahead sends a trade of the next day while the day is open.
  if (random() < 0.05)
    tomorrow.push([firstId + count - 1, Math.floor(random() * 1_000), 5_000, 3, 1]);
  return [
    ...(today.length > 0 ? [intakeBatch(symbol, day, today)] : []),
    ...(tomorrow.length > 0 ? [intakeBatch(symbol, addDays(day, 1), tomorrow)] : []),
  ];
}

function scriptPromise(random: Random, day: UtcDay, nowNs: number): EpochNs | null {
  if (nowNs === DAY_NS) return epochNs(addDays(day, 1), random() < 0.5 ? 0 : 1_000);
  if (random() < 0.2) return null;
  const back = random() < 0.05 ? 10 * GRACE_NS : GRACE_NS;
  return epochNs(day, Math.max(0, nowNs - back));
}

/** Notes from their own random numbers: trades do not depend on them. */
class ScriptedNotes {
  readonly #random: Random;
  readonly #growing = new Map<string, EpochNs>();
  #count = 0;
  #hasBegun = false;

  constructor(seed: number) {
    this.#random = seededRandom(seed + 500_000);
  }

  /** `isTimed`: the offer itself tells the day. */
  next(from: EpochNs, isTimed: boolean): readonly TapeNote[] {
    this.#hasBegun ||= isTimed;
    this.#count += 1;
    if (!this.#hasBegun || this.#random() < 0.5) return [];
    const notes: TapeNote[] = [{ kind: 'batch', id: `b${this.#count}`, digest: `d${this.#count}` }];
    const symbol = SCRIPT_SYMBOLS[this.#count % SCRIPT_SYMBOLS.length]!;
    if (this.#random() < 0.5) {
      notes.push({ kind: 'position', key: symbol, text: `${this.#count}` });
    }
    if (this.#random() < 0.3) notes.push(this.#gap(symbol, from));
    return notes;
  }

  /** A gap that is closed at once, or one that grows and is closed later, also over midnights. */
  #gap(symbol: string, from: EpochNs): TapeNote {
    const growing = this.#growing.get(symbol);
    const shift = BigInt(Math.floor((this.#random() - 0.5) * 2e13));
    const start = growing ?? ((from + shift) as EpochNs);
    const isClosed = growing !== undefined || this.#random() < 0.5;
    const length = 1n + BigInt(Math.floor(this.#random() * 2e13));
    const end = growing === undefined ? start + length : from > start ? from : start + length;
    if (isClosed) this.#growing.delete(symbol);
    else this.#growing.set(symbol, start);
    const to = isClosed ? (end as EpochNs) : null;
    const numbers = { firstId: this.#count, lastId: null };
    return { kind: 'gap', gap: { symbol, from: start, to, ...numbers, reason: 'script' } };
  }
}
