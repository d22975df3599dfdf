/** After a provider was asked to change something: what the running service has heard of it. */

import { paymentStateAt } from '@tapeloom/core/entitlement/payment';
import type { OrderRecord } from '@tapeloom/server/accounts/orders/orders-store';
import type { AccountStore } from '@tapeloom/server/accounts/store/account-store';
import type { OperatorCall } from '../accounts/operator-command.ts';
import { ExitCode } from '../exit-codes.ts';
import { orderJson } from './order-view.ts';
import { waitedText, waitForService } from './service-wait.ts';

export interface AskedChange {
  /** As it was before. */
  readonly order: OrderRecord;
  /** Settled when the service has heard what became of it. */
  readonly event: string;
  readonly waitMs: number | undefined;
}

export async function tellAfterwards(
  operator: OperatorCall,
  store: AccountStore,
  { order: before, event, waitMs }: AskedChange,
  what: string | null = null,
): Promise<number> {
  const { data, now, tell } = operator;
  const hasHeard = async () => {
    const [asked] = await store.orders.findEvents({ id: event });
    return asked?.state === 'done';
  };
  const waited = await waitForService(operator, hasHeard, waitMs);
  const isDone = waited === 'done';
  const after = (await store.orders.findOrder(null, before.id))!;
  const states = `${paymentStateAt(before, now)} → ${paymentStateAt(after, now)}`;
  const change = isDone ? states : `done at ${before.provider}`;
  tell(
    { ...orderJson(after, now), isDone },
    `${before.id}: ${change}${what === null ? '' : `, ${what}`}\n${waitedText(waited, data)}`,
  );
  return isDone ? ExitCode.ok : ExitCode.notNow;
}
