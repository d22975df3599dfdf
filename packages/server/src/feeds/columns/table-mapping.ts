/** What the typed columns of a table mean, and the columns themselves, whatever file they come from. */

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
    /** Of whole numbers since 1970; timestamps say theirs. */
    readonly unit: TimeUnit | null;
    /** IANA, of timestamps that are by a wall clock; others are in UTC. */
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

/** What the values of a column are. */
export type TableType =
  | { readonly kind: 'timestamp'; readonly unit: ExactUnit; readonly isUtc: boolean }
  | { readonly kind: 'decimal'; readonly decimals: number }
  /** A whole number in so many bytes, the least first. */
  | { readonly kind: 'raw'; readonly bytes: number }
  | { readonly kind: 'whole' | 'float' | 'text' | 'boolean' };

export interface TableColumn {
  readonly type: TableType;
  /** Bigints or numbers, texts or booleans, as the type says; null or undefined where there is none. */
  at(row: number): unknown;
  /** The same as they lie in memory; null where there are only values one by one. */
  readonly stored: StoredValues | null;
}

/** The names of all columns a mapping reads. */
export function tableColumns({ time, price, size, side, symbol, drop }: TableMapping): Set<string> {
  const names = [time.column, price.column, size.column, ...drop.map(({ column }) => column)];
  if (side.kind === 'words') names.push(side.column);
  if (symbol !== null) names.push(symbol.column);
  return new Set(names);
}
