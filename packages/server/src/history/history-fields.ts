/**
 * The fields of a history query, each read by itself: what it must look like and what it says. All that
 * is wrong is told at once, each field by its pointer; parameters of an indicator below `/params`. What a
 * value means for the caller is judged elsewhere.
 */

import { type Cursor, parseCursor } from '@tapeloom/core/cursor';
import { instantFault, parseInstant } from '@tapeloom/core/instant-text';
import { jsonFault } from '@tapeloom/core/json-fault';
import type { EpochNs } from '@tapeloom/core/numbers';
import { indicatorNamed } from '@tapeloom/core/studies/catalogue';
import type { Params } from '@tapeloom/core/studies/indicator';
import { parseParams } from '@tapeloom/core/studies/params';
import type { StreamMode } from '@tapeloom/protocol/client-messages';
import type { FieldFault } from '@tapeloom/protocol/problem';
import { splitRevision } from './tape-revision.ts';

export const LIMIT_DEFAULT = 1_000;
export const LIMIT_MAX = 10_000;
/** Names are short; a longer one is no name. */
const NAME_LENGTH_MAX = 64;
export const FAULTS_MAX = 32;
const WHOLE = /^(?:0|[1-9]\d{0,8})$/;

/** Exports have no pages, and their results no snapshot. */
export type HistoryOperation = 'history' | 'estimate' | 'export';

const COMMON = [
  'instrument',
  'indicator',
  'params',
  'from',
  'to',
  'untilCursor',
  'mode',
  'dataset',
  'gaps',
] as const;
const PAGED = [...COMMON, 'limit', 'cursor', 'snapshot'] as const;

/** What an export is written as: lines, or one of the tables. */
export const EXPORT_FORMATS = ['ndjson', 'parquet', 'arrow', 'csv'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
export type TableFormat = Exclude<ExportFormat, 'ndjson'>;

export const HISTORY_PARAMETERS: Readonly<Record<HistoryOperation, readonly string[]>> = {
  history: PAGED,
  estimate: PAGED,
  export: [...COMMON, 'format'],
};

export interface CursorField extends Cursor {
  readonly text: string;
}

/** Where a further page begins, and the revision of the tape that the page before was of. */
export interface NextField extends CursorField {
  readonly revision: string | null;
}

export interface HistoryFields {
  readonly instrument: string;
  readonly indicator: string;
  /** Every parameter of the indicator, canonical; null when there is no such indicator. */
  readonly params: Params | null;
  readonly from: EpochNs;
  /** Null: the newest that can be seen. */
  readonly to: EpochNs | null;
  readonly untilCursor: CursorField | null;
  readonly mode: StreamMode;
  readonly dataset: string | null;
  /** Whether what is there is wanted where not all of it is. */
  readonly allowsGaps: boolean;
  readonly limit: number;
  readonly cursor: NextField | null;
  readonly hasSnapshot: boolean;
  readonly format: ExportFormat;
}

export type ReadFields =
  | { readonly fields: HistoryFields }
  | { readonly faults: readonly FieldFault[] };

export function readHistoryFields(
  raw: Readonly<Record<string, unknown>>,
  operation: HistoryOperation,
): ReadFields {
  const reader = new FieldReader(raw, HISTORY_PARAMETERS[operation]);
  const indicator = reader.required('indicator', readName);
  const fields: HistoryFields = {
    instrument: reader.required('instrument', readName) ?? '',
    indicator: indicator ?? '',
    params: reader.params(indicator),
    from: reader.required('from', readInstant) ?? (0n as EpochNs),
    to: reader.optional('to', readInstant),
    untilCursor: reader.optional('untilCursor', readCursor),
    mode: reader.optional('mode', readMode) ?? 'live',
    dataset: reader.optional('dataset', readName),
    allowsGaps: reader.optional('gaps', readGaps) ?? false,
    limit: reader.optional('limit', readLimit) ?? LIMIT_DEFAULT,
    cursor: reader.optional('cursor', readNext),
    hasSnapshot: reader.optional('snapshot', readBoolean) ?? false,
    format: reader.optional('format', readFormat) ?? 'ndjson',
  };
  if (raw.to !== undefined && fields.untilCursor !== null) {
    reader.fault('/untilCursor', 'cannot be combined with /to');
  }
  const { faults } = reader;
  return faults.length > 0 ? { faults: faults.slice(0, FAULTS_MAX) } : { fields };
}

/** What a text means, or what is wrong with it. */
type Reading<T> = { readonly value: T } | { readonly fault: string };
type Read<T> = (text: string) => Reading<T>;

class FieldReader {
  readonly faults: FieldFault[] = [];
  readonly #raw: ReadonlyMap<string, unknown>;

  constructor(raw: Readonly<Record<string, unknown>>, known: readonly string[]) {
    this.#raw = new Map(Object.entries(raw));
    for (const name of this.#raw.keys()) {
      if (!known.includes(name)) this.fault(pointer(name), 'is not known');
      if (this.faults.length === FAULTS_MAX) return;
    }
  }

  fault(path: string, message: string): void {
    this.faults.push({ path, message });
  }

  required<T>(name: string, read: Read<T>): T | null {
    if (!this.#raw.has(name)) this.fault(`/${name}`, 'is missing');
    return this.optional(name, read);
  }

  optional<T>(name: string, read: Read<T>): T | null {
    const text = this.#raw.get(name);
    if (text === undefined) return null;
    const reading = typeof text === 'string' ? read(text) : { fault: 'must be given once' };
    if ('value' in reading) return reading.value;
    this.fault(`/${name}`, reading.fault);
    return null;
  }

  /** The parameters of an indicator: defaults where none are given, null where they cannot be judged. */
  params(indicatorId: string | null): Params | null {
    const given = this.#raw.has('params') ? this.optional('params', readObject) : {};
    const indicator = indicatorId === null ? null : indicatorNamed(indicatorId);
    if (given === null || indicator === null) return null;
    const parsed = parseParams(indicator, given);
    if ('params' in parsed) return parsed.params;
    for (const { path, message } of parsed.faults) this.fault(`/params${path}`, message);
    return null;
  }
}

function readName(text: string): Reading<string> {
  const isName = text.length > 0 && text.length <= NAME_LENGTH_MAX;
  return isName ? { value: text } : { fault: `must have 1 to ${NAME_LENGTH_MAX} characters` };
}

function readInstant(text: string): Reading<EpochNs> {
  const value = parseInstant(text);
  return value === null ? { fault: instantFault(text) } : { value };
}

function readCursor(text: string): Reading<CursorField> {
  const cursor = parseCursor(text);
  if (cursor !== null) return { value: { ...cursor, text } };
  return { fault: 'must be a cursor <utcDay>.<rank>.<k>' };
}

function readNext(text: string): Reading<NextField> {
  const { cursor, revision } = splitRevision(text);
  const read = readCursor(cursor);
  return 'value' in read ? { value: { ...read.value, revision } } : read;
}

function readMode(text: string): Reading<StreamMode> {
  return text === 'live' || text === 'confirmed'
    ? { value: text }
    : { fault: 'must be one of live, confirmed' };
}

function readGaps(text: string): Reading<boolean> {
  return text === 'refuse' || text === 'allow'
    ? { value: text === 'allow' }
    : { fault: 'must be one of refuse, allow' };
}

function readFormat(text: string): Reading<ExportFormat> {
  const value = EXPORT_FORMATS.find((format) => format === text);
  return value === undefined ? { fault: `must be one of ${EXPORT_FORMATS.join(', ')}` } : { value };
}

function readBoolean(text: string): Reading<boolean> {
  return text === 'true' || text === 'false'
    ? { value: text === 'true' }
    : { fault: 'must be one of true, false' };
}

function readLimit(text: string): Reading<number> {
  const value = WHOLE.test(text) ? Number(text) : 0;
  return value >= 1 && value <= LIMIT_MAX
    ? { value }
    : { fault: `must be a whole number from 1 to ${LIMIT_MAX}` };
}

function readObject(text: string): Reading<object> {
  const fault = 'must be a URL-encoded JSON object';
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? { value } : { fault };
  } catch {
    return { fault: `${fault}; ${jsonFault(text)}` };
  }
}

function pointer(name: string): string {
  const shown = name.slice(0, NAME_LENGTH_MAX);
  return `/${shown.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
