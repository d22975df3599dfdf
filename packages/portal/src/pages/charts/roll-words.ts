/** When the alias of a chart will mean another contract, in words. */

import type { Instrument } from '@tapeloom/client';

export interface RollWords {
  /** `ESZ6 rolls to ESH7 on` */
  readonly text: string;
  /** `14 Dec` */
  readonly day: string;
}

/** Null: it is no alias, or no roll is planned. */
export function rollWords(instrument: Instrument | null, nextNs: bigint | null): RollWords | null {
  if (instrument === null || nextNs === null) return null;
  const { symbol, rolls = [] } = instrument;
  const next = rolls.find(({ from }) => BigInt(from) === nextNs);
  const to = next === undefined ? '' : ` to ${next.symbol}`;
  return { text: `${symbol} rolls${to} on`, day: dayText(nextNs) };
}

function dayText(ns: bigint): string {
  return new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
    .format(Number(ns / 1_000_000n))
    .replace('Sept', 'Sep');
}
