/** Finds instruments by what people type: a symbol, an alias, words of the name. */

import type { Instrument } from '@tapeloom/client';

export interface InstrumentChoice {
  /** What a chart keeps: the alias, or a contract that has none. */
  readonly name: string;
  readonly symbol: string;
  /** `E-mini S&P 500` */
  readonly title: string;
  readonly exchange: string;
  readonly status: Instrument['status'];
}

const MONTH =
  /\s+(?:January|February|March|April|May|June|July|August|September|October|November|December) \d{4}$/;

export function choiceOf(instrument: Instrument): InstrumentChoice {
  const { alias, symbol, name, exchange, status } = instrument;
  return { name: alias ?? symbol, symbol, title: shortTitle(name), exchange, status };
}

/** Without the contract's month, which the symbol says. */
export function shortTitle(name: string): string {
  return name.replace(MONTH, '');
}

/** Aliases first, since they follow the rolls; all words must occur. */
export function foundInstruments(
  instruments: readonly Instrument[],
  typed: string,
): readonly InstrumentChoice[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const streamed = instruments.filter(({ streamed: isStreamed }) => isStreamed);
  return streamed
    .filter(({ alias, symbol, name, exchange }) => {
      const text = `${alias ?? ''} ${symbol} ${name} ${exchange}`.toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .toSorted((a, b) => Number(a.alias === null) - Number(b.alias === null))
    .map(choiceOf);
}

/** The wanted one, or the first: aliases before contracts, open markets before closed ones. */
export function firstInstrument(instruments: readonly Instrument[], wanted: string): string {
  const isThere = instruments.some(({ alias, symbol }) => alias === wanted || symbol === wanted);
  if (isThere || instruments.length === 0) return wanted;
  const choices = foundInstruments(instruments, '');
  const open = choices.find(({ status }) => status === 'open');
  return (open ?? choices[0])?.name ?? wanted;
}
