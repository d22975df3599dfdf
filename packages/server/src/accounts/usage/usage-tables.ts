/** The tables of budgets, reservations and usage; see `account-schema.ts`. */

import type { Selectable } from 'kysely';
import type { Whole } from '../store/columns.ts';
import type { Budget } from './usage-store.ts';

/** `open` holds its amount in the month's reserved column, the others nothing. `expired` may be settled or voided. */
type ReservationState = 'open' | 'expired' | 'settled' | 'voided';

interface MonthUsageTable {
  account_id: string;
  period: string;
  compute_units: Whole;
  history_items: Whole;
  export_bytes: Whole;
  rest_requests: Whole;
  reserved_compute_units: Whole;
  reserved_export_bytes: Whole;
  /** The part of test keys in the columns above. */
  test_compute_units: Whole;
  test_history_items: Whole;
  test_export_bytes: Whole;
  test_rest_requests: Whole;
  test_reserved_compute_units: Whole;
  test_reserved_export_bytes: Whole;
}

interface KeyUsageTable {
  account_id: string;
  period: string;
  key_id: string;
  compute_units: Whole;
  history_items: Whole;
  export_bytes: Whole;
  rest_requests: Whole;
}

interface DayUsageTable {
  account_id: string;
  /** 20261116 */
  day: Whole;
  compute_units: Whole;
  export_bytes: Whole;
}

interface ReservationTable {
  id: string;
  account_id: string;
  /** Null: made before usage was recorded by key. */
  key_id: string | null;
  /** 1 when it counts against the limits of test keys as well. */
  is_test: Whole;
  budget: Budget;
  amount: Whole;
  period: string;
  expires_at: Whole;
  state: ReservationState;
}

/** Mails about a month's budget that were owed. */
interface UsageToldTable {
  account_id: string;
  period: string;
  budget: Budget;
  budget_limit: Whole;
  percent: Whole;
}

export interface UsageTables {
  month_usage: MonthUsageTable;
  key_usage: KeyUsageTable;
  day_usage: DayUsageTable;
  reservations: ReservationTable;
  usage_told: UsageToldTable;
}

export type MonthRow = Selectable<MonthUsageTable>;
