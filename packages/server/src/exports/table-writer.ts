/**
 * Lines of an export to the bytes of a table, in one of the formats. The same lines give the same bytes, in
 * whatever pieces they come.
 */

import { indicatorNamed } from '@tapeloom/core/studies/catalogue';
import type { TableFormat } from '../history/history-fields.ts';
import { expandFrame } from '../runs/day-lines.ts';
import { ArrowStream } from './arrow-stream.ts';
import type { ExportSpan } from './export-spans.ts';
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

export type TableLines = Pick<ExportSpan, 'lines' | 'frame' | 'first' | 'end'>;

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

  /** What these lines complete; nothing while a group is not full. */
  add({ lines, frame, first, end }: TableLines): Uint8Array<ArrayBuffer>[] {
    const { ends } = lines;
    const bytes = frame === null ? lines.bytes : expandFrame(frame, ends.at(-1)!);
    const groups = this.#rows.add({ bytes, ends }, { first, end });
    return Array.from(groups, (group) => this.#file.add(group));
  }

  end(): Uint8Array<ArrayBuffer>[] {
    return [...Array.from(this.#rows.finish(), (group) => this.#file.add(group)), this.#file.end()];
  }
}
