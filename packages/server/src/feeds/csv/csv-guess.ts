/** What a look at a file gives: a mapping with its reasons, or what must be asked before there can be one. */

import type { CsvMapping } from '../feed-mapping.ts';
import type { CsvSample } from './csv-sample.ts';

export const CSV_PRESETS = [
  'databento',
  'binance-trades',
  'binance-aggtrades',
  'tardis',
  'sierra',
  'ninjatrader',
  'quantconnect',
  'bybit',
  'bitmex',
  'okx',
  'bitget',
  'kraken',
  'gate',
  'kaiko',
  'coinapi',
  'polygon',
  'iqfeed',
  'kibot',
  'tickdata',
  'mt5',
] as const;
export type CsvPresetName = (typeof CSV_PRESETS)[number];

/** What somebody has said already. */
export interface CsvHints {
  readonly preset?: CsvPresetName;
  /** IANA, for times that do not say theirs. */
  readonly zone?: string;
  /** For times since midnight, a number like 20261116. */
  readonly date?: number;
  /** How `03/04/2026` is meant. */
  readonly dayMonth?: 'day-first' | 'month-first';
  /** The words of the column of sides. */
  readonly buyWords?: readonly string[];
  readonly sellWords?: readonly string[];
  /** Sides are to follow from the quotes beside each trade, where a form has them. */
  readonly hasSideByQuotes?: boolean;
}

export interface CsvQuestion {
  readonly about: 'preset' | 'zone' | 'date' | 'dayMonth' | 'time' | 'columns' | 'side' | 'content';
  /** For people: what is unclear, and how to answer. */
  readonly sentence: string;
}

export interface CsvGuess {
  /** Null as long as something is unclear. */
  readonly mapping: CsvMapping | null;
  /** The same, also where something is unclear: to be looked at and changed, never to be read with. */
  readonly draft: CsvMapping | null;
  readonly preset: CsvPresetName | null;
  /** The symbol that the name of the file gives, as it stands there; null when it gives none. */
  readonly symbol: string | null;
  /** Sentences that say what was taken for what, and why. */
  readonly reasons: readonly string[];
  readonly unclear: readonly CsvQuestion[];
}

/** Reasons and questions as they come up. */
export class GuessNotes {
  readonly reasons: string[] = [];
  readonly unclear: CsvQuestion[] = [];

  because(sentence: string): void {
    this.reasons.push(sentence);
  }

  ask(about: CsvQuestion['about'], sentence: string): void {
    this.unclear.push({ about, sentence });
  }

  /** The mapping counts only when nothing had to be asked. */
  guess(
    mapping: CsvMapping | null,
    { preset = null, symbol = null }: Partial<Pick<CsvGuess, 'preset' | 'symbol'>> = {},
  ): CsvGuess {
    const { reasons, unclear } = this;
    const clear = unclear.length === 0 ? mapping : null;
    return { mapping: clear, draft: mapping, preset, symbol, reasons, unclear };
  }
}

/** A form of files that is known by name. */
export interface CsvPreset {
  readonly name: CsvPresetName;
  /** Whether a file looks like it. */
  fits(sample: CsvSample): boolean;
  guess(sample: CsvSample, hints: CsvHints): CsvGuess;
}
