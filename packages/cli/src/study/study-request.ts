/** Reads the arguments of `tapeloom study`. An error names the option and what is accepted; nothing is guessed. */

import { resolve } from 'node:path';
import type { Calendar } from '@tapeloom/core/calendar/calendar';
import type { Contract } from '@tapeloom/core/instrument/contract';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { INDICATORS, indicatorNamed } from '@tapeloom/core/studies/catalogue';
import type { Indicator, Params } from '@tapeloom/core/studies/indicator';
import { parseParams } from '@tapeloom/core/studies/params';
import { dayOf } from '@tapeloom/core/utc-day';
import { nearestName } from '@tapeloom/server/config/nearest-name';
import { joinedListing } from '@tapeloom/server/markets/joined-listing';
import type { Market } from '@tapeloom/server/markets/market';
import { dataDirectory } from '../accounts/account-options.ts';
import { type CommandIo, UsageError } from '../command.ts';
import { calendarOf, marketsOf } from '../command-config.ts';
import { type EntryFormat, readEntryFormat } from '../entries/entry-format.ts';
import { readArgs } from '../read-args.ts';
import { readInstant, requireRange } from '../time-options.ts';
import { FILE_TEXTS, type FileOptions, readFileOptions } from './file-options.ts';

export interface StudyRequest {
  readonly indicator: Indicator;
  readonly params: Params;
  readonly source: TapeSource | FileSource;
  readonly hasTail: boolean;
  readonly format: EntryFormat;
  /** The output file; null: stdout. */
  readonly out: string | null;
}

/** Sealed days of a data directory. */
export interface TapeSource {
  readonly kind: 'tape';
  readonly contract: Contract;
  readonly calendar: Calendar;
  readonly from: EpochNs;
  readonly to: EpochNs;
  readonly data: string;
}

/** The user's own file; without a range, all of it. */
export interface FileSource {
  readonly kind: 'file';
  /** As given: paths, patterns, or `-` for standard input. */
  readonly words: readonly string[];
  readonly options: FileOptions;
  readonly from: EpochNs | null;
  readonly to: EpochNs | null;
}

const TAPE_TEXTS = ['tape', 'data'] as const;

export async function readStudyRequest(
  args: readonly string[],
  io: CommandIo,
): Promise<StudyRequest> {
  const { values, words } = readArgs(args, {
    texts: ['file', 'from', 'to', 'params', 'format', 'out', ...TAPE_TEXTS, ...FILE_TEXTS],
    flags: ['tail', 'no-tail', 'json'],
    words: null,
  });
  const [id, ...more] = words;
  const { file } = values;
  if (file === undefined && more.length > 0) {
    throw new UsageError(`unexpected argument: ${more[0]}`);
  }
  const indicator = readIndicator(id);
  return {
    indicator,
    params: readParams(indicator, values.params ?? '{}'),
    source: file === undefined ? await readTape(values, io) : readFile([file, ...more], values),
    // A file's end is final for the user, and in a small file most objects still form there.
    hasTail: values.tail || (file !== undefined && !values['no-tail']),
    format: readEntryFormat(values.format, values.json, values.out, io),
    out: values.out === undefined ? null : resolve(values.out),
  };
}

type SourceValues = Readonly<
  Partial<Record<'from' | 'to' | (typeof TAPE_TEXTS)[number] | (typeof FILE_TEXTS)[number], string>>
>;

async function readTape(values: SourceValues, io: CommandIo): Promise<TapeSource> {
  refuseOptions(values, FILE_TEXTS, '--file');
  const from = readInstant('--from', values.from);
  const to = readInstant('--to', values.to);
  requireRange(from, to);
  const data = dataDirectory(values.data, io);
  const markets = await marketsOf(io, data);
  const contract = readContract('--tape', values.tape, dayOf(from), markets);
  return { kind: 'tape', contract, calendar: calendarOf(markets, contract), from, to, data };
}

function readFile(words: readonly string[], values: SourceValues): FileSource {
  refuseOptions(values, TAPE_TEXTS, 'days of a data directory and excludes --file');
  const from = values.from === undefined ? null : readInstant('--from', values.from);
  const to = values.to === undefined ? null : readInstant('--to', values.to);
  if (from !== null && to !== null) requireRange(from, to);
  return { kind: 'file', words, options: readFileOptions(values), from, to };
}

function refuseOptions(
  values: SourceValues,
  names: readonly (keyof SourceValues)[],
  other: string,
) {
  const given = names.find((name) => values[name] !== undefined);
  if (given !== undefined) throw new UsageError(`--${given} requires ${other}`);
}

export function readIndicator(id: string | undefined): Indicator {
  const ids = INDICATORS.map((indicator) => indicator.id);
  if (id === undefined)
    throw new UsageError(`the indicator is missing; the indicators are ${ids.join(', ')}`);
  const indicator = indicatorNamed(id);
  if (indicator === null) throw new UsageError(unknown('indicator', id, ids));
  return indicator;
}

export function readParams(indicator: Indicator, text: string): Params {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`--params must be a JSON object like {"size":5}; got ${text}`, {
      cause: error,
    });
  }
  const parsed = parseParams(indicator, given);
  if ('params' in parsed) return parsed.params;
  const faults = parsed.faults.map(({ path, message }) => `\n  ${path || '/'}  ${message}`);
  throw new UsageError(`--params does not fit ${indicator.id}:${faults.join('')}`);
}

/** An alias means the contract it designates at the start of the range. */
export function readContract(
  option: string,
  name: string | undefined,
  day: UtcDay,
  markets: readonly Market[],
): Contract {
  if (name === undefined) {
    throw new UsageError(`${option} is missing: the contract or alias to read`);
  }
  const { book } = joinedListing(markets, () => day);
  const contract = book.resolve(name, day);
  if (contract !== null) return contract;
  if (book.alias(name) !== null) throw new UsageError(`${name} designates no contract at --from`);
  const names = [
    ...book.all().map(({ symbol }) => symbol),
    ...book.allAliases().map((it) => it.alias),
  ];
  throw new UsageError(unknown('contract or alias', name, names));
}

function unknown(what: string, name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  const hint = near === null ? `there are ${known.join(' ')}` : `did you mean ${near}?`;
  return `no ${what} is called ${name}; ${hint}`;
}
