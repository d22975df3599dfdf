/**
 * Reads trades from an Arrow file, one batch at a time, by column names. The reader is our own: it reads only what
 * trades need, checks every length against the available bytes, and holds one batch at most.
 */

import { MIB } from '@tapeloom/core/units';
import {
  type TableColumn,
  type TableMapping,
  type TableType,
  tableColumns,
} from '../columns/table-mapping.ts';
import type { TableTrades } from '../columns/table-trades.ts';
import { FeedError, type FeedTrades } from '../feed-trades.ts';
import type { ByteSource } from '../packed/byte-source.ts';
import { printedText } from '../printed-text.ts';
import { ArrowBatch, type StoredColumn } from './arrow-batch.ts';
import { dictionaryWords, storedOf, valuesOf } from './arrow-column.ts';
import { type ArrowMessage, openArrow } from './arrow-messages.ts';
import type { ArrowField } from './arrow-schema.ts';

const DICTIONARY_VALUES_MAX = 1_000_000;
const DICTIONARY_TEXT_MAX = 64 * MIB;

/** The file's columns by name, without unsupported types. */
export async function arrowColumns(source: ByteSource): Promise<Map<string, TableType>> {
  const { fields } = await openArrow(source);
  const columns = new Map<string, TableType>();
  for (const { name, type } of fields) if (type !== null) columns.set(name, type);
  return columns;
}

/** The trades of the whole file; `trades` holds instruments and counts. */
export async function* readArrow(
  source: ByteSource,
  mapping: TableMapping,
  trades: TableTrades,
): AsyncGenerator<FeedTrades> {
  const file = await openArrow(source);
  const wanted = [...tableColumns(mapping)].map((name) => indexOf(file.fields, name));
  const dictionaries = new Dictionaries(wanted.map((index) => file.fields[index]!));
  let batches = 0;
  for await (const message of file.messages()) {
    if (message.kind === 'dictionary') {
      await dictionaries.add(source, message);
      continue;
    }
    batches += 1;
    source.onPlace?.(`Batch ${batches}`);
    const batch = new ArrowBatch(source, message, message.header, file.fields);
    const columns = new Map<string, TableColumn>();
    for (const index of wanted) {
      const field = file.fields[index]!;
      columns.set(field.name, dictionaries.resolved(field, await batch.column(index)));
    }
    yield* trades.push(columns, batch.rows);
  }
  yield* trades.finish();
}

function indexOf(fields: readonly ArrowField[], name: string): number {
  const index = fields.findIndex((field) => field.name === name);
  const shown = printedText(name);
  if (index === -1) {
    const names = fields.map((field) => field.name).join(', ');
    throw new FeedError(`There is no column "${shown}". The file has: ${printedText(names)}`);
  }
  if (fields[index]!.type === null) {
    throw new FeedError(`The column "${shown}" has values of a type that is not read.`);
  }
  if (fields.some((field, at) => at !== index && field.name === name)) {
    throw new FeedError(`There are two columns "${shown}".`);
  }
  return index;
}

/** The dictionary values that the file has given so far. */
class Dictionaries {
  readonly #fields: ReadonlyMap<number, ArrowField>;
  readonly #values = new Map<number, unknown[]>();
  #textLeft = DICTIONARY_TEXT_MAX;

  /** For the wanted columns; columns may share a dictionary. */
  constructor(wanted: readonly ArrowField[]) {
    const own = wanted.filter(({ dictionary }) => dictionary !== null);
    this.#fields = new Map(own.map((field) => [field.dictionary!.id, field]));
  }

  async add(source: ByteSource, message: ArrowMessage): Promise<void> {
    const { header } = message;
    const id = header.number(0, 'i64');
    const field = this.#fields.get(id);
    if (field === undefined) return;
    const data = header.table(1);
    if (data === null) throw new FeedError('The Arrow file has a dictionary without values.');
    const { name, dictionary } = field;
    const stored: ArrowField = {
      name,
      layout: dictionary!.values,
      type: field.type,
      children: [],
      dictionary: null,
    };
    const batch = new ArrowBatch(source, message, data, [stored]);
    const isMore = header.number(2, 'u8') !== 0;
    const values = isMore ? (this.#values.get(id) ?? []) : [];
    if (values.length + batch.rows > DICTIONARY_VALUES_MAX) throw tooLong(name);
    const at = valuesOf(await batch.column(0));
    for (let row = 0; row < batch.rows; row += 1) {
      const value = at(row);
      if (typeof value === 'string') this.#textLeft -= value.length;
      if (this.#textLeft < 0) throw tooLong(name);
      values.push(value);
    }
    this.#values.set(id, values);
  }

  /** Replaces dictionary indexes of a column by the values. */
  resolved({ name, dictionary, type: its }: ArrowField, column: StoredColumn): TableColumn {
    const type = its!;
    const at = valuesOf(column);
    if (dictionary === null) return { type, at, stored: storedOf(column) };
    const values = this.#values.get(dictionary.id) ?? [];
    const valueAt = (row: number) => {
      const place = at(row);
      if (place === null) return null;
      const index = Number(place);
      if (index >= 0 && index < values.length) return values[index];
      throw new FeedError(
        `The Arrow file is damaged: "${printedText(name)}" means a value that its dictionary does not have.`,
      );
    };
    return { type, at: valueAt, stored: dictionaryWords(column, values) };
  }
}

function tooLong(name: string): FeedError {
  return new FeedError(
    `The dictionary of "${printedText(name)}" has more values than a column of trades would have.`,
  );
}
