/** The meaning of a table's typed columns, and the columns themselves, for any file format. */

import type {
  DropRule,
  NumberMapping,
  SideWords,
  SymbolMapping,
  TimeUnit,
} from '../feed-mapping.ts';
import type { StoredValues } from './stored-values.ts';
import type { ExactUnit } from './time-units.ts';

export interface TableMapping {
  readonly time: {
    readonly column: string;
    /** The unit of integers since 1970; timestamps have their own. */
    readonly unit: TimeUnit | null;
    /** An IANA zone for wall-clock timestamps; others are in UTC. */
    readonly zone: string | null;
  };
  readonly price: NumberMapping & { readonly column: string };
  readonly size: NumberMapping & { readonly column: string };
  readonly side:
    | (SideWords & { readonly column: string })
    | { readonly kind: 'sign' }
    | { readonly kind: 'none' };
  readonly symbol: (SymbolMapping & { readonly column: string }) | null;
  readonly drop: readonly (DropRule & { readonly column: string })[];
}

export type TableType =
  | { readonly kind: 'timestamp'; readonly unit: ExactUnit; readonly isUtc: boolean }
  | { readonly kind: 'decimal'; readonly decimals: number }
  /** An integer of this many bytes, little endian. */
  | { readonly kind: 'raw'; readonly bytes: number }
  | { readonly kind: 'whole' | 'float' | 'text' | 'boolean' };

export interface TableColumn {
  readonly type: TableType;
  /** Bigints or numbers, strings or booleans, by type; null or undefined without a value. */
  at(row: number): unknown;
  /** The same values as stored in memory; null if they are only available one by one. */
  readonly stored: StoredValues | null;
}

export function tableColumns({ time, price, size, side, symbol, drop }: TableMapping): Set<string> {
  const names = [time.column, price.column, size.column, ...drop.map(({ column }) => column)];
  if (side.kind === 'words') names.push(side.column);
  if (symbol !== null) names.push(symbol.column);
  return new Set(names);
}
