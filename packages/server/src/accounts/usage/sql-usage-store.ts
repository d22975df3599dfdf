/** Budgets and usage over a SQL database; see `usage-store.ts`. */

import { holdAccount } from '../keys/sql-accounts.ts';
import { judgeOnce, remember } from '../store/sql-once.ts';
import type { SqlStore } from '../store/sql-store.ts';
import * as budgets from './sql-budgets.ts';
import * as usage from './sql-usage.ts';
import { forgetUsageTold } from './sql-usage-mails.ts';
import type { UsageStore } from './usage-store.ts';

/** Housekeeping of usage, some rows at a time. */
export const FORGOTTEN_USAGE = [
  budgets.giveBackSome,
  budgets.forgetReservations,
  usage.forgetKeyUsage,
  usage.forgetDayUsage,
  forgetUsageTold,
] as const;

export function sqlUsage(store: SqlStore): UsageStore {
  return {
    reserve: store.calls((routines, now, request) => routines.reserve(now, request)),
    settle: store.calls((routines, now, id, used) => routines.settle(now, id, used)),
    settleOnce: store.changes(async (sql, now, id, used, done) => {
      await holdAccount(sql, done.accountId);
      const refused = await judgeOnce(sql, now, done);
      if (refused !== null) return refused;
      await store.routines.settleWithin(sql, now, id, used);
      await remember(sql, done);
      return null;
    }),
    findOnce: store.reads(judgeOnce),
    voidReservation: store.calls((routines, _now, id) => routines.voidReservation(id)),
    addUsage: store.calls((routines, counts) => routines.addUsage(counts)),
    usageOf: store.asks(budgets.usageOf),
    usageByKey: store.asks(usage.usageByKey),
    usageByNamedKey: store.reads(usage.usageByNamedKey),
    usageMonths: store.asks(usage.usageMonths),
    usageDays: store.asks(usage.usageDays),
  };
}
