/** The tables of layouts; see `account-schema.ts`. */

import type { Selectable } from 'kysely';
import type { Whole, WholeOrNull } from '../store/columns.ts';

interface LayoutTable {
  id: string;
  account_id: string;
  name: string;
  /** The number of its newest state. */
  state: Whole;
  created_at: Whole;
  updated_at: Whole;
  /** Null: it is in use. */
  deleted_at: WholeOrNull;
}

/** A layout as it was saved: the newest state and the last ones before it. */
interface LayoutStateTable {
  layout_id: string;
  state: Whole;
  saved_at: Whole;
  /** Of `layout` in UTF-8. */
  bytes: Whole;
  /** JSON, as the client sent it. */
  layout: string;
}

export interface LayoutTables {
  layouts: LayoutTable;
  layout_states: LayoutStateTable;
}

export type LayoutRow = Selectable<LayoutTable>;
