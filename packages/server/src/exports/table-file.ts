/** The port of table formats: a file that is written piece by piece, each from the rows it is given. */

import type { TableGroup } from './table-rows.ts';

export interface TableFile {
  /** What the file begins with; called once, first. */
  begin(): Uint8Array<ArrayBuffer>;
  add(group: TableGroup): Uint8Array<ArrayBuffer>;
  /** What it ends with: who has it has all. */
  end(): Uint8Array<ArrayBuffer>;
}
