/**
 * Rows on their way into a table: blocks come in, columns go out, in groups of a fixed number of rows. Where
 * a group ends depends on the rows alone, never on the pieces they came in.
 */

import type { Block } from '../blocks/block.ts';
import type { TableColumn } from './table-columns.ts';

/** So many rows compress well, and are about ten megabytes on their way. */
const GROUP_ROWS = 32_768;

/** As JSON has it: whole numbers as numbers, times as text. */
export type PlainValue = string | number | boolean | null;
/** An item of a list is one value, or an array of them. */
export type TableValue = PlainValue | readonly (PlainValue | readonly PlainValue[])[];

/** A group of rows. */
export interface TableGroup {
  readonly rows: number;
  /** The values of each column, in the order of the columns. */
  readonly values: readonly (readonly TableValue[])[];
}

type Fields = Readonly<Record<string, TableValue | undefined>>;
type Update = Fields & { readonly data?: Fields };

export class TableRows {
  readonly #columns: readonly TableColumn[];
  readonly #groupRows: number;
  #values: readonly TableValue[][] = [];
  #rows = 0;

  constructor(columns: readonly TableColumn[], groupRows = GROUP_ROWS) {
    this.#columns = columns;
    this.#groupRows = groupRows;
  }

  /** Takes the updates of a block; gives each group when it is full. */
  *add(block: Block): Generator<TableGroup> {
    const { buffer, byteOffset, length } = block.text;
    const text = Buffer.from(buffer, byteOffset, length);
    for (let at = 0; at < block.count; at += 1) {
      this.#addRow(JSON.parse(text.toString('utf8', block.start(at), block.ends[at])) as Update);
      if (this.#rows === this.#groupRows) yield* this.finish();
    }
  }

  /** The last group, if it has rows. */
  *finish(): Generator<TableGroup> {
    const [rows, values] = [this.#rows, this.#values];
    this.#rows = 0;
    this.#values = [];
    if (rows > 0) yield { rows, values };
  }

  #addRow(update: Update): void {
    const columns = this.#columns;
    if (this.#rows === 0) this.#values = columns.map(() => []);
    for (let at = 0; at < columns.length; at += 1) {
      const { name, isData } = columns[at]!;
      const value = isData ? update.data?.[name] : update[name];
      this.#values[at]!.push(value ?? null);
    }
    this.#rows += 1;
  }
}
