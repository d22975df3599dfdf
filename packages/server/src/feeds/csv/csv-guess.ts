/** The result of a look at a file: a mapping with its reasons, or the questions that must be settled first. */

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

export interface CsvHints {
  readonly preset?: CsvPresetName;
  /** An IANA zone for times that do not have one. */
  readonly zone?: string;
  /** For times since midnight: a number like 20261116. */
  readonly date?: number;
  /** The meaning of `03/04/2026`. */
  readonly dayMonth?: 'day-first' | 'month-first';
  /** The words of the side column. */
  readonly buyWords?: readonly string[];
  readonly sellWords?: readonly string[];
  /** Derive sides from the quotes beside each trade, if the form has them. */
  readonly hasSideByQuotes?: boolean;
}

export interface CsvQuestion {
  readonly about: 'preset' | 'zone' | 'date' | 'dayMonth' | 'time' | 'columns' | 'side' | 'content';
  /** A readable question, with the way to answer it. */
  readonly sentence: string;
}

export interface CsvGuess {
  /** Null while a question is open. */
  readonly mapping: CsvMapping | null;
  /** The same even with open questions: for review and editing, never for reading. */
  readonly draft: CsvMapping | null;
  readonly preset: CsvPresetName | null;
  /** The symbol in the file name, unchanged; null without one. */
  readonly symbol: string | null;
  readonly reasons: readonly string[];
  readonly unclear: readonly CsvQuestion[];
}

export class GuessNotes {
  readonly reasons: string[] = [];
  readonly unclear: CsvQuestion[] = [];

  because(sentence: string): void {
    this.reasons.push(sentence);
  }

  ask(about: CsvQuestion['about'], sentence: string): void {
    this.unclear.push({ about, sentence });
  }

  /** Gives a mapping only without open questions. */
  guess(
    mapping: CsvMapping | null,
    { preset = null, symbol = null }: Partial<Pick<CsvGuess, 'preset' | 'symbol'>> = {},
  ): CsvGuess {
    const { reasons, unclear } = this;
    const clear = unclear.length === 0 ? mapping : null;
    return { mapping: clear, draft: mapping, preset, symbol, reasons, unclear };
  }
}

export interface CsvPreset {
  readonly name: CsvPresetName;
  fits(sample: CsvSample): boolean;
  guess(sample: CsvSample, hints: CsvHints): CsvGuess;
}
