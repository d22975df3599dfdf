/**
 * A tape for a `RestService`: ESZ6 over ten days with the same number of trades each, ESU6 around the roll of
 * September, CLF7 with a missing day. The tape reaches up to now.
 */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { addDays, dayOf, epochNs, utcDay } from '@tapeloom/core/utc-day';
import type { RestService } from '../rest/rest-service.ts';
import type { MemoryTrade } from '../tape/memory-tape.ts';

const SECOND_NS = 1_000_000_000;
/** 14:30 UTC. */
const FIRST_TRADE_NS = 52_200 * SECOND_NS;
const APART_NS = 5 * SECOND_NS;

/** A trade every five seconds, from 14:30 UTC on. */
export const TRADES_A_DAY = 900;
/** ESZ6 traded every day from here to today, except Saturday, 7 November 2026. */
export const FIRST_DAY = utcDay(20261102);
/** From this Monday on `ES.c.0` means ESZ6, before it ESU6, which traded until the end of that day. */
export const ROLL_DAY = '2026-09-14';
/** The missing day of CLF7, between two present ones. */
export const DAY_LEFT_OUT = '2026-11-05';

/** Every service of a process has the same. */
const made = new Map<UtcDay, readonly MemoryTrade[]>();

export function fillMarket({ tape, clock, market }: RestService): void {
  const now = clock.now();
  const today = dayOf(now);
  for (let day = FIRST_DAY; day <= today; day = addDays(day, 1)) {
    if (day === utcDay(20261107)) continue;
    tape.commit('ESZ6', tradesOf(day), endOf(day, now));
    if (day !== utcDay(20261105)) tape.commit('CLF7', tradesOf(day), endOf(day, now));
  }
  for (let day = utcDay(20260908); day <= utcDay(20260914); day = addDays(day, 1)) {
    if (day === utcDay(20260912)) continue;
    tape.commit('ESU6', tradesOf(day), endOf(day, now));
  }
  market.tapeTime = now;
}

function endOf(day: UtcDay, now: EpochNs): EpochNs {
  const end = epochNs(day, 86_399 * SECOND_NS);
  return end < now ? end : now;
}

function tradesOf(day: UtcDay): readonly MemoryTrade[] {
  const trades = made.get(day) ?? makeTrades(day);
  made.set(day, trades);
  return trades;
}

function makeTrades(day: UtcDay): readonly MemoryTrade[] {
  return Array.from({ length: TRADES_A_DAY }, (_, at) => ({
    at: epochNs(day, FIRST_TRADE_NS + at * APART_NS),
    price: 20_000 + ((at * 7) % 23),
    size: 1 + ((at * 5) % 17),
    side: ([-1, 1, 0] as const)[at % 3]!,
  }));
}
