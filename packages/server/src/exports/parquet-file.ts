/**
 * A table as a Parquet file with zstd pages, one row group for each group of rows. The same rows give the
 * same bytes. Besides the group at hand it keeps what the footer will say of each group, a few kilobytes.
 */

import { constants, zstdCompressSync } from 'node:zlib';
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { ColumnType, TableColumn } from './table-columns.ts';
import type { TableFile } from './table-file.ts';
import type { TableGroup, TableValue } from './table-rows.ts';

const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };

const ELEMENTS: Readonly<Record<ColumnType, Omit<SchemaElement, 'name'>>> = {
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
      schema: [{ name: 'updates', num_children: columns.length }, ...columns.map(elementOf)],
      codec: 'ZSTD',
      compressors: { ZSTD: (page) => zstdCompressSync(page, ZSTD) },
      kvMetadata: Object.entries(facts).map(([key, value]) => ({ key, value })),
    });
  }

  begin(): Uint8Array<ArrayBuffer> {
    return this.#taken();
  }

  add({ rows, values }: TableGroup): Uint8Array<ArrayBuffer> {
    const columnData = this.#columns.map(({ name, type }, at) => {
      return { name, data: physical(type, values[at]!) };
    });
    // Nothing of it waits: the bytes stay in memory.
    void this.#writer.write({ columnData, rowGroupSize: rows });
    return this.#taken();
  }

  end(): Uint8Array<ArrayBuffer> {
    void this.#writer.finish();
    return this.#taken();
  }

  #taken(): Uint8Array<ArrayBuffer> {
    const bytes = this.#bytes.getBytes().slice();
    this.#bytes.index = 0;
    return bytes;
  }
}

function elementOf({ name, type, isData }: TableColumn): SchemaElement {
  return { name, ...ELEMENTS[type], repetition_type: isData ? 'OPTIONAL' : 'REQUIRED' };
}

function physical(type: ColumnType, values: readonly TableValue[]): (TableValue | bigint)[] {
  if (type !== 'whole' && type !== 'time') return [...values];
  return values.map((value) => (value === null ? null : BigInt(value)));
}
