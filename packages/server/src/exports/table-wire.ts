/**
 * What passes between the thread that writes tables and its handle. A table has a number that is given once.
 * Every message about it but `close` gets exactly one answer; after `failed` the table is gone.
 */

import type { BlockParts } from '../blocks/block.ts';
import type { TableSpec } from './table-writer.ts';

export type TableCall =
  | { readonly t: 'open'; readonly spec: TableSpec }
  | { readonly t: 'add'; readonly block: BlockParts }
  | { readonly t: 'end' };

export type ToTableThread = (TableCall | { readonly t: 'close' }) & { readonly table: number };

export type FromTableThread = { readonly table: number } & (
  | { readonly t: 'bytes'; readonly pieces: readonly Uint8Array<ArrayBuffer>[] }
  | { readonly t: 'failed'; readonly error: unknown }
);
