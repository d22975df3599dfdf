/** Turns an export's lines into a table's bytes. Equal updates give equal bytes, however they are cut. */

import type { TableFormat } from '../history/history-fields.ts';
import { ArrowStream } from './arrow-stream.ts';
import { CsvFile } from './csv-file.ts';
import { ParquetFile } from './parquet-file.ts';
import { columnsOf } from './table-columns.ts';
import type { TableFile } from './table-file.ts';
import { type PackedLines, TableRows } from './table-rows.ts';

const FILES = { parquet: ParquetFile, arrow: ArrowStream, csv: CsvFile } as const;

export interface TableSpec {
  readonly format: TableFormat;
  /** One that such a table can hold. */
  readonly indicator: string;
  /** The facts stored in the file. */
  readonly facts: Readonly<Record<string, string>>;
}

export class TableWriter {
  readonly #file: TableFile;
  readonly #rows: TableRows;

  constructor({ format, indicator, facts }: TableSpec, groupRows?: number) {
    const columns = columnsOf(indicator);
    this.#file = new FILES[format](columns, facts);
    this.#rows = new TableRows(columns, groupRows);
  }

  begin(): Uint8Array<ArrayBuffer> {
    return this.#file.begin();
  }

  /** The pieces that these updates complete; none while a group is not full. */
  add(lines: PackedLines): Uint8Array<ArrayBuffer>[] {
    return Array.from(this.#rows.add(lines), (group) => this.#file.add(group));
  }

  end(): Uint8Array<ArrayBuffer>[] {
    return [...Array.from(this.#rows.finish(), (group) => this.#file.add(group)), this.#file.end()];
  }
}
