/**
 * Blocks of an export to the bytes of a table, in one of the formats. The same updates give the same bytes,
 * however they are cut.
 */

import { indicatorNamed } from '@tapeloom/core/studies/catalogue';
import { Block, type BlockParts } from '../blocks/block.ts';
import type { TableFormat } from '../history/history-fields.ts';
import { ArrowStream } from './arrow-stream.ts';
import { ParquetFile } from './parquet-file.ts';
import { tableColumns } from './table-columns.ts';
import type { TableFile } from './table-file.ts';
import { TableRows } from './table-rows.ts';

const FILES = { parquet: ParquetFile, arrow: ArrowStream } as const;

/** What a table is written from. */
export interface TableSpec {
  readonly format: TableFormat;
  /** One whose data is flat. */
  readonly indicator: string;
  /** What the file says of itself. */
  readonly facts: Readonly<Record<string, string>>;
}

export class TableWriter {
  readonly #file: TableFile;
  readonly #rows: TableRows;

  constructor({ format, indicator, facts }: TableSpec, groupRows?: number) {
    const definition = indicatorNamed(indicator);
    const columns = definition === null ? null : tableColumns(definition);
    if (columns === null) throw new RangeError(`${indicator} has no columns`);
    this.#file = new FILES[format](columns, facts);
    this.#rows = new TableRows(columns, groupRows);
  }

  begin(): Uint8Array<ArrayBuffer> {
    return this.#file.begin();
  }

  /** What these updates complete; nothing while a group is not full. */
  add(parts: BlockParts): Uint8Array<ArrayBuffer>[] {
    return Array.from(this.#rows.add(new Block(parts)), (group) => this.#file.add(group));
  }

  end(): Uint8Array<ArrayBuffer>[] {
    return [...Array.from(this.#rows.finish(), (group) => this.#file.add(group)), this.#file.end()];
  }
}
