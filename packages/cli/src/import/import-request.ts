/** The options of `tapeloom import`. */

import type { SaidCoverage } from '@tapeloom/server/imports/file-coverage';
import type { EqualsAtEdges } from '@tapeloom/server/imports/merge-day';
import type { InstantRange } from '@tapeloom/server/imports/spans';
import { dataDirectory } from '../accounts/account-options.ts';
import { type CommandIo, UsageError } from '../command.ts';
import { readArgs } from '../read-args.ts';
import { type FileOptions, FORM_TEXTS, readFileOptions } from '../study/file-options.ts';
import { readInstant } from '../time-options.ts';

/** Options that describe files of a dataset. */
export const IMPORT_TEXTS = ['data', 'dataset', 'contract', 'covers', ...FORM_TEXTS] as const;

/** Other commands on trade files have `--calendar`; here the error explains where a dataset names its calendar. */
const CALENDAR_TEXT =
  'the calendar of a dataset is in its instruments: name it there as the calendar of the product, or make them with ' +
  '"tapeloom instruments from --calendar <name>", and apply them before the first import';

export interface ImportRequest {
  /** As given: paths and patterns. */
  readonly words: readonly string[];
  readonly data: string;
  /** Null: the only dataset. */
  readonly dataset: string | null;
  /** The symbol of the contract for all files; null: the files name it. */
  readonly contract: string | null;
  readonly covers: SaidCoverage;
  readonly options: FileOptions;
  readonly mayReplace: boolean;
  /** Replaces trades without asking. */
  readonly isYes: boolean;
  readonly equalsAtEdges: EqualsAtEdges;
  readonly isDryRun: boolean;
  readonly isJson: boolean;
}

export function readImportRequest(args: readonly string[], io: CommandIo): ImportRequest {
  const { values, words } = readArgs(args, {
    texts: [...IMPORT_TEXTS, 'at-edges', 'calendar'],
    flags: ['replace', 'yes', 'dry-run', 'whole-day', 'json'],
    words: null,
  });
  if (words.length === 0) throw new UsageError('<file> is missing');
  if (values.calendar !== undefined) throw new UsageError(CALENDAR_TEXT);
  return {
    words,
    data: dataDirectory(values.data, io),
    dataset: values.dataset ?? null,
    contract: values.contract ?? null,
    covers: readCovers(values.covers, values['whole-day']),
    options: readFileOptions(values),
    mayReplace: values.replace,
    isYes: values.yes,
    equalsAtEdges: readAtEdges(values['at-edges']),
    isDryRun: values['dry-run'],
    isJson: values.json,
  };
}

function readAtEdges(text: string | undefined): EqualsAtEdges {
  if (text === undefined) return null;
  if (text === 'one' || text === 'two') return text;
  throw new UsageError(`--at-edges must be one or two; got ${text}`);
}

export function readCovers(text: string | undefined, isWholeDays: boolean): SaidCoverage {
  if (text === undefined) return isWholeDays ? 'whole-days' : null;
  if (isWholeDays) throw new UsageError('use either --covers or --whole-day, not both');
  return readRange(text);
}

function readRange(text: string): InstantRange {
  const [first, second, more] = text.split('..');
  if (second === undefined || more !== undefined) {
    throw new UsageError(`--covers must be like 2026-03-01..2026-04-01; got ${text}`);
  }
  const range = { from: readInstant('--covers', first), to: readInstant('--covers', second) };
  if (range.from < range.to) return range;
  throw new UsageError(
    '--covers ends before it begins; its end is not included, so a day ends at the next date',
  );
}
