/**
 * The basis of the naive twins: a tape of plain records, and the log of every update. Twins are deliberately slow and
 * obvious, import nothing from the studies, and search whole lists instead of keeping state. A mistake stays unseen
 * only if it is made twice, in two ways.
 */

export const DAY_NS = 86_400_000_000_000n;
const SECOND_NS = 1_000_000_000n;

export interface TwinTrade {
  readonly ns: bigint;
  readonly day: number;
  readonly rank: number;
  readonly price: number;
  readonly size: number;
  readonly side: number;
}

export interface TwinSession {
  readonly open: bigint;
  readonly close: bigint;
  /** The regular hours inside a trading day. */
  readonly regular?: { readonly open: bigint; readonly close: bigint };
  /** For a session that is not whole on the tape: the first missing UTC day. */
  readonly missingDay?: number;
  /** For a session with missing hours: where the first of them begin. */
  readonly missingFrom?: bigint;
}

export interface TwinTape {
  readonly trades: readonly TwinTrade[];
  readonly sessions: readonly TwinSession[];
  /** The watermark at the end: everything due until then happens. */
  readonly until: bigint;
}

export interface TwinObject {
  readonly id: string;
  readonly final: boolean;
  /** For a remove: the time of removal. */
  readonly ts: string;
  /** A remove has none. */
  readonly data?: unknown;
}

export interface TwinUpdate {
  readonly day: number;
  readonly rank: number;
  readonly k: number;
  /** When it happened, and whether by a trade or by time alone. */
  readonly at: bigint;
  readonly byTrade: boolean;
  readonly t: 'upsert' | 'remove';
  readonly object: TwinObject;
}

/** Whether all of a session is on the tape. */
export function isWhole({ missingDay, missingFrom }: TwinSession): boolean {
  return missingDay === undefined && missingFrom === undefined;
}

export function dayAt(ns: bigint): number {
  return Number(new Date(Number(ns / 1_000_000n)).toISOString().slice(0, 10).replaceAll('-', ''));
}

/** Adds days and ranks to trades given by their times. */
export function rankTrades(
  trades: readonly { ns: bigint; price: number; size: number; side: number }[],
): TwinTrade[] {
  const days = trades.map(({ ns }) => dayAt(ns));
  return trades.map((trade, index) => {
    const day = days[index]!;
    const rank = days.filter((other, at) => at <= index && other === day).length;
    return { ...trade, day, rank };
  });
}

export function tradesIn(tape: TwinTape, session: TwinSession): TwinTrade[] {
  return tape.trades.filter(
    ({ ns }) => ns >= session.open && ns < session.close && ns < tape.until,
  );
}

export class TwinLog {
  readonly updates: TwinUpdate[] = [];
  readonly #tape: TwinTape;

  constructor(tape: TwinTape) {
    this.#tape = tape;
  }

  byTrade(trade: TwinTrade, object: TwinObject): void {
    this.#add(trade.day, trade.rank, trade.ns, true, object);
  }

  /** The trade removes a final object. */
  removeByTrade(trade: TwinTrade, id: string): void {
    this.byTrade(trade, { id, final: true, ts: String(trade.ns) });
  }

  /** A final object is removed at `at`, by time alone. */
  removeByTime(at: bigint, id: string): void {
    this.byTime(at, { id, final: true, ts: String(at) });
  }

  /** An event due at `at` belongs to the last entry, trade or midnight, with an earlier time. */
  byTime(at: bigint, object: TwinObject): void {
    const midnight = ((at - 1n) / DAY_NS) * DAY_NS;
    const trade = this.#tape.trades.findLast(({ ns }) => ns < at);
    if (trade !== undefined && trade.ns >= midnight) {
      this.#add(trade.day, trade.rank, at, false, object);
    } else {
      this.#add(dayAt(midnight), 0, at, false, object);
    }
  }

  #add(day: number, rank: number, at: bigint, byTrade: boolean, object: TwinObject): void {
    const k = 1 + this.updates.filter((it) => it.day === day && it.rank === rank).length;
    const t = 'data' in object ? 'upsert' : 'remove';
    this.updates.push({ day, rank, k, at, byTrade, t, object });
  }
}

/**
 * The edge at which an update is published. An event at an edge is published there, a trade at an edge at the next one.
 * Edges are the whole seconds, and between them the multiples of the step, shifted by `phase` thousandths of it.
 */
export function edgeOf(
  { at, byTrade }: Pick<TwinUpdate, 'at' | 'byTrade'>,
  step: bigint,
  phase = 0,
): bigint {
  const second = (byTrade ? at : at - 1n) / SECOND_NS;
  const edges = [(second + 1n) * SECOND_NS];
  for (let multiple = SECOND_NS - step; multiple > 0n; multiple -= step) {
    edges.unshift(second * SECOND_NS + multiple + (step * BigInt(phase)) / 1_000n);
  }
  return edges.find((edge) => (byTrade ? at < edge : at <= edge))!;
}

/** The last edge not after an instant. */
export function lastEdge(at: bigint, step: bigint, phase = 0): bigint {
  let edge = at - (at % SECOND_NS);
  for (;;) {
    const next = edgeOf({ at: edge, byTrade: true }, step, phase);
    if (next > at) return edge;
    edge = next;
  }
}

/** position(at): all trades before `at`, all events due until then. */
export function positionAt(tape: TwinTape, updates: readonly TwinUpdate[], at: bigint): string {
  const midnight = (at / DAY_NS) * DAY_NS;
  const trade = tape.trades.findLast(({ ns }) => ns < at);
  const [day, rank] =
    trade !== undefined && trade.ns >= midnight ? [trade.day, trade.rank] : [dayAt(midnight), 0];
  const k = updates.filter(
    (it) => it.day === day && it.rank === rank && (it.byTrade ? it.at < at : it.at <= at),
  ).length;
  return `${day}.${rank}.${k}`;
}
