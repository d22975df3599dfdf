/**
 * What passes between the thread that writes tables and its handle. A table has a number that is given once;
 * after a call for it failed the table is gone.
 */

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
  /** For the operator: what it was that failed. */
  readonly news: { readonly t: 'fault'; readonly error: unknown };
  readonly refusal: RefusalReason;
}
