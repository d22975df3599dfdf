/**
 * What is done for every page, replay and minute, each a transaction of its own. A database across a network does each
 * in one call; here they are statement by statement, for one that is in the same process.
 */

import * as budgets from './sql-budgets.ts';
import type { Sql, SqlRoutines } from './sql-database.ts';
import { touchKeys } from './sql-keys.ts';

type Transact = <Result>(work: (sql: Sql) => Promise<Result>) => Promise<Result>;

export function statementRoutines(synced: Transact, unsynced: Transact): SqlRoutines {
  return {
    // A machine that dies voids an unsynced one, as its expiry would; what is settled takes it along to the disk.
    reserve: (now, request) =>
      (request.isSynced === false ? unsynced : synced)((sql) => budgets.reserve(sql, now, request)),
    settle: (now, id, settlement) => synced((sql) => budgets.settle(sql, now, id, settlement)),
    settleWithin: budgets.settle,
    voidReservation: (id) => synced((sql) => budgets.voidReservation(sql, id)),
    addUsage: (counts) => synced((sql) => budgets.addRestRequests(sql, counts)),
    touchKeys: (lastUsed) => synced((sql) => touchKeys(sql, lastUsed)),
  };
}
