/**
 * Rows on their way into a table: packed lines come in, columns go out, in groups of a fixed number of rows. The ends
 * of groups depend on the rows alone, never on the pieces they came in. Lines stay packed until a group is complete: an
 * unread table takes a tenth of the memory of its rows.
 */

import { expandFrames } from '../results/frames.ts';
import type { TableColumn } from './table-columns.ts';

/** So many rows compress well, and take about ten megabytes. */
const GROUP_ROWS = 32_768;
const LINE_FEED = 0x0a;

/** Updates as lines of JSON. */
export interface PackedLines {
  readonly count: number;
  /** zstd frames that expand to them. */
  readonly frames: Uint8Array<ArrayBuffer>;
}

/** As JSON has it: whole numbers as numbers, times as text. */
export type PlainValue = string | number | boolean | null;
/** An item of a list is one value, or an array of them. */
export type TableValue = PlainValue | readonly (PlainValue | readonly PlainValue[])[];

export interface TableGroup {
  readonly rows: number;
  /** The values of each column, in the order of the columns. */
  readonly values: readonly (readonly TableValue[])[];
}

interface GrowingGroup extends TableGroup {
  rows: number;
  readonly values: readonly TableValue[][];
}

type Fields = Readonly<Record<string, TableValue | undefined>>;
type Update = Fields & { readonly data?: Fields };

interface HeldLines extends PackedLines {
  /** Lines that are in a group already. */
  readonly taken: number;
}

export class TableRows {
  readonly #columns: readonly TableColumn[];
  readonly #groupRows: number;
  #held: HeldLines[] = [];
  /** Lines that are in no group yet. */
  #waiting = 0;

  constructor(columns: readonly TableColumn[], groupRows = GROUP_ROWS) {
    this.#columns = columns;
    this.#groupRows = groupRows;
  }

  /** Takes updates; yields each complete group. */
  *add(lines: PackedLines): Generator<TableGroup> {
    this.#held.push({ ...lines, taken: 0 });
    this.#waiting += lines.count;
    yield* this.#groups(this.#waiting - (this.#waiting % this.#groupRows));
  }

  /** The last group, if it has rows. */
  *finish(): Generator<TableGroup> {
    yield* this.#groups(this.#waiting);
  }

  /** Groups of the next `rows` rows. */
  *#groups(rows: number): Generator<TableGroup> {
    this.#waiting -= rows;
    let group = this.#emptyGroup();
    for (let left = rows; left > 0; ) {
      const lines = this.#held.shift()!;
      const end = Math.min(lines.count, lines.taken + left);
      left -= end - lines.taken;
      for (const update of updatesOf(lines, end)) {
        this.#addRow(group, update);
        if (group.rows < this.#groupRows) continue;
        yield group;
        group = this.#emptyGroup();
      }
      if (end < lines.count) this.#held.unshift({ ...lines, taken: end });
    }
    if (group.rows > 0) yield group;
  }

  #emptyGroup(): GrowingGroup {
    return { rows: 0, values: this.#columns.map(() => []) };
  }

  #addRow(group: GrowingGroup, update: Update): void {
    const columns = this.#columns;
    for (let at = 0; at < columns.length; at += 1) {
      const { name, isData } = columns[at]!;
      const value = isData ? update.data?.[name] : update[name];
      group.values[at]!.push(value ?? null);
    }
    group.rows += 1;
  }
}

/** The updates up to line `end` that are in no group. */
function* updatesOf({ frames, taken }: HeldLines, end: number): Generator<Update> {
  const text = expandFrames(frames);
  for (let line = 0, start = 0; line < end; line += 1) {
    const stop = text.indexOf(LINE_FEED, start);
    if (stop < 0) throw new RangeError(`there are ${line} lines, not ${end}`);
    if (line >= taken) yield JSON.parse(text.toString('utf8', start, stop)) as Update;
    start = stop + 1;
  }
}
