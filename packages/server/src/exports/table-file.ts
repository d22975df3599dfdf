/** The port of table formats: a file written piece by piece, each from a group of rows. */

import type { TableGroup } from './table-rows.ts';

export interface TableFile {
  /** The beginning of the file; called once, first. */
  begin(): Uint8Array<ArrayBuffer>;
  add(group: TableGroup): Uint8Array<ArrayBuffer>;
  /** The end of the file, which proves that it is complete. */
  end(): Uint8Array<ArrayBuffer>;
}
