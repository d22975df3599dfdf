/** The file of an export: its format, its name, and what is fetched for it. */

import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { MS_NS_BIG } from '@tapeloom/core/units';
import { UsageError } from '../command.ts';
import { ENTRY_FORMATS, type EntryFormat, readFormat } from '../entries/entry-format.ts';
import { cannotWrite } from '../entries/text-sink.ts';
import type { HistoryQuery } from './history-query.ts';

const EXPORT_FORMATS = [...ENTRY_FORMATS, 'parquet', 'arrow'] as const;
type ExportFormat = (typeof EXPORT_FORMATS)[number];

const EXTENSIONS: Readonly<Record<ExportFormat, string>> = {
  ndjson: 'ndjson',
  csv: 'csv',
  table: 'txt',
  parquet: 'parquet',
  // The service calls Arrow's stream format this, unlike its file format.
  arrow: 'arrows',
};
const LINES_EXTENSION = '.ndjson.zst';
/** Systems accept names of 255 bytes, and the times, the extension and `.part.json.new` need their share. */
const STUDIES_CHARACTERS_MAX = 120;
const DIGEST_CHARACTERS = 8;

export interface ExportTarget {
  readonly path: string;
  /** What is requested from the service, and the file it first goes to. */
  readonly fetched: { readonly format: 'ndjson' | 'parquet' | 'arrow'; readonly path: string };
  /** The format that the lines are rewritten to; null: the fetched file is final. */
  readonly rewrittenAs: EntryFormat | null;
  /** Discards what an earlier run left, complete or not. */
  readonly isForced: boolean;
}

interface NamedParams {
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

export interface TargetValues {
  readonly format?: string | undefined;
  readonly out?: string | undefined;
  readonly expand?: boolean | undefined;
  readonly force?: boolean | undefined;
}

export function readTarget(values: TargetValues, query: HistoryQuery): ExportTarget {
  const format = readFormat(values.format ?? 'ndjson', EXPORT_FORMATS);
  if (values.expand === true && format !== 'ndjson') {
    throw new UsageError(`--expand applies to ndjson only: ${format} is not compressed as a whole`);
  }
  if (query.studies !== undefined && format !== 'ndjson') {
    throw new UsageError(`${format} can hold only one indicator; use ndjson for several`);
  }
  if (values.out === '-') {
    throw new UsageError(
      'an export needs a file, so that it can be resumed; tapeloom history writes to stdout',
    );
  }
  const isTable = format === 'parquet' || format === 'arrow';
  const isKept = isTable || (format === 'ndjson' && values.expand !== true);
  const extension = format === 'ndjson' && isKept ? LINES_EXTENSION : `.${EXTENSIONS[format]}`;
  const path = values.out ?? `${nameOf(query)}${extension}`;
  // The existing file was paid for, and its replacement may cost as much.
  const isForced = values.force === true;
  if (!isForced && existsSync(path)) {
    throw new Error(`${path} already exists; --force replaces it, --out names another file`);
  }
  return {
    path,
    fetched: isKept
      ? { format: isTable ? format : 'ndjson', path }
      : { format: 'ndjson', path: `${path}${LINES_EXTENSION}` },
    rewrittenAs: isKept || isTable ? null : format,
    isForced,
  };
}

/** Checked before anything is charged. */
export function requireWritable({ path }: ExportTarget): void {
  try {
    accessSync(dirname(path), constants.W_OK);
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

/** `ES.c.0-bars,size=300-2026-11-12-2026-11-13`: different queries get different names. */
function nameOf(query: HistoryQuery): string {
  const { instrument, indicator, params, studies, from, to, mode, dataset, gaps } = query;
  const list = studies ?? [{ indicator, params }];
  const parts = [
    instrument,
    ...list.map(studyName),
    ...(mode === 'confirmed' ? [mode] : []),
    ...(gaps === 'allow' ? ['gaps'] : []),
    ...(dataset === undefined ? [] : [dataset]),
  ];
  const range = `${timeName(from)}-${to === undefined ? 'now' : timeName(to)}`;
  return `${safeName(parts.join('-'))}-${range}`;
}

/** Sorts parameters by name, so that equal ones give the same name. */
function studyName({
  indicator,
  params = {},
}: Pick<HistoryQuery, 'indicator'> & NamedParams): string {
  const named = Object.entries(params)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([name, value]) => `,${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    );
  return `${indicator}${named.join('')}`;
}

/** Replaces characters that some systems reject. A digest keeps such names, and truncated ones, distinct. */
function safeName(text: string): string {
  const safe = text.replaceAll(/[^A-Za-z0-9._,=-]/g, '_').slice(0, STUDIES_CHARACTERS_MAX);
  if (safe === text) return text;
  const digest = createHash('sha256').update(text).digest('hex').slice(0, DIGEST_CHARACTERS);
  return `${safe}-${digest}`;
}

/** A date if possible, otherwise to the second, without characters that some systems forbid in names. */
function timeName(ns: bigint): string {
  const text = new Date(Number(ns / MS_NS_BIG)).toISOString();
  if (text.endsWith('T00:00:00.000Z')) return text.slice(0, 10);
  return `${text.slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}
