/** What an observation says of a venue's stream. */

import { LOTS_MAX, TICKS_MAX } from '@tapeloom/core/numbers';
import { DAY_NS } from '@tapeloom/core/units';
import type { Venue } from '../feed.ts';
import type { FeedTrade } from '../lines/line.ts';
import { NumberedLine } from '../lines/numbered-line.ts';
import type { VenueKind } from '../venue-kind.ts';
import { type DoctorFinding, found } from './finding.ts';
import type { Observation, SeenTrade } from './observation.ts';

/** Buyers lift the price and sellers lower it: a smaller share over so many moves says that the sides are the makers'. */
const MOVES_MIN = 50;
const AGREEING_MIN = 0.3;

export function judgeStream(
  seen: Observation,
  venue: Pick<Venue, 'acknowledges'>,
  kind: Pick<VenueKind, 'provesCompleteness'>,
): readonly DoctorFinding[] {
  return [
    judgeSubscription(seen, venue),
    judgeFields(seen),
    judgeSides(seen),
    judgeNumbers(seen, kind),
    judgeLeftOut(seen),
  ];
}

function judgeSubscription(
  { openedMs, readyMs, firstTradeMs, refused, ended, messages }: Observation,
  { acknowledges }: Pick<Venue, 'acknowledges'>,
): DoctorFinding {
  const check = 'subscription';
  if (openedMs === null) return found(check, 'failed', `no connection: ${ended ?? 'no answer'}`);
  if (refused.size > 0) {
    const all = [...refused].map(([symbol, why]) => `${symbol}: ${why}`);
    return found(check, 'failed', `refused: ${all.join('; ')}`);
  }
  const accepted = acknowledges ? 'acknowledged' : 'sent';
  const parts = [
    `connected after ${openedMs} ms`,
    readyMs === null ? `not ${accepted}` : `${accepted} after ${readyMs} ms`,
    firstTradeMs === null ? 'no trade' : `first trade after ${firstTradeMs} ms`,
    `${messages} messages`,
  ];
  if (ended !== null) return found(check, 'failed', `${parts.join(', ')}; it ended: ${ended}`);
  return found(check, readyMs === null ? 'failed' : 'ok', parts.join(', '));
}

function judgeFields({ trades }: Observation): DoctorFinding {
  const check = 'fields of trades';
  const all = [...trades].flatMap(([symbol, seen]) => seen.map(({ trade }) => ({ symbol, trade })));
  if (all.length === 0) return found(check, 'skipped', 'no trade came');
  const faulty = all.flatMap(({ symbol, trade }) => {
    const fault = faultOf(trade);
    return fault === null ? [] : [`trade ${trade.id} of ${symbol} has ${fault}`];
  });
  if (faulty.length > 0)
    return found(check, 'failed', `${faulty.length} of ${all.length}: ${faulty[0]}`);
  return found(check, 'ok', `${all.length} trades on the grid of their contracts`);
}

function faultOf({ id, day, ns, price, size, side }: FeedTrade): string | null {
  if (!Number.isSafeInteger(id)) return `the number ${id}`;
  if (!Number.isInteger(price) || Math.abs(price) > TICKS_MAX) return `a price of ${price} ticks`;
  if (!Number.isInteger(size) || size <= 0 || size > LOTS_MAX) return `a size of ${size} lots`;
  if (![-1, 0, 1].includes(side)) return `the side ${side}`;
  const isTime = Number.isInteger(day) && Number.isInteger(ns) && ns >= 0 && ns < DAY_NS;
  return isTime ? null : `the time ${day} days and ${ns} ns`;
}

function judgeSides({ trades }: Observation): DoctorFinding {
  const check = 'sides';
  const counts = { buys: 0, sells: 0, unknown: 0 };
  let [moves, agreeing] = [0, 0];
  for (const seen of trades.values()) {
    for (const [row, { trade }] of seen.entries()) {
      counts[trade.side > 0 ? 'buys' : trade.side < 0 ? 'sells' : 'unknown'] += 1;
      const move = Math.sign(trade.price - (seen[row - 1]?.trade.price ?? trade.price));
      if (move === 0 || trade.side === 0) continue;
      moves += 1;
      if (move === Math.sign(trade.side)) agreeing += 1;
    }
  }
  const { buys, sells, unknown } = counts;
  if (buys + sells + unknown === 0) return found(check, 'skipped', 'no trade came');
  const share =
    moves === 0
      ? 'the price did not move'
      : `the price moved with the side in ${percent(agreeing / moves)} of ${moves} moves`;
  const told = `${buys} buys, ${sells} sells, ${unknown} unknown; ${share}`;
  const isReversed = moves >= MOVES_MIN && agreeing / moves < AGREEING_MIN;
  if (isReversed) return found(check, 'failed', `${told}: these look like the makers' sides`);
  return found(check, unknown > buys + sells ? 'warning' : 'ok', told);
}

function judgeNumbers(
  { trades, lines }: Observation,
  { provesCompleteness }: Pick<VenueKind, 'provesCompleteness'>,
): DoctorFinding {
  const check = 'numbers without holes';
  const numbered = [...trades].filter(([symbol]) => lines.get(symbol) instanceof NumberedLine);
  if (numbered.length === 0) {
    const why = provesCompleteness
      ? 'the venue has no numbers; a repeated stream proves completeness'
      : 'the venue has no numbers, and cannot prove completeness';
    return found(check, 'skipped', why);
  }
  const parts = numbered.map(([symbol, seen]) => ({ symbol, ...numbersOf(seen) }));
  if (parts.every(({ count }) => count === 0)) return found(check, 'skipped', 'no trade came');
  const told = parts.map(({ symbol, count, missing, first, repeated, swapped }) => {
    const hole = missing === 0 ? 'none missing' : `${missing} missing, the first ${first}`;
    return `${symbol}: ${count} numbers, ${hole}, ${repeated} repeated, ${swapped} overtaken`;
  });
  const isFailed = parts.some(({ missing }) => missing > 0);
  const isOdd = parts.some(({ repeated, swapped }) => repeated + swapped > 0);
  return found(check, isFailed ? 'failed' : isOdd ? 'warning' : 'ok', told.join('; '));
}

function numbersOf(seen: readonly SeenTrade[]) {
  const ids = seen.map(({ trade }) => trade.id);
  const sorted = [...new Set(ids)].sort((a, b) => a - b);
  const before = sorted.find((id, row) => row + 1 < sorted.length && sorted[row + 1] !== id + 1);
  const count = sorted.length;
  return {
    count,
    missing: count === 0 ? 0 : sorted.at(-1)! - sorted[0]! + 1 - count,
    first: before === undefined ? null : before + 1,
    repeated: ids.length - count,
    swapped: ids.filter((id, row) => row > 0 && id < ids[row - 1]!).length,
  };
}

function judgeLeftOut({ leftOut }: Observation): DoctorFinding {
  const all = [...leftOut].map(([what, count]) => `${what}: ${count}`);
  return found('prints that are no order flow', 'ok', all.join(', ') || 'none');
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
