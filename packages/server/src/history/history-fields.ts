/**
 * Parses the fields of a history query one by one. All errors are returned together, each with the pointer of its
 * field; those of an indicator's parameters lie below `/params`. Rights of the caller are judged in `history-query.ts`.
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
/** Longer texts are not names. */
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

/** The formats of an export: lines, or a table. */
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

/** The start of a further page, and the tape revision of the previous page. */
export interface NextField extends CursorField {
  readonly revision: string | null;
}

export interface HistoryFields {
  readonly instrument: string;
  readonly indicator: string;
  /** All parameters of the indicator, canonical; null if the indicator is unknown. */
  readonly params: Params | null;
  readonly from: EpochNs;
  /** Null: the visible end. */
  readonly to: EpochNs | null;
  readonly untilCursor: CursorField | null;
  readonly mode: StreamMode;
  readonly dataset: string | null;
  /** Whether incomplete data is accepted. */
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

/** The value of a text, or its error. */
type Reading<T> = { readonly value: T } | { readonly fault: string };
type Read<T> = (text: string) => Reading<T>;

export class FieldReader {
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

  /** The parameters of an indicator, with defaults; null if they cannot be judged. */
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

export function readName(text: string): Reading<string> {
  const isName = text.length > 0 && text.length <= NAME_LENGTH_MAX;
  return isName ? { value: text } : { fault: `must have 1 to ${NAME_LENGTH_MAX} characters` };
}

export function readInstant(text: string): Reading<EpochNs> {
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
