/**
 * Archives of exchanges, vendors and desks, recognised by their header or by the form of their rows
 * (`archive-forms.ts`). A form without a header that fits other files too is used only on request.
 */

import type { SideMapping } from '../feed-mapping.ts';
import { ARCHIVE_FORMS, type ArchiveForm, named, sides } from './archive-forms.ts';
import {
  type CsvGuess,
  type CsvHints,
  type CsvPreset,
  type CsvPresetName,
  GuessNotes,
} from './csv-guess.ts';
import type { CsvSample } from './csv-sample.ts';

const ZONE_QUESTIONS: Readonly<Partial<Record<CsvPresetName, string>>> = {
  tickdata:
    'TickData writes times of the exchange and does not say its zone: give it, such as America/Chicago or America/New_York.',
  mt5: 'MetaTrader writes times of the broker’s server and does not say its zone: give it, such as Europe/Athens.',
};

export const ARCHIVE_PRESETS: readonly CsvPreset[] = ARCHIVE_FORMS.map((form) => ({
  name: form.name,
  fits: (sample) => form.isTelling === true && isForm(form, sample),
  guess: (sample, hints) => {
    const notes = new GuessNotes();
    const its = ARCHIVE_FORMS.filter(({ name }) => name === form.name);
    const fitting = its.find((one) => isForm(one, sample));
    if (fitting === undefined) {
      const needs = its.map(
        ({ header }) => header?.join(', ') ?? 'rows without a header of its form',
      );
      notes.ask(
        'content',
        `This is not of the form ${form.name}, which needs ${needs.join('; or ')}.`,
      );
      return notes.guess(null, { preset: form.name });
    }
    return guessOf(fitting, sample, hints, notes);
  },
}));

/** A form that would fit but must be named by the caller. */
export function formToSay(sample: CsvSample): CsvPresetName | null {
  const fitting = ARCHIVE_FORMS.find((form) => form.isTelling !== true && isForm(form, sample));
  return fitting?.name ?? null;
}

function guessOf(
  form: ArchiveForm,
  sample: CsvSample,
  { hasSideByQuotes: isByQuotes, buyWords, sellWords, ...hints }: CsvHints,
  notes: GuessNotes,
): CsvGuess {
  const { name, because, mapping, quotes, header, symbol, askedSide } = form;
  const zone = hints.zone ?? form.zone ?? null;
  const isSideSaid = buyWords !== undefined && sellWords !== undefined;
  if (askedSide !== undefined && !isSideSaid) notes.ask('side', askedSide.question);
  if (form.zone === null && zone === null) notes.ask('zone', ZONE_QUESTIONS[name]!);
  for (const reason of because) notes.because(reason);
  if (form.zone !== undefined && zone !== null)
    notes.because(`Times are by the clocks of ${zone}.`);
  const { time } = mapping;
  const isWall = form.zone !== undefined && (time.kind === 'text' || time.kind === 'date-and-time');
  const isKibotQuotes = name === 'kibot' && sample.rows[0]!.length === 6;
  const bySides = isKibotQuotes ? KIBOT_QUOTES : quotes;
  return notes.guess(
    {
      side: { kind: 'none' },
      symbol: null,
      drop: [],
      ...mapping,
      ...(isKibotQuotes && { size: named(6) }),
      ...(isWall && { time: { ...time, zone: zone ?? 'UTC' } }),
      ...(askedSide !== undefined &&
        isSideSaid && { side: sides(askedSide.column, { buy: buyWords, sell: sellWords }) }),
      ...(isByQuotes === true && bySides !== undefined && { side: bySides }),
      delimiter: sample.delimiter,
      hasHeader: header !== null,
      decimalSign: '.',
    },
    { preset: name, symbol: symbol?.exec(sample.fileName)?.[1] ?? null },
  );
}

const KIBOT_QUOTES: SideMapping = { kind: 'quotes', bidColumn: 4, askColumn: 5 };

function isForm({ header, isRow }: ArchiveForm, sample: CsvSample): boolean {
  const isNamed =
    header === null
      ? sample.header === null
      : sample.header !== null && header.every((name) => sample.header!.includes(name));
  return isNamed && (isRow === undefined || isRow(sample.rows[0]!, sample));
}
