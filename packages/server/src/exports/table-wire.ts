/** Messages of the table thread. A table's number is used only once; after a failed call the table is gone. */

import type { RefusalReason } from '../platform/refusal.ts';
import type { ThreadShape } from '../platform/threads/thread.ts';
import type { PackedLines } from './table-rows.ts';
import type { TableSpec } from './table-writer.ts';

export type Pieces = readonly Uint8Array<ArrayBuffer>[];

export interface TableShape extends ThreadShape {
  readonly calls: {
    open(table: number, spec: TableSpec): Pieces;
    add(table: number, lines: PackedLines): Pieces;
    end(table: number): Pieces;
  };
  readonly orders: { readonly t: 'close'; readonly table: number };
  /** For the operator: the error behind a failed call. */
  readonly news: { readonly t: 'fault'; readonly error: unknown };
  readonly refusal: RefusalReason;
}
