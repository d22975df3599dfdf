/**
 * Whose trade it is: instrument ids of a file become instruments with the venue's symbol. Ids mean something only on a
 * day, the one on which a record was captured. What is known of one comes, in this order, from a mapping record before
 * it (live captures), from the metadata, and from definitions: given beside, or before it in a capture. Nothing is guessed: an id without
 * a name is an instrument of its own, without a symbol.
 */

import { dayOf } from '@tapeloom/core/utc-day';
import type { FeedInstrument } from '../feed-trades.ts';
import type { DbnDefinition } from './dbn-definitions.ts';
import type { DbnMappings } from './dbn-mappings.ts';

/** What of a definition tells whose trade it is. */
export type NamingDefinition = Pick<
  DbnDefinition,
  'instrumentId' | 'rawSymbol' | 'instrumentClass' | 'received' | 'activation' | 'expiration'
>;

export interface DbnInstrument extends FeedInstrument {
  /** The id it was first met with; on some venues it has another one every day. */
  readonly instrumentId: number;
  /** The name under which the file was ordered, where that is not the venue's symbol: `ES.c.0`. */
  readonly orderedAs: string | null;
}

/** By the class of their definition; futures are wanted. */
const CLASSES: Readonly<Record<string, string>> = {
  S: 'a spread',
  C: 'an option',
  P: 'an option',
  T: 'a spread of options',
  M: 'a mixed spread',
  K: 'a stock',
  X: 'a currency pair',
  B: 'a bond',
  Y: 'a commodity at its spot price',
};
const FUTURE_CLASS = 'F';
/** `ESH1 C3800` */
const OPTION_SYMBOL = / [CP]\d+(?:\.\d+)?$/;
/** `ESU4-ESZ4`, and `GE:PK 01Y M1` or `UD:1V: …`, which venues and traders put together. */
const SPREAD_SYMBOL = /[-:]/;

export class DbnInstruments {
  readonly list: DbnInstrument[] = [];
  #mappings: DbnMappings | null = null;
  readonly #mapped = new Map<number, string>();
  readonly #definitions: Map<number, NamingDefinition[]>;
  /** By symbol, or by id where there is none. */
  readonly #indexes = new Map<string | number, number>();

  constructor(definitions: Iterable<NamingDefinition>) {
    this.#definitions = Map.groupBy(definitions, ({ instrumentId }) => instrumentId);
  }

  useMappings(mappings: DbnMappings): void {
    this.#mappings = mappings;
  }

  /** One more, which the file itself has. */
  define(definition: NamingDefinition): void {
    const { instrumentId } = definition;
    const known = this.#definitions.get(instrumentId);
    if (known === undefined) this.#definitions.set(instrumentId, [definition]);
    else known.push(definition);
  }

  /** The venue's symbol of an id on a day, by definitions; null where none says it. */
  definedSymbol(id: number, day: number): string | null {
    return this.#definitionOf(id, day, null)?.rawSymbol || null;
  }

  /** From here on in the file, the id means this symbol. */
  map(id: number, symbol: string): void {
    this.#mapped.set(id, symbol);
  }

  /** The place in `list` of what the id means on a day. */
  indexOf(id: number, day: number): number {
    const name = this.#mappings?.nameOf(id, day) ?? null;
    const isSymbol = this.#mappings?.isVenueSymbol() === true;
    const told = this.#mapped.get(id) ?? (isSymbol ? name : null);
    const definition = this.#definitionOf(id, day, told);
    const symbol = told ?? (definition?.rawSymbol || null);
    const key = symbol ?? id;
    let index = this.#indexes.get(key);
    if (index === undefined) {
      index = this.list.length;
      this.#indexes.set(key, index);
      const skipped = reasonToSkip(symbol, definition?.instrumentClass ?? null);
      this.list.push({ symbol, skipped, instrumentId: id, orderedAs: isSymbol ? null : name });
    }
    return index;
  }

  /** The newest that was known on that day, else the first after it; ids may be given again after an expiry. */
  #definitionOf(id: number, day: number, symbol: string | null): NamingDefinition | null {
    let best: NamingDefinition | null = null;
    let bestDay = 0;
    for (const definition of this.#definitions.get(id) ?? []) {
      const { rawSymbol, activation, expiration, received } = definition;
      if (symbol !== null && rawSymbol !== symbol) continue;
      if (activation !== null && day < dayOf(activation)) continue;
      if (expiration !== null && day > dayOf(expiration)) continue;
      const knownOn = received === null ? 0 : dayOf(received);
      const isBetter =
        best === null || (knownOn <= day ? bestDay > day || knownOn >= bestDay : knownOn < bestDay);
      if (!isBetter) continue;
      best = definition;
      bestDay = knownOn;
    }
    return best;
  }
}

function reasonToSkip(symbol: string | null, instrumentClass: string | null): string | null {
  if (instrumentClass !== null && instrumentClass !== FUTURE_CLASS) {
    return CLASSES[instrumentClass] ?? `of class ${instrumentClass}`;
  }
  if (symbol === null) return null;
  if (OPTION_SYMBOL.test(symbol)) return 'an option';
  return SPREAD_SYMBOL.test(symbol) ? 'a spread' : null;
}
