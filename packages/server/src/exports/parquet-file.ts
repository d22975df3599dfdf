/**
 * A table as a Parquet file with zstd pages, one row group for each group of rows. The same rows give the same bytes.
 * Besides the present group it keeps the footer's entry of each group, a few kilobytes.
 */

import { constants, zstdCompressSync } from 'node:zlib';
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { ColumnType, TableColumn, ValueType } from './table-columns.ts';
import type { TableFile } from './table-file.ts';
import type { PlainValue, TableGroup, TableValue } from './table-rows.ts';

const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };

/** The buffer that a file keeps between two groups. */
const ROOM_BYTES = 1_024;

const ELEMENTS: Readonly<Record<ValueType, Omit<SchemaElement, 'name'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  whole: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  flag: { type: 'BOOLEAN' },
  time: {
    type: 'INT64',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'NANOS' },
  },
};

export class ParquetFile implements TableFile {
  readonly #columns: readonly TableColumn[];
  readonly #bytes = new ByteWriter();
  readonly #writer: ParquetWriter;

  constructor(columns: readonly TableColumn[], facts: Readonly<Record<string, string>>) {
    this.#columns = columns;
    this.#writer = new ParquetWriter({
      writer: this.#bytes,
      schema: [{ name: 'updates', num_children: columns.length }, ...columns.flatMap(elementsOf)],
      codec: 'ZSTD',
      compressors: { ZSTD: (page) => zstdCompressSync(page, ZSTD) },
      kvMetadata: Object.entries(facts).map(([key, value]) => ({ key, value })),
    });
  }

  begin(): Uint8Array<ArrayBuffer> {
    return this.#taken();
  }

  add({ rows, values }: TableGroup): Uint8Array<ArrayBuffer> {
    const columnData = this.#columns.map(({ name, type }, at) => ({
      name,
      // Read when the writer comes to the column: one column at a time is in memory.
      get data() {
        return physical(type, values[at]!);
      },
    }));
    // It does not wait for anything: the bytes stay in memory.
    void this.#writer.write({ columnData, rowGroupSize: rows });
    return this.#taken();
  }

  end(): Uint8Array<ArrayBuffer> {
    void this.#writer.finish();
    return this.#taken();
  }

  #taken(): Uint8Array<ArrayBuffer> {
    const written = this.#bytes;
    const bytes = written.getBytes().slice();
    written.index = 0;
    // The next group may come much later.
    written.buffer = new ArrayBuffer(ROOM_BYTES);
    written.view = new DataView(written.buffer);
    return bytes;
  }
}

/** A list has three levels, as the format requires: itself, its repetition, its items. */
function elementsOf({ name, type, isData }: TableColumn): readonly SchemaElement[] {
  const repetition = isData ? 'OPTIONAL' : 'REQUIRED';
  if (typeof type === 'string') {
    return [{ name, ...ELEMENTS[type], repetition_type: repetition }];
  }
  return [
    {
      name,
      repetition_type: repetition,
      converted_type: 'LIST',
      logical_type: { type: 'LIST' },
      num_children: 1,
    },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    ...itemElements(type),
  ];
}

function itemElements(type: Exclude<ColumnType, ValueType>): readonly SchemaElement[] {
  const element = { name: 'element', repetition_type: 'REQUIRED' } as const;
  if ('listOf' in type) return [{ ...element, ...ELEMENTS[type.listOf] }];
  const places = type.rowsOf.map(({ name, type: of }): SchemaElement => {
    return { name, ...ELEMENTS[of], repetition_type: 'REQUIRED' };
  });
  return [{ ...element, num_children: places.length }, ...places];
}

function physical(type: ColumnType, values: readonly TableValue[]): unknown[] {
  if (typeof type === 'string') {
    return values.map((value) => physicalValue(type, value as PlainValue));
  }
  const itemOf = (item: PlainValue | readonly PlainValue[]) => {
    if ('listOf' in type) return physicalValue(type.listOf, item as PlainValue);
    const places = item as readonly PlainValue[];
    return Object.fromEntries(
      type.rowsOf.map(({ name, type: of, whenMissing }, at) => {
        return [name, physicalValue(of, places[at] ?? whenMissing)];
      }),
    );
  };
  return values.map((value) => (value === null ? null : (value as PlainValue[]).map(itemOf)));
}

function physicalValue(type: ValueType, value: PlainValue): PlainValue | bigint {
  const isWhole = type === 'whole' || type === 'time';
  return isWhole && value !== null ? BigInt(value) : value;
}
