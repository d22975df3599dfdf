/** The tables of budgets, reservations and usage; see `account-schema.ts`. */

import type { Selectable } from 'kysely';
import type { Whole } from '../store/columns.ts';
import type { Budget } from './usage-store.ts';

/**
 * `open` holds its amount in the month's reserved column; the three others hold nothing. `expired` may
 * still be settled (which charges) or voided.
 */
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
  /** Of all these, what is of test keys. */
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
  /** Null: made before use was told apart by keys. */
  key_id: string | null;
  /** 1 when it counts at the limits of test keys as well. */
  is_test: Whole;
  budget: Budget;
  amount: Whole;
  period: string;
  expires_at: Whole;
  state: ReservationState;
}

/** Which mails about a month's budget were owed. */
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
