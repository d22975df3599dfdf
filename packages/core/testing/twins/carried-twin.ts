/**
 * The naive twin of objects from finished bars: a list of all live objects, scanned for every trade and close. The bars
 * come from the bar twin, session by session.
 */

import { type BarParams, barTwin, type Part } from './bar-twin.ts';
import { isWhole, TwinLog, type TwinSession, type TwinTape, type TwinUpdate } from './twin-tape.ts';

export interface TwinFind {
  readonly n: number;
  readonly data: object;
  /** 1: a trade at or above the price removes it; -1: at or below. */
  readonly side: number;
  readonly price: number;
}

interface Alive extends TwinFind {
  readonly id: string;
  /** Index of the session of its birth. */
  readonly session: number;
}

interface BarState {
  readonly parts: readonly Part[];
}

export interface CarriedParams extends BarParams {
  readonly lookback: number;
}

export function carriedTwin(
  tape: TwinTape,
  params: CarriedParams,
  findsIn: (parts: readonly Part[], barId: string) => TwinFind[],
  countMax = 5000,
): TwinUpdate[] {
  const log = new TwinLog(tape);
  let alive: Alive[] = [];

  const removeWhere = (is: (it: Alive) => boolean, tell: (id: string) => void) => {
    const gone = alive.filter(is);
    alive = alive.filter((it) => !is(it));
    for (const { id } of gone) tell(id);
  };

  for (const [index, session] of tape.sessions.entries()) {
    const partsSeen = new Map<string, number>();
    for (const update of barUpdates(tape, session, params)) {
      const { id, final, ts } = update.object;
      const { parts } = update.object.data as BarState;
      const trade = tape.trades.find((it) => it.day === update.day && it.rank === update.rank);
      if (parts.length > (partsSeen.get(id) ?? 0)) {
        const { price } = trade!;
        const reached = (it: Alive) => price * it.side >= it.price * it.side;
        const order = (a: Alive, b: Alive) =>
          b.side - a.side ||
          a.price * a.side - b.price * b.side ||
          alive.indexOf(a) - alive.indexOf(b);
        for (const { id: gone } of alive.filter(reached).toSorted(order)) {
          removeWhere(
            (it) => it.id === gone,
            (name) => log.removeByTrade(trade!, name),
          );
        }
        partsSeen.set(id, parts.length);
      }
      if (!final || isBroken(session, update)) continue;
      for (const find of findsIn(parts, id)) {
        const oldest = alive.length === countMax ? alive[0]!.id : null;
        const object = { id: `${id}.${find.n}`, final: true, ts, data: find.data };
        removeWhere(
          (it) => it.id === oldest,
          (name) =>
            update.byTrade ? log.removeByTrade(trade!, name) : log.removeByTime(update.at, name),
        );
        alive.push({ ...find, id: object.id, session: index });
        if (update.byTrade) log.byTrade(trade!, object);
        else log.byTime(update.at, object);
      }
    }
    if (session.close > tape.until) continue;
    removeWhere(
      (it) => !isWhole(session) || it.session === index - params.lookback,
      (id) => log.removeByTime(session.close, id),
    );
  }
  return log.updates;
}

/** Whether the day of an update or an earlier one is missing, or hours before it are. */
function isBroken(
  { missingDay, missingFrom }: TwinSession,
  { day, at }: Pick<TwinUpdate, 'day' | 'at'>,
): boolean {
  if (missingFrom !== undefined && at > missingFrom) return true;
  return missingDay !== undefined && day >= missingDay;
}

function barUpdates(tape: TwinTape, session: TwinSession, params: BarParams): TwinUpdate[] {
  return barTwin({ ...tape, sessions: [session] }, params, ({ parts }) => ({ parts: [...parts] }));
}
