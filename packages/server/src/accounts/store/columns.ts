/** Column types that the tables share. A whole number is stored in 64 bits and read as a bigint. */

import type { ColumnType } from 'kysely';

export type Whole = ColumnType<bigint, bigint | number, bigint | number>;
export type WholeOrNull = ColumnType<bigint | null, bigint | number | null, bigint | number | null>;
