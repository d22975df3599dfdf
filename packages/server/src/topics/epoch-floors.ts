/**
 * Which cursors a change of an indicator's computation, or a repair of the tape, has made worthless (rule DET-23). A
 * floor is a position on a contract's tape: right before the first update of the next trade, and so beyond every cursor
 * issued before the change. Cursors that the new computation issues before that trade lie below the floor too: a client
 * that resumes from one gets a needless snapshot once, and nothing wrong.
 */

import { type Cursor, compareCursors, formatCursor, parseCursor } from '@tapeloom/core/cursor';
import { RANK_MAX, type Rank, type UtcDay } from '@tapeloom/core/numbers';
import { addDays } from '@tapeloom/core/utc-day';
import type { ResetReason } from '@tapeloom/protocol/server-messages';

export type EpochReason = Extract<ResetReason, 'engine_changed' | 'source_gap'>;

/** Far longer than any look-back, and than any cursor is worth replaying. */
const REPAIRS_KEPT_DAYS = 400;
/** When more days than this are repaired at once, all cursors of the contract end, so that floors stay few. */
const DAYS_APART_MAX = 32;

export interface EpochFloor {
  readonly contract: string;
  /** Null: all indicators. */
  readonly indicator: string | null;
  /** Cursors below it are worthless. */
  readonly cursor: string;
  /** For a repair: the day added or replaced on the tape. Only cursors that depend on it are worthless. */
  readonly day?: UtcDay;
  readonly reason: EpochReason;
}

/** By indicator, the name of its computation (`computationOf`). */
export type Computations = Readonly<Record<string, string>>;

/** By contract. */
export type ContractDays = Readonly<Record<string, readonly UtcDay[]>>;

export interface StreamEpochs {
  /** The computations that issued the newest cursors, also of indicators that are missing at present. */
  readonly computations: Computations;
  readonly floors: readonly EpochFloor[];
  /** For nodes that share a tape: days that come behind it, to each node at another time (`days-to-come.ts`). */
  readonly coming?: ContractDays;
  /** Likewise: days without which no node shows results any more. */
  readonly settling?: ContractDays;
}

/** The last trade of a contract that a cursor may name; rank 0 is the day's midnight. */
export type TapeEnd = Pick<Cursor, 'day' | 'rank'>;

/** Why a stream cannot resume from this cursor, or null. `matters`: whether the cursor depends on a repaired day. */
export function brokenBy(
  floors: readonly EpochFloor[],
  stream: { readonly contract: string; readonly indicator: string },
  cursor: Cursor,
  matters: (day: UtcDay) => boolean = () => true,
): EpochReason | null {
  let highest: EpochFloor | null = null;
  for (const floor of floors) {
    if (floor.contract !== stream.contract) continue;
    if (floor.indicator !== null && floor.indicator !== stream.indicator) continue;
    if (compareCursors(cursor, placeOf(floor)) >= 0) continue;
    if (floor.day !== undefined && !matters(floor.day)) continue;
    if (highest === null || compareCursors(placeOf(highest), placeOf(floor)) < 0) highest = floor;
  }
  return highest?.reason ?? null;
}

/** The indicators whose cursors came from another computation. A new indicator has issued none. */
export function changedIndicators(before: Computations, now: Computations): readonly string[] {
  return Object.keys(now).filter((id) => Object.hasOwn(before, id) && before[id] !== now[id]);
}

/** The epochs with these computations. Everything up to these ends is worthless, for the `changed` or all (null). */
export function withComputations(
  before: StreamEpochs,
  computations: Computations,
  changed: readonly string[] | null,
  ends: ReadonlyMap<string, TapeEnd>,
): StreamEpochs {
  const added = Array.from(ends).flatMap(([contract, end]) =>
    (changed ?? [null]).map((indicator): EpochFloor => {
      return { contract, indicator, cursor: beyond(end), reason: 'engine_changed' };
    }),
  );
  return {
    ...before,
    computations: { ...before.computations, ...computations },
    floors: merged(before.floors, added),
  };
}

/** The epochs after a repair of a contract's days, when its tape reached this end. Very old repairs are dropped. */
export function withRepair(
  epochs: StreamEpochs,
  contract: string,
  end: TapeEnd,
  ...days: readonly UtcDay[]
): StreamEpochs {
  const floor: EpochFloor = {
    contract,
    indicator: null,
    cursor: beyond(end),
    reason: 'source_gap',
  };
  const oldest = addDays(end.day, -REPAIRS_KEPT_DAYS);
  const kept = epochs.floors.filter((it) => it.day === undefined || it.day >= oldest);
  const areMany = days.length > DAYS_APART_MAX;
  const added = areMany ? [floor] : days.map((day) => ({ ...floor, day }));
  return { ...epochs, floors: merged(kept, added) };
}

export function formatEpochs(epochs: StreamEpochs): string {
  return `${JSON.stringify({ version: 2, ...epochs }, null, 2)}\n`;
}

/** Null when the text is no output of `formatEpochs`. Version 1 had one computation for all indicators (`ids`). */
export function parseEpochs(text: string, ids: readonly string[]): StreamEpochs | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecord(value)) return null;
  const { version, floors } = value;
  if (!Array.isArray(floors) || !floors.every(isFloor)) return null;
  const { fingerprint } = value;
  if (version === 1 && typeof fingerprint === 'string') {
    return { computations: Object.fromEntries(ids.map((id) => [id, fingerprint])), floors };
  }
  const { computations, coming, settling } = value;
  if (version !== 2 || !isComputations(computations)) return null;
  return {
    ...{ computations, floors },
    ...(isContractDays(coming) && { coming }),
    ...(isContractDays(settling) && { settling }),
  };
}

/** Keeps only the highest of the floors with the same meaning: they stay few. */
function merged(floors: readonly EpochFloor[], added: readonly EpochFloor[]): EpochFloor[] {
  const byMeaning = new Map<string, EpochFloor>();
  for (const floor of [...floors, ...added]) {
    const { contract, indicator, reason, day } = floor;
    const meaning = JSON.stringify([contract, indicator, reason, day]);
    const known = byMeaning.get(meaning);
    if (known !== undefined && compareCursors(placeOf(known), placeOf(floor)) >= 0) continue;
    byMeaning.set(meaning, floor);
  }
  return [...byMeaning.values()];
}

function placeOf(floor: EpochFloor): Cursor {
  return parseCursor(floor.cursor)!;
}

/** The position right after everything that a trade can have caused. */
function beyond({ day, rank }: TapeEnd): string {
  return formatCursor({ day, rank: Math.min(rank + 1, RANK_MAX) as Rank, k: 0 });
}

function isFloor(value: unknown): value is EpochFloor {
  if (!isRecord(value)) return false;
  const { contract, indicator, cursor, reason, day } = value;
  return (
    (day === undefined || typeof day === 'number') &&
    typeof contract === 'string' &&
    (indicator === null || typeof indicator === 'string') &&
    typeof cursor === 'string' &&
    parseCursor(cursor) !== null &&
    (reason === 'engine_changed' || reason === 'source_gap')
  );
}

function isComputations(value: unknown): value is Computations {
  return isRecord(value) && Object.values(value).every((name) => typeof name === 'string');
}

function isContractDays(value: unknown): value is ContractDays {
  const isDays = (days: unknown) =>
    Array.isArray(days) && days.every((day) => typeof day === 'number');
  return isRecord(value) && Object.values(value).every(isDays);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
