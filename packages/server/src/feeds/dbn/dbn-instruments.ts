/**
 * Resolves instrument ids of a file to instruments with the venue's symbol. An id is valid only on the day on which its
 * record was captured. Sources in order: an earlier mapping record (live captures), the metadata, definitions given
 * beside the file or earlier in a capture. Nothing is guessed: an id without a name is a separate instrument without a
 * symbol.
 */

import { dayOf } from '@tapeloom/core/utc-day';
import type { FeedInstrument } from '../feed-trades.ts';
import type { DbnDefinition } from './dbn-definitions.ts';
import type { DbnMappings } from './dbn-mappings.ts';

export type NamingDefinition = Pick<
  DbnDefinition,
  'instrumentId' | 'rawSymbol' | 'instrumentClass' | 'received' | 'activation' | 'expiration'
>;

export interface DbnInstrument extends FeedInstrument {
  /** The id of its first trade; some venues change it every day. */
  readonly instrumentId: number;
  /** The name under which the file was ordered, if it is not the venue's symbol: `ES.c.0`. */
  readonly orderedAs: string | null;
}

/** By the class of the definition; only futures are wanted. */
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
/** `ESU4-ESZ4`, and `GE:PK 01Y M1` or `UD:1V: …`, combinations by venues and traders. */
const SPREAD_SYMBOL = /[-:]/;

export class DbnInstruments {
  readonly list: DbnInstrument[] = [];
  #mappings: DbnMappings | null = null;
  readonly #mapped = new Map<number, string>();
  readonly #definitions: Map<number, NamingDefinition[]>;
  readonly #indexes = new Map<string | number, number>();

  constructor(definitions: Iterable<NamingDefinition>) {
    this.#definitions = Map.groupBy(definitions, ({ instrumentId }) => instrumentId);
  }

  useMappings(mappings: DbnMappings): void {
    this.#mappings = mappings;
  }

  define(definition: NamingDefinition): void {
    const { instrumentId } = definition;
    const known = this.#definitions.get(instrumentId);
    if (known === undefined) this.#definitions.set(instrumentId, [definition]);
    else known.push(definition);
  }

  /** The venue's symbol of an id on a day, from definitions; null without one. */
  definedSymbol(id: number, day: number): string | null {
    return this.#definitionOf(id, day, null)?.rawSymbol || null;
  }

  /** From here on in the file, the id stands for this symbol. */
  map(id: number, symbol: string): void {
    this.#mapped.set(id, symbol);
  }

  /** The index in `list` of an id's instrument on a day. */
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

  /** The newest definition known on that day, else the first after it; venues reuse ids after an expiry. */
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
