/** Options and lookups shared by the commands about orders. */

import type { OrderRecord } from '@tapeloom/server/accounts/orders/orders-store';
import type { AccountStore } from '@tapeloom/server/accounts/store/account-store';
import { UsageError } from '../command.ts';

export const WAIT_USAGE = '  --wait <seconds>    how long to wait for the service (default: 30)';

export function readWaitMs(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,4}$/.test(text)) return Number(text) * 1_000;
  throw new UsageError(`--wait must be a number of seconds from 0 to 9999; got ${text}`);
}

export async function findOrder(store: AccountStore, id: string): Promise<OrderRecord> {
  const order = await store.orders.findOrder(null, id);
  if (order !== null) return order;
  throw new Error(`there is no order ${id}; tapeloom billing ls shows the newest`);
}

export async function accountNames(store: AccountStore): Promise<ReadonlyMap<string, string>> {
  return new Map((await store.listAccounts()).map(({ id, name }) => [id, name]));
}
